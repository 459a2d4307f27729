package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
)

// Argument is the first argument of a child.
const Argument = "confined"

// Exit codes of a child: it could not set its limits, it reached its limit of processor
// time, its task failed.
const (
	exitRefused = 125
	exitTime    = 124
	exitFailed  = 1
)

// A Task is the work of a child that runs this program. It reads from in and writes to out.
type Task func(ctx context.Context, in io.Reader, out io.Writer) error

// Serve runs a task if args are the arguments of a child, and returns the exit code of the process; otherwise child
// is false. A program must call it before anything else.
func Serve(args []string, tasks map[string]Task) (code int, child bool) {
	if len(args) < 2 || args[1] != Argument {
		return 0, false
	}
	task, err := beginTask(args[2:], tasks)
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

// beginTask restricts this process and returns the task. It does not return if it executes another program.
func beginTask(args []string, tasks map[string]Task) (Task, error) {
	if len(args) != 1 {
		return nil, fmt.Errorf("usage: %s ORDER", Argument)
	}
	var o order
	if err := json.Unmarshal([]byte(args[0]), &o); err != nil {
		return nil, fmt.Errorf("reading the order: %w", err)
	}
	if err := restrictProcess(o); err != nil {
		return nil, fmt.Errorf("restricting the child: %w", err)
	}
	if len(o.Program) > 0 {
		return nil, executeProgram(o.Program)
	}
	task, ok := tasks[o.Task]
	if !ok {
		return nil, fmt.Errorf("there is no task %q", o.Task)
	}
	// Below the kernel's limit, so that the garbage collector frees memory first.
	debug.SetMemoryLimit(o.Memory * 3 / 4)
	runtime.GOMAXPROCS(1)
	return task, nil
}
