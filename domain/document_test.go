package domain_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

func TestWhoMayAttachDocuments(t *testing.T) {
	t.Parallel()
	running := domain.Process{State: domain.ProcessRunning}
	require.NoError(t, running.CheckMayAttach(domain.ProcessRights{Manages: true}, false))
	require.NoError(t, running.CheckMayAttach(domain.ProcessRights{}, true))
	require.True(t, domain.HasCode(running.CheckMayAttach(domain.ProcessRights{}, false), domain.CodeAccessDenied))
	for _, state := range []domain.ProcessState{domain.ProcessCompleted, domain.ProcessCancelled} {
		finished := domain.Process{State: state}
		require.True(t, domain.HasCode(finished.CheckMayAttach(domain.ProcessRights{Manages: true}, false), domain.CodeProcessFinished))
		require.NoError(t, finished.CheckMayAttach(domain.ProcessRights{}, true), "for the open task")
		// A caller that may not attach does not learn the state.
		require.True(t, domain.HasCode(finished.CheckMayAttach(domain.ProcessRights{}, false), domain.CodeAccessDenied))
	}
}

func TestACopySharesNothingButTheBytes(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC)
	original := domain.Document{
		ID: uuid.New(), TenantID: uuid.New(), OwnerKind: domain.DocumentOfProcess, OwnerID: uuid.New(), BlobID: uuid.New(),
		Name: "a.txt", ContentType: "text/plain", Size: 3, SHA256: [32]byte{1}, ExpiresAt: &now, CreatedBy: uuid.New(),
	}
	owner, by, id := domain.DocumentOwner{Kind: domain.DocumentOfArtifact, ID: uuid.New()}, uuid.New(), uuid.New()
	made := original.Copy(id, owner, by, now)
	want := original
	want.ID, want.OwnerKind, want.OwnerID, want.ExpiresAt, want.CreatedBy, want.CreatedAt = id, owner.Kind, owner.ID, nil, by, now
	require.Equal(t, want, made)
	require.Equal(t, owner, made.Owner())
	require.NotNil(t, original.ExpiresAt)
}
