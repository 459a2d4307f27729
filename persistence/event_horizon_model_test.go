package persistence_test

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// fault is a deviation from the protocol of the event log.
type fault string

const (
	positionBeforeLock fault = "the position is taken before the lock"
	numberBeforeLock   fault = "the transaction number is read before the lock"
	ownNumber          fault = "the transaction number is the own transaction"
	unlockBeforeEnd    fault = "the lock is released before the end"
	oneSnapshot        fault = "the reader has no snapshot after the locks"
	afterBeforeLocks   fault = "the reader has its second snapshot before the locks"
	locksUnread        fault = "the reader ignores the locks"
)

// model is a database in which each step of a transaction is a step of the schedule. It follows ProcArray and lock manager of
// PostgreSQL: a transaction leaves the snapshots first, and its locks are released after that.
type model struct {
	fault          fault
	next, last     int
	position       int
	running, locks map[int]bool
	visible        []modelEvent
	got            []modelEvent
}

type modelEvent struct{ number, position int }

func compareModelEvents(a, b modelEvent) int {
	return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.position, b.position))
}

// transaction returns the steps of a transaction with a number of events.
func (m *model) transaction(events int, commits bool) []func() {
	var id int
	var e modelEvent
	var recorded []modelEvent
	begin := func() { m.next++; id = m.next; m.running[id] = true }
	lock := func() { m.locks[id] = true }
	position := func() { m.position++; e.position = m.position }
	number := func() {
		e.number = max(id, m.last)
		if m.fault == ownNumber {
			e.number = id
		}
	}
	record := func() { recorded = append(recorded, e) }
	end := func() {
		delete(m.running, id)
		m.last = max(m.last, id)
		if commits {
			m.visible = append(m.visible, recorded...)
		}
	}
	unlock := func() { delete(m.locks, id) }
	steps := []func(){begin}
	for range events {
		switch m.fault { //nolint:exhaustive // the other faults have the order of the protocol
		case positionBeforeLock:
			steps = append(steps, position, lock, number, record)
		case numberBeforeLock:
			steps = append(steps, number, lock, position, record)
		default:
			steps = append(steps, lock, position, number, record)
		}
	}
	if m.fault == unlockBeforeEnd {
		return append(steps, unlock, end)
	}
	return append(steps, end, unlock)
}

// read returns the steps of a statement that reads from the last event on.
func (m *model) read() []func() {
	var seen, after, locks map[int]bool
	var visible []modelEvent
	var horizon int
	snapshot := func() { seen, visible, horizon = maps.Clone(m.running), slices.Clone(m.visible), m.last+1 }
	readLocks := func() { locks = maps.Clone(m.locks) }
	second := func() { after = maps.Clone(m.running) }
	finish := func() {
		for id := range seen {
			ended := !after[id] && m.fault != oneSnapshot
			if ended || locks[id] && m.fault != locksUnread {
				horizon = min(horizon, id)
			}
		}
		slices.SortFunc(visible, compareModelEvents)
		for _, e := range visible {
			if e.number < horizon && (len(m.got) == 0 || compareModelEvents(e, m.got[len(m.got)-1]) > 0) {
				m.got = append(m.got, e)
			}
		}
	}
	if m.fault == afterBeforeLocks {
		return []func(){snapshot, second, readLocks, finish}
	}
	return []func(){snapshot, readLocks, second, finish}
}

// isComplete runs transactions and a reader in a random order, and reports whether the reader got every committed event once, in
// the order of the log.
func isComplete(f fault) bool {
	m := &model{fault: f, running: map[int]bool{}, locks: map[int]bool{}}
	var actors [][]func()
	for range 3 {
		actors = append(actors, m.transaction(rand.IntN(3), rand.IntN(4) > 0))
	}
	actors = append(actors, m.transaction(1, true), slices.Concat(m.read(), m.read(), m.read()))
	for len(actors) > 0 {
		i := rand.IntN(len(actors))
		// Some steps of one actor follow each other.
		for range 1 + rand.IntN(4) {
			if len(actors[i]) > 0 {
				actors[i][0]()
				actors[i] = actors[i][1:]
			}
		}
		if len(actors[i]) == 0 {
			actors = slices.Delete(actors, i, i+1)
		}
	}
	for _, step := range m.read() {
		step()
	}
	slices.SortFunc(m.visible, compareModelEvents)
	return slices.Equal(m.visible, m.got)
}

func TestModelOfTheEventLog(t *testing.T) {
	t.Parallel()
	const schedules = 50_000
	for range schedules {
		require.True(t, isComplete(""))
	}
	for _, f := range []fault{
		positionBeforeLock, numberBeforeLock, ownNumber, unlockBeforeEnd, oneSnapshot, afterBeforeLocks, locksUnread,
	} {
		t.Run(string(f), func(t *testing.T) {
			t.Parallel()
			for range schedules * 5 {
				if !isComplete(f) {
					return
				}
			}
			t.Error("the model does not find the fault")
		})
	}
}
