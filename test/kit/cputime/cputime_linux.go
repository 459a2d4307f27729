package cputime

import (
	"syscall"
	"time"
)

func threadTime() time.Duration { return usedTime(syscall.RUSAGE_THREAD) }

func processTime() time.Duration { return usedTime(syscall.RUSAGE_SELF) }

func usedTime(by int) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(by, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
