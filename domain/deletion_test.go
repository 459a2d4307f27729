package domain_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

func TestProcessDelete(t *testing.T) {
	t.Parallel()
	by, now := uuid.New(), time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	manager := domain.ProcessRights{Manages: true}
	for name, c := range map[string]struct {
		state      domain.ProcessState
		rights     domain.ProcessRights
		inProgress bool
		code       domain.Code
	}{
		"completed":            {state: domain.ProcessCompleted, rights: manager},
		"cancelled":            {state: domain.ProcessCancelled, rights: manager},
		"running":              {state: domain.ProcessRunning, rights: manager, code: domain.CodeInvalidState},
		"something to be done": {state: domain.ProcessCompleted, rights: manager, inProgress: true, code: domain.CodeInvalidState},
		"not a Manager":        {state: domain.ProcessCompleted, code: domain.CodeAccessDenied},
	} {
		p := domain.Process{State: c.state}
		changed, err := p.Delete(c.rights, c.inProgress, by, now)
		if c.code != "" {
			require.True(t, domain.HasCode(err, c.code), name)
			require.Equal(t, domain.Process{State: c.state}, p, name)
			continue
		}
		require.NoError(t, err)
		require.True(t, changed)
		require.Equal(t, domain.Deletion{DeletedAt: &now, DeletedBy: &by}, p.Deletion)
		require.Equal(t, by, p.LastModifiedBy)
		require.True(t, domain.HasCode(p.CheckMayManage(manager), domain.CodeInvalidState))
		require.True(t, domain.HasCode(p.CheckMayWrite(manager), domain.CodeProcessFinished))
		changed, err = p.Delete(manager, false, uuid.New(), now.Add(time.Hour))
		require.NoError(t, err)
		require.False(t, changed)
		require.Equal(t, by, *p.DeletedBy)
	}
}

func TestBusinessArtifactDeleteAndRestore(t *testing.T) {
	t.Parallel()
	by, now := uuid.New(), time.Now()
	var a domain.BusinessArtifact
	require.False(t, a.Restore(by, now))
	require.NoError(t, a.RequireKept("business artifact"))
	require.True(t, a.Delete(by, now))
	require.False(t, a.Delete(uuid.New(), now))
	require.Equal(t, by, *a.DeletedBy)
	require.True(t, domain.HasCode(a.RequireKept("business artifact"), domain.CodeInvalidState))
	require.True(t, a.Restore(by, now))
	require.Equal(t, domain.Deletion{}, a.Deletion)
}
