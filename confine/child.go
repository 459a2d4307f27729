package confine

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
)

// Argument is the first argument of a program that is started as a child.
const Argument = "confined"

// program stands in the place of a task where another program takes over.
const program = "--"

// The exit codes of a child that could not begin, of one that reached its limit of
// processor time, and of one whose task failed.
const (
	exitRefused = 125
	exitTime    = 124
	exitFailed  = 1
)

// A Task is what a child of this program does: it reads in and writes out.
type Task func(ctx context.Context, in io.Reader, out io.Writer) error

// Serve is what a program calls first of all. When args are those of a child it
// does the task in this process, and returns the exit code with which the program
// is to end; otherwise child is false.
func Serve(args []string, tasks map[string]Task) (code int, child bool) {
	if len(args) < 2 || args[1] != Argument {
		return 0, false
	}
	task, err := begin(args[2:], tasks)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitRefused, true
	}
	if err := task(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitFailed, true
	}
	return 0, true
}

// begin sets the limits and finds the task. It does not return when another
// program takes over.
func begin(args []string, tasks map[string]Task) (Task, error) {
	if len(args) < 2 {
		return nil, fmt.Errorf("usage: %s LIMITS TASK", Argument)
	}
	limits, err := parseLimits(args[0])
	if err != nil {
		return nil, err
	}
	if err := restrict(limits, args[1] == program); err != nil {
		return nil, fmt.Errorf("restricting the child: %w", err)
	}
	if args[1] == program {
		return nil, become(args[2:])
	}
	task, ok := tasks[args[1]]
	if !ok {
		return nil, fmt.Errorf("there is no task %q", args[1])
	}
	// The collector works hard before the kernel refuses.
	debug.SetMemoryLimit(limits.Memory * 3 / 4)
	runtime.GOMAXPROCS(1)
	return task, nil
}
