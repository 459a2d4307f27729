package sandbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/elastic/go-seccomp-bpf/arch"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/procession-dev/procession/internal/sandbox"
)

// attempts is the input of the task "try".
type attempts struct {
	// File exists, and Folder holds it.
	File, Folder string
	// TCP and Unix are addresses of listeners.
	TCP, Unix string
	// Calls are numbers of system calls by name.
	Calls map[string]uintptr
}

// try writes the errors of its attempts to leave the sandbox by name, "" for a success.
func try(ctx context.Context, in io.Reader, out io.Writer) error {
	var a attempts
	if err := json.NewDecoder(in).Decode(&a); err != nil {
		return err
	}
	found := map[string]string{}
	record := func(name string, err error) {
		found[name] = ""
		if err != nil {
			found[name] = err.Error()
		}
	}
	for name, attempt := range map[string]func() error{
		"read a file":   func() error { _, err := os.ReadFile(a.File); return err },
		"list a folder": func() error { _, err := os.ReadDir(a.Folder); return err },
		"read the settings of the service": func() error {
			_, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", os.Getppid()))
			return err
		},
		"write a file": func() error {
			file, err := os.OpenFile(a.File, os.O_WRONLY, 0)
			return errors.Join(err, file.Close())
		},
		"make a file":             func() error { return os.WriteFile(filepath.Join(a.Folder, "new"), nil, 0o600) },
		"remove a file":           func() error { return os.Remove(a.File) },
		"change rights":           func() error { return os.Chmod(a.File, 0o777) },
		"connect over TCP":        func() error { return dial(ctx, "tcp", a.TCP) },
		"connect to a file":       func() error { return dial(ctx, "unix", a.Unix) },
		"listen":                  func() error { _, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0"); return err },
		"execute a program":       func() error { return syscall.Exec("/bin/true", []string{"true"}, nil) },
		"signal the service":      func() error { return syscall.Kill(os.Getppid(), 0) },
		"limit the service":       func() error { return unix.Prlimit(os.Getppid(), unix.RLIMIT_NOFILE, nil, &unix.Rlimit{}) },
		"use the 32-bit ABI x32":  func() error { return call(0x40000000 + unix.SYS_GETPID) },
		"use an unknown call":     func() error { return call(9999) },
		"limit the child itself":  func() error { return unix.Prlimit(0, unix.RLIMIT_NOFILE, nil, &unix.Rlimit{}) },
		"signal the child itself": func() error { return syscall.Kill(os.Getpid(), 0) },
	} {
		record(name, attempt())
	}
	for name, number := range a.Calls {
		record(name, call(number))
	}
	return json.NewEncoder(out).Encode(found)
}

func dial(ctx context.Context, network, address string) error {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err == nil {
		err = conn.Close()
	}
	return err
}

// call makes a system call with arguments that no call accepts.
func call(number uintptr) error {
	const wrong = ^uintptr(0)
	if _, _, errno := syscall.RawSyscall6(number, wrong, wrong, wrong, wrong, wrong, wrong); errno != 0 {
		return errno
	}
	return nil
}

func TestTasksAreDeniedAllButTheirStreams(t *testing.T) {
	t.Parallel()
	requireSandbox(t)
	var listening net.ListenConfig
	tcp, err := listening.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = tcp.Close() }()
	folder := t.TempDir()
	local, err := listening.Listen(t.Context(), "unix", filepath.Join(folder, "socket"))
	require.NoError(t, err)
	defer func() { _ = local.Close() }()
	a := attempts{
		File: filepath.Join(folder, "file"), Folder: folder, TCP: tcp.Addr().String(), Unix: local.Addr().String(), Calls: calls(t),
	}
	require.NoError(t, os.WriteFile(a.File, []byte("kept"), 0o600))
	input, err := json.Marshal(a)
	require.NoError(t, err)
	text, err := run(t.Context(), sandbox.NewPool(64*mib), sandbox.Job{Task: "try", Limits: limits()}, string(input))
	require.NoError(t, err)
	var found map[string]string
	require.NoError(t, json.Unmarshal([]byte(text), &found))
	for _, needed := range []string{"limit the child itself", "signal the child itself"} {
		require.Contains(t, found, needed)
		require.Empty(t, found[needed], needed)
		delete(found, needed)
	}
	require.Greater(t, len(found), 100)
	for name, refusal := range found {
		require.Regexp(t, "permission denied|operation not permitted|function not implemented", refusal, name)
	}
	kept, err := os.ReadFile(a.File)
	require.NoError(t, err)
	require.Equal(t, "kept", string(kept))
}

// calls returns the denied system calls of this architecture.
func calls(t *testing.T) map[string]uintptr {
	t.Helper()
	table, err := arch.GetInfo("")
	require.NoError(t, err)
	numbers := map[string]uintptr{}
	for name := range maps.Keys(sandbox.DeniedCalls()) {
		if number, ok := table.SyscallNames[name]; ok {
			numbers[name] = uintptr(number)
		}
	}
	return numbers
}

func TestProgramsReadTheirOwnFilesOnly(t *testing.T) {
	t.Parallel()
	requireSandbox(t)
	folder := t.TempDir()
	secret, data := filepath.Join(folder, "secret"), filepath.Join(folder, "data")
	for _, path := range []string{secret, data} {
		require.NoError(t, os.WriteFile(path, []byte("text\n"), 0o600))
	}
	script := filepath.Join(folder, "script")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\necho ran\n"), 0o700))
	for name, test := range map[string]struct {
		program []string
		want    string
	}{
		"its data":           {[]string{"/bin/cat", data}, "text\n"},
		"a script":           {[]string{script}, "ran\n"},
		"another file":       {[]string{"/bin/cat", secret}, ""},
		"a process":          {[]string{"/bin/cat", "/proc/self/environ"}, ""},
		"another program":    {[]string{"/bin/sh", "-c", "/bin/cat " + data}, ""},
		"a new file":         {[]string{"/bin/sh", "-c", "echo >" + filepath.Join(folder, "new") + " && echo made"}, ""},
		"its data, to write": {[]string{"/bin/sh", "-c", "echo >>" + data + " && echo written"}, ""},
		"signals":            {[]string{"/bin/sh", "-c", fmt.Sprintf("kill -0 %d && echo sent", os.Getpid())}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := run(t.Context(), sandbox.NewPool(192*mib), sandbox.Job{
				Program: test.program, Readable: []string{data, filepath.Join(folder, "absent")}, Limits: forProgram(),
			}, "")
			require.Equal(t, test.want, text)
			var failed *sandbox.ExitError
			if test.want == "" {
				require.ErrorAs(t, err, &failed)
				require.Regexp(t, "(?i)permission denied|not permitted|can't create", failed.Complaint)
			} else {
				require.NoError(t, err)
			}
		})
	}
}

func TestWeaknessNamesTheMissingRestrictions(t *testing.T) {
	t.Parallel()
	require.Empty(t, sandbox.DescribeWeakness(6, true))
	require.Contains(t, sandbox.DescribeWeakness(0, true), "can read the files of the service")
	require.Contains(t, sandbox.DescribeWeakness(5, true), "can send signals")
	require.Contains(t, sandbox.DescribeWeakness(6, false), "can open sockets")
	require.Len(t, strings.Split(sandbox.DescribeWeakness(0, false), "; "), 2)
}

// requireSandbox skips the test on a kernel that lacks a mechanism of the sandbox.
func requireSandbox(t *testing.T) {
	t.Helper()
	if lacks := sandbox.Weakness(); lacks != "" {
		t.Skip(lacks)
	}
}
