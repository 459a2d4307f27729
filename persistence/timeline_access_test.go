package persistence_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/events"
)

// happened records an event of a process, about itself, an item or a document of it.
func (s *accessFixture) happened(t domain.EventType, kind domain.EventResource, process, resource uuid.UUID) {
	var item any
	if kind == domain.ResourceItem {
		item = resource
	}
	s.add("events", uuid.New(), s.tenant, process, t, kind, resource, item, s.author, s.now)
}

// requireTimeline requires that the timeline of a process has the events of exactly the
// visible resources, and exists only where the process is visible.
func requireTimeline(
	t *testing.T, reader *persistence.Reader, caller domain.Caller, process uuid.UUID, seesProcess bool, want []uuid.UUID,
) {
	t.Helper()
	found, err := events.ListTimeline(t.Context(), reader, caller, process, events.Range{NewestFirst: true, Limit: 100})
	requireFound(t, seesProcess, err, process)
	if !seesProcess {
		require.Empty(t, found)
		return
	}
	got := make([]uuid.UUID, 0, len(found))
	for _, e := range found {
		got = append(got, e.ResourceID)
	}
	requireSameIDs(t, want, got)
}

// sampleInterval is the interval between the processes of which all parts are read: there are
// thousands, and GetProcess is asked for all.
const sampleInterval = 64

// requireReads requires that people read exactly the parts of processes that the domain allows.
func (o *accessCaller) requireReads(t *testing.T, s *accessFixture, reader *persistence.Reader) {
	t.Helper()
	page := domain.PageRequest{Size: 10_000}
	inProcess, visible := map[uuid.UUID][]uuid.UUID{}, 0
	for id, r := range o.items {
		if id[0]%sampleInterval == 0 {
			if opened, err := reader.OpenTask(t.Context(), o.Caller, id); err == nil {
				require.Equal(t, domain.SeesProcess(o.processes[s.inProcess[id]]), opened.SeesProcess)
			}
		}
		if domain.SeesItem(r) {
			inProcess[s.inProcess[id]] = append(inProcess[s.inProcess[id]], id)
		}
	}
	for id, r := range o.processes {
		sees := domain.SeesProcess(r)
		if sees {
			visible++
		}
		if id[0]%sampleInterval != 0 {
			continue
		}
		requireTimeline(t, reader, o.Caller, id, sees, append(inProcess[id], id))
		parts, err := reader.ListProcessParts(t.Context(), o.Caller, id, nil, page, nil)
		require.NoError(t, err)
		require.Len(t, parts.Items, len(inProcess[id]))
		var beside domain.Page[domain.ProcessPart]
		var happened []domain.TimelineEvent
		_, err = reader.GetProcessOverview(t.Context(), o.Caller, id, persistence.WithProcessParts(persistence.PartFilter{}, page, nil, &beside),
			events.WithTimeline(events.Range{NewestFirst: true, Limit: 100}, &happened))
		requireFound(t, sees, err, r)
		if sees {
			require.Equal(t, parts, beside)
			require.Len(t, happened, len(inProcess[id])+1)
		}
	}
	board, err := reader.ListBoard(t.Context(), o.Caller, persistence.BoardFilter{}, domain.PageRequest{}, nil)
	require.NoError(t, err)
	require.EqualValues(t, visible, board.Total)
	o.requireHome(t, reader)
}

// requireHome requires that the tasks of others, and recent events, are exactly those
// visible to the caller.
func (o *accessCaller) requireHome(t *testing.T, reader *persistence.Reader) {
	t.Helper()
	waiting := 0
	for id, r := range o.items {
		isOpen, absent := o.ofAbsent[id]
		if domain.SeesItem(r) && !r.Owner && (isOpen || !absent && (r.Delegator || !domain.ClaimsItem(r))) {
			waiting++
		}
	}
	var recent []domain.TimelineEvent
	home, err := reader.GetHome(t.Context(), o.Caller, nil, 1, time.Now(), events.Recent(o.Caller, 200, &recent))
	require.NoError(t, err)
	require.EqualValues(t, waiting, home.Waiting.Total)
	for _, e := range recent {
		require.True(t, domain.SeesProcess(o.processes[e.ProcessID]))
		if e.ResourceKind == domain.ResourceItem {
			require.True(t, domain.SeesItem(o.items[e.ResourceID]))
		}
	}
}
