package sandbox_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/internal/sandbox"
)

const mib = 1 << 20

func limits() sandbox.Limits {
	return sandbox.Limits{Memory: 64 * mib, CPU: 20 * time.Second, Time: time.Minute, Output: mib}
}

// forProgram returns limits under which this program can start another one: until then its own memory counts.
func forProgram() sandbox.Limits {
	l := limits()
	l.Memory = 192 * mib
	return l
}

// run executes a job and returns its output.
func run(ctx context.Context, p *sandbox.Pool, j sandbox.Job, input string) (string, error) {
	var written string
	j.Talk = func(in io.WriteCloser, out io.Reader) error {
		if _, err := io.WriteString(in, input); err != nil {
			return err
		}
		if err := in.Close(); err != nil {
			return err
		}
		text, err := io.ReadAll(out)
		written = string(text)
		return err
	}
	err := p.Run(ctx, j)
	return written, err
}

func TestRun(t *testing.T) {
	t.Parallel()
	p := sandbox.NewPool(256 * mib)
	text, err := run(t.Context(), p, sandbox.Job{Task: "upper", Limits: limits()}, strings.Repeat("text ", 100_000))
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("TEXT ", 100_000), text)
	text, err = run(t.Context(), p, sandbox.Job{Program: []string{"/bin/cat"}, Limits: forProgram()}, "text")
	require.NoError(t, err)
	require.Equal(t, "text", text)
	text, err = run(t.Context(), p, sandbox.Job{Task: "grow", Limits: limits()}, "30")
	require.NoError(t, err)
	require.Equal(t, "30", text)
}

func TestRunFails(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("children are restricted on Linux only")
	}
	p := sandbox.NewPool(256 * mib)
	for name, test := range map[string]struct {
		job    sandbox.Job
		input  string
		change func(*sandbox.Limits)
		want   error
	}{
		"memory":    {job: sandbox.Job{Task: "grow"}, input: "200", want: sandbox.ErrMemory},
		"processor": {job: sandbox.Job{Task: "spin"}, change: func(l *sandbox.Limits) { l.CPU = time.Second }, want: sandbox.ErrTime},
		"processor of a program": {
			job: sandbox.Job{Program: []string{"/bin/sh", "-c", "while :; do :; done"}}, change: func(l *sandbox.Limits) { l.CPU = time.Second }, want: sandbox.ErrTime,
		},
		"clock":              {job: sandbox.Job{Task: "wait"}, change: func(l *sandbox.Limits) { l.Time = 300 * time.Millisecond }, want: sandbox.ErrTime},
		"clock of a program": {job: sandbox.Job{Program: []string{"/bin/sleep", "100"}}, change: func(l *sandbox.Limits) { l.Time = 300 * time.Millisecond }, want: sandbox.ErrTime},
		"output":             {job: sandbox.Job{Task: "flood"}, want: sandbox.ErrOutput},
		"killed":             {job: sandbox.Job{Task: "die"}, want: sandbox.ErrLost},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.job.Limits = limits()
			if test.job.Program != nil {
				test.job.Limits = forProgram()
			}
			if test.change != nil {
				test.change(&test.job.Limits)
			}
			_, err := run(t.Context(), p, test.job, test.input)
			require.ErrorIs(t, err, test.want)
		})
	}
	for _, complaint := range []string{
		`runtime/cgo: pthread_create failed: Resource temporarily unavailable\nSIGABRT: abort\n`,
		`runtime: failed to create new OS thread (have 5 already; errno=11)\n`,
		`SIGSEGV: segmentation violation\nPC=0x434ebd m=3 sigcode=1 addr=0x0\n\ngoroutine 0 gp=0x2e m=3 mp=0x2e [idle]:\n`,
	} {
		dies := sandbox.Job{Program: []string{"/bin/sh", "-c", "printf '" + complaint + "' >&2; exit 2"}, Limits: forProgram()}
		_, err := run(t.Context(), p, dies, "")
		require.ErrorIs(t, err, sandbox.ErrMemory, complaint)
	}
	for task, complaint := range map[string]string{
		"fail": "it does not work", "panic": "panic: broken",
	} {
		_, err := run(t.Context(), p, sandbox.Job{Task: task, Limits: limits()}, "")
		var failed *sandbox.ExitError
		require.ErrorAs(t, err, &failed, task)
		require.Contains(t, failed.Complaint, complaint)
		require.LessOrEqual(t, len(failed.Complaint), 4<<10)
	}
	_, err := run(t.Context(), p, sandbox.Job{Task: "nothing", Limits: limits()}, "")
	require.ErrorIs(t, err, sandbox.ErrLost)
	require.ErrorContains(t, err, "there is no task")
	_, err = run(t.Context(), p, sandbox.Job{Program: []string{"/nowhere"}, Limits: forProgram()}, "")
	require.ErrorIs(t, err, sandbox.ErrLost)
	require.ErrorContains(t, err, "no such file")
	require.ErrorContains(t, p.Run(t.Context(), sandbox.Job{Limits: sandbox.Limits{Memory: 257 * mib}}), "wants")
}

