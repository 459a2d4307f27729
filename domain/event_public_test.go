package domain_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

func TestPublicEvents(t *testing.T) {
	t.Parallel()
	seen := map[domain.EventType]bool{}
	for _, public := range domain.PublicEvents() {
		require.False(t, seen[public.Type], "%s is listed twice", public.Type)
		seen[public.Type] = true
		require.NotEmpty(t, public.NameB, "the feed names every public event: %s", public.Type)
		require.Equal(t, !public.Operational, slices.Contains(domain.FeedEventTypes(), public.Type))
		require.True(t, public.OnRequest || !public.Operational, "subscriptions get operational events on request: %s", public.Type)
		require.True(t, public.Operational || slices.Contains([]domain.EventResource{
			domain.ResourceProcess, domain.ResourceItem, domain.ResourceArtifact,
		}, public.Subject), "the feed shows events of these by visibility: %s", public.Type)
		require.True(t, domain.Event{Type: public.Type}.Public())
	}
	require.Len(t, domain.PublicEventTypes(), len(seen))
	require.False(t, domain.Event{Type: domain.EventSecretIssued}.Public())
}

func TestNameIn(t *testing.T) {
	t.Parallel()
	id := uuid.New()
	for name, c := range map[string]struct {
		event domain.Event
		a, b  string
	}{
		"process created":  {event: domain.Event{Type: domain.EventProcessCreated}, b: "PROCESS.CREATED"},
		"process changed":  {event: domain.Event{Type: domain.EventProcessStateChanged}, a: "PROCESS.STATE_CHANGED", b: "PROCESS.STATE_CHANGED"},
		"item created":     {event: domain.Event{Type: domain.EventItemCreated, ItemID: &id, ItemType: domain.ItemThread}, b: "PROCESS_ITEM.CREATED"},
		"item without id":  {event: domain.Event{Type: domain.EventItemCreated, ItemType: domain.ItemTask}},
		"task changed":     {event: domain.Event{Type: domain.EventItemTaskStateChanged, ItemID: &id, ItemType: domain.ItemTask}, a: "TASK.STATE_CHANGED", b: "PROCESS_ITEM.TASK_STATE_CHANGED"},
		"thread changed":   {event: domain.Event{Type: domain.EventItemTaskStateChanged, ItemID: &id, ItemType: domain.ItemThread}},
		"artifact deleted": {event: domain.Event{Type: domain.EventArtifactDeleted}, b: "BUSINESS_ARTIFACT.DELETED"},
		"ping":             {event: domain.Event{Type: domain.EventWebhookPinged}, a: "PING", b: "PING"},
		"not public":       {event: domain.Event{Type: domain.EventSecretIssued}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for version, want := range map[domain.PayloadVersion]string{domain.PayloadA: c.a, domain.PayloadB: c.b, "": "", "C": ""} {
				got, ok := c.event.NameIn(version)
				require.Equal(t, want, got, version)
				require.Equal(t, want != "", ok, version)
			}
		})
	}
}
