package webhook_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/events/webhook"
)

var update = flag.Bool("update", false, "write the bodies that tests see to testdata instead of comparing")

// eventOf creates an event of a type about an item; of a process when the item type
// is "".
func eventOf(eventType domain.EventType, item domain.ItemType, state domain.TaskState, code string) domain.Event {
	e := domain.Event{
		ID:        uuid.MustParse("01970000-0000-7000-8000-0000000000e1"),
		TenantID:  uuid.MustParse("01970000-0000-7000-8000-0000000000f1"),
		ProcessID: uuid.MustParse("01970000-0000-7000-8000-0000000000a1"),
		ActorID:   uuid.MustParse("01970000-0000-7000-8000-0000000000c1"),
		Type:      eventType,
		// Elsewhere, to see that times are in UTC.
		OccurredAt: time.Date(2024, 6, 14, 12, 0, 0, 123456000, time.FixedZone("", 2*60*60)),
	}
	if item == "" {
		e.ProcessState = domain.ProcessRunning
		return e
	}
	id := uuid.MustParse("01970000-0000-7000-8000-0000000000b1")
	e.ItemID, e.ItemType, e.TaskState, e.ItemDefinitionCode = &id, item, state, code
	return e
}

// aboutArtifact creates an event of a business artifact.
func aboutArtifact(eventType domain.EventType) domain.Event {
	e := eventOf(eventType, "", "", "").With("definitionCode", "CUSTOMER")
	e.ProcessID, e.ProcessState = uuid.Nil, ""
	e.ResourceKind, e.ResourceID = domain.ResourceArtifact, uuid.MustParse("01970000-0000-7000-8000-0000000000d1")
	return e
}

// operational creates an event about the operation of the installation.
func operational(eventType domain.EventType, state string, details map[string]string) domain.Event {
	e := eventOf(eventType, "", "", "")
	e.ProcessState, e.State, e.Details = "", state, details
	if state == "" {
		e.ProcessID = uuid.Nil
	}
	e.ResourceID = uuid.MustParse("01970000-0000-7000-8000-0000000000d1")
	return e
}

// conditionChanged creates the event of a process that fails.
func conditionChanged() domain.Event {
	e := eventOf(domain.EventProcessConditionChanged, "", "", "").From("RUNNING")
	e.State = "FAILED"
	return e
}

// pinged creates the test event of a subscription.
func pinged() domain.Event {
	e := eventOf(domain.EventWebhookPinged, "", "", "")
	e.ProcessID, e.ResourceID = uuid.Nil, uuid.MustParse("01970000-0000-7000-8000-0000000000d1")
	return e
}

func TestRender(t *testing.T) {
	t.Parallel()
	for _, example := range examples() {
		t.Run(example.name, func(t *testing.T) {
			t.Parallel()
			b, ok, err := webhook.Render(domain.PayloadB, &example.event)
			require.NoError(t, err)
			require.True(t, ok)
			requireGolden(t, example.name+"-b", b)
			requireType(t, domain.PayloadB, &example.event, b)

			a, ok, err := webhook.Render(domain.PayloadA, &example.event)
			require.NoError(t, err)
			require.Equal(t, example.inA, ok)
			if example.inA {
				requireGolden(t, example.name+"-a", a)
				requireType(t, domain.PayloadA, &example.event, a)
			} else {
				require.Nil(t, a)
			}
		})
	}
}

func TestRenderNothing(t *testing.T) {
	t.Parallel()
	withoutItem := eventOf(domain.EventItemTaskStateChanged, domain.ItemTask, domain.TaskReady, "CHECK")
	withoutItem.ItemID = nil
	for name, event := range map[string]domain.Event{
		"for the audit alone":            eventOf("DOCUMENT.DOWNLOADED", "", "", ""),
		"a task without its id":          withoutItem,
		"the task state of what is none": eventOf(domain.EventItemTaskStateChanged, domain.ItemThread, domain.TaskReady, "T"),
	} {
		for _, version := range []domain.PayloadVersion{domain.PayloadA, domain.PayloadB, "", "C"} {
			rendered, ok, err := webhook.Render(version, &event)
			require.NoError(t, err)
			require.False(t, ok, name)
			require.Nil(t, rendered)
		}
	}
	for _, version := range []domain.PayloadVersion{"", "C"} {
		event := eventOf(domain.EventProcessStateChanged, "", "", "")
		_, ok, err := webhook.Render(version, &event)
		require.NoError(t, err)
		require.False(t, ok)
	}
}

// requireType wants the body to have the type that NameIn returns.
func requireType(t *testing.T, version domain.PayloadVersion, e *domain.Event, rendered []byte) {
	t.Helper()
	name, ok := e.NameIn(version)
	require.True(t, ok)
	var got struct{ Type string }
	require.NoError(t, json.Unmarshal(rendered, &got))
	require.Equal(t, name, got.Type)
}

// requireGolden wants the bytes that the file of this name in testdata has; they
// are signed, so white space counts.
func requireGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name+".json")
	if *update {
		require.NoError(t, os.WriteFile(path, append(got, '\n'), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(bytes.TrimSuffix(want, []byte("\n"))), string(got))
}
