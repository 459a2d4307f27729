package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	// reserved is the address space in bytes that a child may have beyond its memory: the
	// Go runtime reserves far more than it uses.
	reserved = 2 << 30
	// maxOpen is the maximum number of open files.
	maxOpen = 64
	// niceness lowers the scheduling priority of a child.
	niceness = 5
	// spareThreads is the number of threads that makeThreads creates.
	spareThreads = 8
	// sacrifice is the score for the out-of-memory killer: the child is killed first.
	sacrifice = "1000"
)

// restrictProcess drops privileges and sets the limits of this process, before it reads input.
func restrictProcess(o order) error {
	var program string
	if len(o.Program) > 0 {
		program = o.Program[0]
		// The collector needs threads, and the child ends here before it needs a collection.
		debug.SetGCPercent(-1)
	}
	makeThreads()
	// Some settings apply to a thread: exec must run on the same one.
	runtime.LockOSThread()
	if err := closeInherited(); err != nil {
		return err
	}
	// These two are optional.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte(sacrifice), 0)
	_ = unix.Setpriority(unix.PRIO_PGRP, 0, niceness)
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("giving up new privileges: %w", err)
	}
	memory, cpu := uint64(max(o.Memory, 0)), uint64(max(o.CPU, 0))
	if program == "" {
		base, err := ownMemory()
		if err != nil {
			return err
		}
		memory += base
	}
	if err := enterSandbox(program, o.Readable); err != nil {
		return err
	}
	// The kernel sends SIGXCPU at Cur and kills at Max: the signal distinguishes the limit from another kill.
	if err := unix.Setrlimit(unix.RLIMIT_CPU, &unix.Rlimit{Cur: cpu, Max: cpu + 1}); err != nil {
		return fmt.Errorf("limiting processor time: %w", err)
	}
	if program == "" {
		go endInTime()
	}
	for _, limit := range []struct {
		resource int
		most     uint64
	}{
		{unix.RLIMIT_CORE, 0},
		{unix.RLIMIT_FSIZE, 0},
		{unix.RLIMIT_NOFILE, maxOpen},
		{unix.RLIMIT_DATA, memory},
		{unix.RLIMIT_AS, memory + reserved},
	} {
		if err := unix.Setrlimit(limit.resource, &unix.Rlimit{Cur: limit.most, Max: limit.most}); err != nil {
			return fmt.Errorf("limiting resource %d: %w", limit.resource, err)
		}
	}
	return nil
}

// makeThreads makes the Go runtime create threads that it can use later. After the limit is set, the stack of a new
// thread may not fit into the memory, and then the runtime would end the process.
func makeThreads() {
	var begun, ended sync.WaitGroup
	end := make(chan struct{})
	for range spareThreads {
		begun.Add(1)
		ended.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			begun.Done()
			<-end
		})
	}
	begun.Wait()
	close(end)
	ended.Wait()
}

// endInTime exits at SIGXCPU, which the Go runtime ignores.
func endInTime() {
	over := make(chan os.Signal, 1)
	signal.Notify(over, unix.SIGXCPU)
	<-over
	os.Exit(exitTime)
}

// ownMemory returns the private memory in bytes that the Go runtime has already
// allocated for this process.
func ownMemory() (uint64, error) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text))
	if len(fields) < 6 {
		return 0, fmt.Errorf("/proc/self/statm is %q", text)
	}
	pages, err := strconv.ParseUint(fields[5], 10, 32)
	return pages * uint64(os.Getpagesize()), err //nolint:gosec // A page has a size.
}

// closeInherited closes files inherited from the service's parent. Files of the Go runtime are closed by exec.
func closeInherited() error {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		fd, err := strconv.Atoi(filepath.Base(entry.Name()))
		if err != nil || fd <= 2 {
			continue
		}
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err == nil && flags&unix.FD_CLOEXEC == 0 {
			err = unix.Close(fd)
		}
		// The listing itself has an entry, which is closed by now.
		if err != nil && !errors.Is(err, unix.EBADF) {
			return fmt.Errorf("closing file %d: %w", fd, err)
		}
	}
	return nil
}

// executeProgram replaces this process by another program, under the same restrictions.
func executeProgram(args []string) error {
	return fmt.Errorf("starting %s: %w", args[0], syscall.Exec(args[0], args, nil)) //nolint:gosec // The operator names the program.
}
