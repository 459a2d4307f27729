// Package cputime measures processor time in tests.
package cputime

import (
	"runtime"
	"time"
)

// Of returns the processor time that run takes on its thread. It does not grow while other processes have the
// processor, so a limit for it holds on a busy machine as well.
func Of(run func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begin := threadTime()
	run()
	return threadTime() - begin
}

// OfProcess returns the processor time that the whole process takes while run runs, garbage collection included.
func OfProcess(run func()) time.Duration {
	begin := processTime()
	run()
	return processTime() - begin
}
