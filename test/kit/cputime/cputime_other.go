//go:build !linux

package cputime

import "time"

var begin = time.Now()

// now returns the elapsed time: the processor time of a thread is not known on this system.
func now() time.Duration { return time.Since(begin) }

func ofProcess() time.Duration { return now() }