func TestSurroundings(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("children are restricted on Linux only")
	}
	// A file that is not closed by an exec, as one may be that the service was
	// started with.
	file, err := os.Open(os.Args[0])
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	_, _, errno := syscall.Syscall(syscall.SYS_FCNTL, file.Fd(), syscall.F_SETFD, 0)
	require.Zero(t, errno)
	text, err := run(t.Context(), sandbox.NewPool(64*mib), sandbox.Job{Task: "look", Limits: limits()}, "")
	require.NoError(t, err)
	var found surroundings
	require.NoError(t, json.Unmarshal([]byte(text), &found))
	require.Empty(t, found.Environment)
	require.Equal(t, "/", found.Directory)
	require.Empty(t, found.Inherited)
	require.Equal(t, syscall.Rlimit{Cur: 20, Max: 21}, found.Limits[syscall.RLIMIT_CPU])
	require.Equal(t, syscall.Rlimit{}, found.Limits[syscall.RLIMIT_FSIZE])
	require.Equal(t, syscall.Rlimit{}, found.Limits[syscall.RLIMIT_CORE])
	require.Equal(t, syscall.Rlimit{Cur: 64, Max: 64}, found.Limits[syscall.RLIMIT_NOFILE])
	for _, resource := range []int{syscall.RLIMIT_DATA, syscall.RLIMIT_AS} {
		require.Less(t, found.Limits[resource].Max, uint64(4<<30))
	}
	var score []byte
	err = sandbox.NewPool(64*mib).Run(t.Context(), sandbox.Job{Task: "wait", Limits: limits(), Talk: func(_ io.WriteCloser, out io.Reader) error {
		var pid int
		if _, err := fmt.Fscan(out, &pid); err != nil {
			return err
		}
		var err error
		score, err = os.ReadFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid))
		return errors.Join(err, context.Canceled)
	}})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, "1000\n", string(score))
}

// The memory of all children together is bounded: a second one waits.
func TestChildrenWaitForMemory(t *testing.T) {
	t.Parallel()
	p := sandbox.NewPool(64 * mib)
	started, end := make(chan struct{}), make(chan struct{})
	first := make(chan error, 1)
	go func() {
		first <- p.Run(t.Context(), sandbox.Job{Task: "wait", Limits: limits(), Talk: func(_ io.WriteCloser, out io.Reader) error {
			_, err := bufio.NewReader(out).ReadString('\n')
			close(started)
			<-end
			if err == nil {
				err = context.Canceled
			}
			return err
		}})
	}()
	<-started
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := run(ctx, p, sandbox.Job{Task: "upper", Limits: limits()}, "a")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	close(end)
	require.ErrorIs(t, <-first, context.Canceled)
	text, err := run(t.Context(), p, sandbox.Job{Task: "upper", Limits: limits()}, "a")
	require.NoError(t, err)
	require.Equal(t, "A", text)
}

// stopped is a command of the shell that starts a process which waits until it is killed.
const stopped = `/bin/sh -c 'kill -STOP $$'`

// The end of the context kills the child and its processes.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("children are restricted on Linux only")
	}
	for name, script := range map[string]string{
		"cancelled": stopped + " & echo $!; wait", "left behind": stopped + " >&- 2>&- & echo $!",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var pid int
			err := sandbox.NewPool(192*mib).Run(ctx, sandbox.Job{
				Program: []string{"/bin/sh", "-c", script}, Limits: forProgram(),
				Talk: func(_ io.WriteCloser, out io.Reader) error {
					if _, err := fmt.Fscan(out, &pid); err != nil {
						return err
					}
					if name == "cancelled" {
						cancel()
					}
					_, err := io.Copy(io.Discard, out)
					return err
				},
			})
			if name == "cancelled" {
				require.ErrorIs(t, err, context.Canceled)
			} else {
				require.NoError(t, err)
			}
			require.Positive(t, pid)
			require.Eventually(t, func() bool {
				status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
				return err != nil || strings.Contains(string(status), ") Z ")
			}, 10*time.Second, 10*time.Millisecond)
		})
	}
}
