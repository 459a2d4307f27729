package storage_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/events"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

func TestWriteTakesTheEventsOfAChange(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	recorded := 0
	s := storage.New(storage.Options{DB: db, Clock: time.Now, Recorded: func() { recorded++ }})
	event := domain.Event{
		ID: uuid.New(), TenantID: uuid.New(), Type: domain.EventProcessCreated, ResourceKind: domain.ResourceProcess,
		ResourceID: uuid.New(), ActorID: uuid.New(), OccurredAt: s.Now(),
	}
	namespaces := 0
	for name, c := range map[string]struct {
		events  domain.Events
		changes bool
		stored  bool
	}{
		"a change without events is refused":        {nil, true, false},
		"no change needs none":                      {nil, false, false},
		"state of the service changes without them": {domain.NoEvents(), true, true},
		"events are recorded with the change":       {domain.Events{event}, true, true},
	} {
		namespaces++
		namespace := fmt.Sprintf("tenant-%d", namespaces)
		err := s.Write(t.Context(), domain.Call{}, func(tx *persistence.Tx) (domain.Events, error) {
			if c.changes {
				tx.PutTenant(domain.Tenant{
					ID: uuid.New(), Name: name, Plan: domain.PlanFree, Namespace: namespace, TimeZone: "Etc/UTC",
					Audit: domain.NewAudit(domain.SystemPrincipalID(), s.Now()),
				})
			}
			return c.events, nil
		})
		require.Equal(t, c.changes && !c.stored, err != nil, "%s: %v", name, err)
		stored, err := db.Reader().ListNamespaces(t.Context())
		require.NoError(t, err)
		require.Equal(t, c.stored, slices.Contains(stored, namespace), name)
	}
	require.Equal(t, 1, recorded, "one of them is for subscribers")
	batch, err := events.ListAfter(t.Context(), db.Reader(), domain.EventCursor{}, 10, domain.EventProcessCreated)
	require.NoError(t, err)
	require.True(t, len(batch.Events) == 1 || batch.Pending, "it is recorded, and may wait for other transactions")
}
