package domain_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

// at returns the time the given number of minutes after the first.
func at(minutes int) time.Time {
	return time.Date(2026, 1, 2, 3, minutes, 0, 0, time.UTC)
}

// id returns the id n of a principal or a resource.
func id(n byte) uuid.UUID { return uuid.UUID{15: n} }

const (
	author = iota + 1
	other
	third
)

func process(state domain.ProcessState) *domain.Process {
	return &domain.Process{ID: id(9), State: state, Audit: domain.NewAudit(id(author), at(0))}
}

func TestProcessActions(t *testing.T) {
	t.Parallel()
	const (
		running   = domain.ProcessRunning
		completed = domain.ProcessCompleted
		cancelled = domain.ProcessCancelled
	)
	complete := (*domain.Process).Complete
	cancel := (*domain.Process).Cancel
	for _, c := range []struct {
		name     string
		act      func(*domain.Process, uuid.UUID, time.Time) (bool, error)
		from, to domain.ProcessState
		refused  bool
	}{
		{"complete a running one", complete, running, completed, false},
		{"complete again", complete, completed, completed, false},
		{"complete a cancelled one", complete, cancelled, cancelled, true},
		{"cancel a running one", cancel, running, cancelled, false},
		{"cancel again", cancel, cancelled, cancelled, false},
		{"cancel a completed one", cancel, completed, completed, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := process(c.from)
			changed, err := c.act(p, id(other), at(1))
			require.Equal(t, c.refused, domain.HasCode(err, domain.CodeInvalidState), "%v", err)
			require.Equal(t, c.refused, err != nil)
			require.Equal(t, c.from != c.to, changed)
			want := process(c.to)
			if changed {
				want.LastModifiedBy, want.LastModifiedAt = id(other), at(1)
			}
			require.Equal(t, want, p)
			require.Equal(t, c.to != running, p.Finished())
		})
	}
}

func TestProcessWrite(t *testing.T) {
	t.Parallel()
	manager := domain.ProcessRights{Manages: true}
	require.NoError(t, process(domain.ProcessRunning).CheckMayWrite(manager))
	require.NoError(t, process(domain.ProcessCompleted).CheckMayManage(manager))
	for _, state := range []domain.ProcessState{domain.ProcessCompleted, domain.ProcessCancelled} {
		require.Equal(t, domain.ProcessFinished(), process(state).CheckMayWrite(manager))
	}
	// A caller that may not write does not learn that the process is finished.
	for _, state := range []domain.ProcessState{domain.ProcessRunning, domain.ProcessCompleted, domain.ProcessCancelled} {
		require.True(t, domain.HasCode(process(state).CheckMayWrite(domain.ProcessRights{}), domain.CodeAccessDenied))
		require.True(t, domain.HasCode(process(state).CheckMayManage(domain.ProcessRights{}), domain.CodeAccessDenied))
	}
}

func TestProcessValues(t *testing.T) {
	t.Parallel()
	value := domain.JSONValue{Valid: true, Value: []byte(`{"a":1}`)}
	p := process(domain.ProcessRunning)
	p.SetMetadata(value, id(other), at(1))
	require.Equal(t, &value, p.Metadata)
	require.Nil(t, p.Entity)
	p.SetEntity(value, id(third), at(2))
	require.Equal(t, &value, p.Entity)
	require.Equal(t, domain.Audit{
		CreatedBy: id(author), CreatedAt: at(0), LastModifiedBy: id(third), LastModifiedAt: at(2),
	}, p.Audit)
}

func TestDefinitionRights(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rights     domain.DefinitionRights
		sees, able bool
	}{
		{domain.DefinitionRights{}, false, false},
		{domain.DefinitionRights{Views: true}, true, false},
		{domain.DefinitionRights{Initiates: true}, true, true},
		{domain.DefinitionRights{Manages: true}, true, true},
	} {
		require.Equal(t, c.sees, c.rights.Sees(), "%+v", c.rights)
		require.Equal(t, c.able, c.rights.MayStart(), "%+v", c.rights)
	}
}

func TestChangingTheInitiatorOfAProcess(t *testing.T) {
	t.Parallel()
	p := process(domain.ProcessRunning)
	p.InitiatorID = id(author)
	want := *p
	require.False(t, p.ChangeInitiator(id(author), id(other), at(1)))
	require.Equal(t, want, *p)
	require.True(t, p.ChangeInitiator(id(third), id(other), at(1)))
	want.InitiatorID, want.LastModifiedBy, want.LastModifiedAt = id(third), id(other), at(1)
	require.Equal(t, want, *p)
}
