//go:build !linux

package cputime

import "time"

var begin = time.Now()

// threadTime returns the elapsed time: the processor time of a thread is not known on this system.
func threadTime() time.Duration { return time.Since(begin) }

func processTime() time.Duration { return threadTime() }
