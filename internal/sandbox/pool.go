package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/semaphore"
)

// maxComplaint is the number of bytes of a child's stderr that are kept.
const maxComplaint = 4 << 10

// A Pool runs children concurrently, as long as their limits of memory fit into the memory of the pool. It is safe
// for concurrent use.
type Pool struct {
	most   int64
	memory *semaphore.Weighted
}

// NewPool returns a pool with the memory in bytes for all children together.
func NewPool(memory int64) *Pool {
	return &Pool{most: memory, memory: semaphore.NewWeighted(memory)}
}

// Job is the work of a child: either a task of this program or another program.
type Job struct {
	Task string
	// Program is the path of another program and its arguments. It may not execute further programs.
	Program []string
	// Readable are the files and folders that the program reads, apart from its own file and its libraries.
	Readable []string
	Limits   Limits
	// Talk writes the input of the child and reads its output. If it returns an error,
	// the child is killed; otherwise Run waits until it exits.
	Talk func(in io.WriteCloser, out io.Reader) error
}

// Run waits until the pool has memory for the job, executes it, and returns when all its processes have ended. It
// returns the error of the context, ErrMemory, ErrTime, ErrOutput, ErrLost or an *ExitError if the child failed, and
// otherwise the error of Talk.
func (p *Pool) Run(ctx context.Context, j Job) error {
	if j.Limits.Memory > p.most {
		return fmt.Errorf("a child may have %d bytes and wants %d", p.most, j.Limits.Memory)
	}
	if err := p.memory.Acquire(ctx, j.Limits.Memory); err != nil {
		return ctx.Err()
	}
	defer p.memory.Release(j.Limits.Memory)
	c, err := startChild(j)
	if err != nil {
		return errors.Join(ErrLost, err)
	}
	limited, cancel := context.WithTimeout(ctx, j.Limits.Time)
	defer cancel()
	stop := context.AfterFunc(limited, c.kill)
	talked := j.Talk(c.in, c.out)
	_ = c.in.Close()
	if talked != nil && !isLost(talked) {
		c.kill()
	}
	awaitExit(c.cmd)
	stopped := stop()
	_ = c.cmd.Wait()
	c.close()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !stopped && limited.Err() != nil:
		return ErrTime
	case talked != nil && !isLost(talked):
		return talked
	}
	if err := c.exitError(j.Limits); err != nil {
		return err
	}
	return talked
}

// isLost reports whether Talk failed because the child closed its end. The exit status of the child is then the
// better error.
func isLost(err error) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, syscall.EPIPE) ||
		errors.Is(err, os.ErrClosed)
}

// running is a started child.
type running struct {
	cmd       *exec.Cmd
	in        *os.File
	out       *bounded
	complaint complaint
}

func startChild(j Job) (*running, error) {
	cmd, err := j.buildCommand()
	if err != nil {
		return nil, err
	}
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("starting a child: %w", err)
	}
	defer func() { _ = theirIn.Close() }()
	out, theirOut, err := os.Pipe()
	if err != nil {
		_ = in.Close()
		return nil, fmt.Errorf("starting a child: %w", err)
	}
	defer func() { _ = theirOut.Close() }()
	c := &running{cmd: cmd, in: in, out: &bounded{file: out, left: j.Limits.Output}}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirIn, theirOut, &c.complaint
	cmd.Env, cmd.Dir = []string{}, "/"
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		c.close()
		return nil, fmt.Errorf("starting a child: %w", err)
	}
	return c, nil
}

// kill kills all processes of the child and unblocks Talk.
func (c *running) kill() {
	killGroup(c.cmd)
	c.close()
}

func (c *running) close() {
	_ = c.in.Close()
	_ = c.out.file.Close()
}

// exitError returns the error of a child that has ended, or nil if it succeeded.
func (c *running) exitError(l Limits) error {
	state := c.cmd.ProcessState
	complained := string(c.complaint)
	if state == nil {
		return ErrLost
	}
	late, killed := exitSignal(c.cmd)
	switch {
	case state.Success():
		return nil
	case late, killed && state.UserTime()+state.SystemTime() >= l.CPU:
		return ErrTime
	case killed:
		return ErrLost
	}
	if ranOutOfMemory(complained) {
		return ErrMemory
	}
	failed := &ExitError{Code: state.ExitCode(), Complaint: complained}
	if failed.Code == exitRefused {
		return errors.Join(ErrLost, failed)
	}
	return failed
}

// ranOutOfMemory reports whether the stderr of a child shows a failed allocation, including thread stacks. The Go
// runtime does not check each of its own allocations: it dereferences nil on a system stack, goroutine 0, where no
// other code runs.
func ranOutOfMemory(complained string) bool {
	for _, sign := range []string{
		"ut of memory", "bad_alloc", "annot allocate memory", "memory exhausted",
		"pthread_create failed: Resource temporarily unavailable", "failed to create new OS thread",
	} {
		if strings.Contains(complained, sign) {
			return true
		}
	}
	return strings.Contains(complained, "SIGSEGV") && strings.Contains(complained, "addr=0x0\n\ngoroutine 0 ")
}

// bounded reads the output of a child up to a limit.
type bounded struct {
	file *os.File
	left int64
}

// Read returns ErrOutput beyond the limit.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, ErrOutput
	}
	n, err := b.file.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, ErrOutput
	}
	return n, err
}

// complaint is a writer that keeps the first maxComplaint bytes.
type complaint []byte

// Write never fails.
func (c *complaint) Write(p []byte) (int, error) {
	*c = append(*c, p[:min(len(p), maxComplaint-len(*c))]...)
	return len(p), nil
}
