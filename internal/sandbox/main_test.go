package sandbox_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/procession-dev/procession/internal/sandbox"
)

func TestMain(m *testing.M) {
	if code, child := sandbox.Serve(os.Args, tasks()); child {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// surroundings describes the process of a child.
type surroundings struct {
	Environment []string
	Directory   string
	// Inherited are the files that the child did not open itself.
	Inherited []int
	// Limits are the kernel's limits by resource.
	Limits map[int]syscall.Rlimit
}

func tasks() map[string]sandbox.Task {
	return map[string]sandbox.Task{
		"upper": func(_ context.Context, in io.Reader, out io.Writer) error {
			text, err := io.ReadAll(in)
			if err != nil {
				return err
			}
			_, err = io.WriteString(out, strings.ToUpper(string(text)))
			return err
		},
		"grow": func(_ context.Context, in io.Reader, out io.Writer) error {
			var n int
			if _, err := fmt.Fscan(bufio.NewReader(in), &n); err != nil {
				return err
			}
			held := make([][]byte, 0, n)
			for range n {
				page := make([]byte, 1<<20)
				for i := range page {
					page[i] = 1
				}
				held = append(held, page)
			}
			_, err := fmt.Fprint(out, len(held))
			return err
		},
		"spin": func(context.Context, io.Reader, io.Writer) error {
			for n := 0; ; n++ {
				_ = fmt.Sprint(n)
			}
		},
		"wait": func(_ context.Context, _ io.Reader, out io.Writer) error {
			fmt.Fprintln(out, os.Getpid())
			select {}
		},
		"flood": func(_ context.Context, _ io.Reader, out io.Writer) error {
			for {
				if _, err := out.Write(make([]byte, 1<<16)); err != nil {
					return err
				}
			}
		},
		"die": func(context.Context, io.Reader, io.Writer) error {
			return errors.Join(syscall.Kill(os.Getpid(), syscall.SIGKILL), context.Canceled)
		},
		"fail":  func(context.Context, io.Reader, io.Writer) error { return errors.New("it does not work") },
		"panic": func(context.Context, io.Reader, io.Writer) error { panic("broken") },
		"look":  look,
		"try":   try,
	}
}

func look(_ context.Context, _ io.Reader, out io.Writer) error {
	found := surroundings{Environment: os.Environ(), Limits: map[int]syscall.Rlimit{}}
	found.Directory, _ = os.Getwd()
	for _, resource := range []int{
		syscall.RLIMIT_CPU, syscall.RLIMIT_FSIZE, syscall.RLIMIT_CORE, syscall.RLIMIT_NOFILE, syscall.RLIMIT_DATA, syscall.RLIMIT_AS,
	} {
		var limit syscall.Rlimit
		if err := syscall.Getrlimit(resource, &limit); err != nil {
			return err
		}
		found.Limits[resource] = limit
	}
	for fd := 3; fd < 1024; fd++ {
		// An exec closes the files that the runtime opened itself.
		flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFD, 0)
		if errno == 0 && flags&syscall.FD_CLOEXEC == 0 {
			found.Inherited = append(found.Inherited, fd)
		}
	}
	return json.NewEncoder(out).Encode(found)
}
