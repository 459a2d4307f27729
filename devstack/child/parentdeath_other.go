//go:build unix && !linux

package child

import "syscall"

// Only Linux can tie a child's life to its parent's.
func setParentDeathSignal(*syscall.SysProcAttr, syscall.Signal) {}
