package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/procession-dev/procession/devstack/demo"
)

// clockTick is the unit of the times in /proc, which Linux fixes for programs.
const clockTick = 10 * time.Millisecond

// contender is a build of the service under load, with a connection for each
// client and the results of its rounds.
type contender struct {
	*stack
	conns []*conn
	// rates are requests per second, costs the CPU time of the service's process
	// per request in microseconds.
	rates, costs []float64
	done         int64
}

// newContender connects as many clients to a build of the service.
func newContender(ctx context.Context, s *stack, clients int) (*contender, error) {
	c := &contender{stack: s}
	for range clients {
		one, err := s.dial(ctx, demo.Alice())
		if err != nil {
			c.close()
			return nil, err
		}
		c.conns = append(c.conns, one)
	}
	return c, nil
}

func (c *contender) close() {
	for _, one := range c.conns {
		_ = one.Close()
	}
}

// runRound makes all clients work for the time of a round.
func (c *contender) runRound(ctx context.Context, w work, runRound int, length time.Duration) error {
	done := make([]int, len(c.conns))
	before, err := processorTime(c.service.PID())
	if err != nil {
		return err
	}
	n, took, err := driveClients(ctx, len(c.conns), length, func(client int) error {
		if w.perClient > 0 && done[client] == w.perClient {
			return errExhausted
		}
		done[client]++
		return w.request(c.conns[client], workLane+client, w.firstSubject(runRound)+done[client])
	})
	if err != nil {
		return err
	}
	after, err := processorTime(c.service.PID())
	if err != nil {
		return err
	}
	c.done += n
	c.rates = append(c.rates, perSecond(n, took))
	c.costs = append(c.costs, float64((after-before).Microseconds())/float64(max(n, 1)))
	return nil
}

// processorTime returns the time that a process has spent on processors so far.
func processorTime(pid int) (time.Duration, error) {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, fmt.Errorf("reading the processor time of a process: %w", err)
	}
	// The name, in parentheses, is the second field and may contain anything.
	_, rest, _ := strings.Cut(string(content), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, errors.New("the system does not report the processor time of a process")
	}
	var ticks int64
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("reading the processor time of a process: %w", err)
		}
		ticks += n
	}
	return time.Duration(ticks) * clockTick, nil
}

// divideRounds divides each value of a by the value of b from the same round.
func divideRounds(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] / b[i]
	}
	return out
}
