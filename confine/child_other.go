//go:build !linux

package confine

import (
	"errors"
	"runtime"
)

// Weakness returns a sentence about the limits that are not enforced on this system, or "".
func Weakness() string {
	return "memory and processor time of children are not limited on " + runtime.GOOS
}

func restrict(Limits, bool) error { return nil }

func become([]string) error { return errors.New("programs are started by the parent") }
