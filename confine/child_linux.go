package confine

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
	// reserved is how much more address space than memory a child may have: the
	// runtime of Go reserves far more than it uses.
	reserved = 2 << 30
	// maxOpen is how many files a child may have open.
	maxOpen = 64
	// niceness is how far a child stands back for others.
	niceness = 5
	// spareThreads is how many threads the runtime has to spare.
	spareThreads = 8
	// sacrifice makes a child the first that a kernel out of memory kills.
	sacrifice = "1000"
)

// Weakness says what limits do not hold here, "" for none.
func Weakness() string { return "" }

// restrict gives up what the child does not need, before it reads anything. other
// is whether another program is to take over.
func restrict(l Limits, other bool) error {
	if other {
		// Nothing is collected before the other program takes over.
		debug.SetGCPercent(-1)
	}
	makeThreads()
	// What is about one thread has to be about the one that becomes another program.
	runtime.LockOSThread()
	if err := closeInherited(); err != nil {
		return err
	}
	// A place that does not let a child stand back bounds it all the same.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte(sacrifice), 0)
	_ = unix.Setpriority(unix.PRIO_PGRP, 0, niceness)
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("giving up new privileges: %w", err)
	}
	memory, cpu := uint64(max(l.Memory, 0)), uint64(max(seconds(l.CPU), 0))
	if !other {
		base, err := ownMemory()
		if err != nil {
			return err
		}
		memory += base
	}
	// The kernel says SIGXCPU first, so that the end can be distinguished from another kill.
	if err := unix.Setrlimit(unix.RLIMIT_CPU, &unix.Rlimit{Cur: cpu, Max: cpu + 1}); err != nil {
		return fmt.Errorf("limiting processor time: %w", err)
	}
	if !other {
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

// makeThreads has the runtime make threads that it can use later. Once the memory is limited, and until another program
// takes over, it may not get that of a thread's stack, and then ends the child.
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

// endInTime ends this child at SIGXCPU, which the runtime of Go ignores.
func endInTime() {
	over := make(chan os.Signal, 1)
	signal.Notify(over, unix.SIGXCPU)
	<-over
	os.Exit(exitTime)
}

// ownMemory is how much memory of its own the child has before it begins, in
// bytes: the runtime of Go takes some for itself.
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

// closeInherited closes the files that the child has from the process that started the
// service. Those of the runtime itself are closed by an exec, and so stay.
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
		// That of the listing itself is closed already.
		if err != nil && !errors.Is(err, unix.EBADF) {
			return fmt.Errorf("closing file %d: %w", fd, err)
		}
	}
	return nil
}

// become replaces the child by another program, under the same limits.
func become(args []string) error {
	if len(args) == 0 {
		return errors.New("there is no program")
	}
	return fmt.Errorf("starting %s: %w", args[0], syscall.Exec(args[0], args, nil)) //nolint:gosec // The operator names the program.
}
