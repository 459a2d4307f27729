package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

const (
	idleTarget = 60.0
	// idleTime is how long the service is left alone before it counts as idle.
	idleTime = 10 * time.Second
)

// residentMiB reads the memory that a process has, in MiB.
func residentMiB(pid int) (float64, error) { return memoryMiB(pid, "VmRSS:") }

// memoryMiB reads a kind of memory of a process, in MiB.
func memoryMiB(pid int, kind string) (float64, error) {
	file, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, fmt.Errorf("reading the memory of a process: %w", err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), kind); ok {
			var kilobytes float64
			if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
				return 0, fmt.Errorf("reading the memory of a process: %w", err)
			}
			return kilobytes / 1024, nil
		}
	}
	return 0, errors.New("the system does not report the memory of a process")
}

// memoryWatch keeps the most memory that a process had.
type memoryWatch struct {
	stopped context.CancelFunc
	done    sync.WaitGroup

	mu   sync.Mutex
	most float64
}

func watchMemory(ctx context.Context, pid int) (*memoryWatch, error) {
	if _, err := residentMiB(pid); err != nil {
		return nil, err
	}
	w := &memoryWatch{}
	ctx, w.stopped = context.WithCancel(ctx)
	w.done.Go(func() {
		// It ends with ctx, or with the process, which others notice.
		_ = pollUntil(ctx, 200*time.Millisecond, func(context.Context) (bool, error) {
			now, err := residentMiB(pid)
			w.mu.Lock()
			defer w.mu.Unlock()
			w.most = max(w.most, now)
			return false, err
		})
	})
	return w, nil
}

func (w *memoryWatch) stop() {
	w.stopped()
	w.done.Wait()
}

func (b *bench) measureIdleMemory(ctx context.Context) error {
	if err := waitFor(ctx, idleTime); err != nil {
		return err
	}
	idle, err := residentMiB(b.service.PID())
	if err != nil {
		return err
	}
	// The rest is pages of the program's file, which the system can drop and which replicas on one machine share.
	own, err := memoryMiB(b.service.PID(), "RssAnon:")
	if err != nil {
		return err
	}
	b.report.add(row{
		measure: "resident memory, idle", value: fmt.Sprintf("%.0f MiB", idle), beside: fmt.Sprintf("%.0f MiB without the program's file", own),
		limit: fmt.Sprintf("≤ %.0f MiB", idleTarget), missed: idle > idleTarget,
	})
	return nil
}

// reportLoadedMemory reports the service's peak memory over all sections.
func (b *bench) reportLoadedMemory() {
	b.memory.mu.Lock()
	defer b.memory.mu.Unlock()
	b.report.add(row{measure: "resident memory, most under load", value: fmt.Sprintf("%.0f MiB", b.memory.most)})
}
