package dispatch_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/webhooks"
)

// Every public event is delivered in each payload version that names it.
func TestEveryPublicEventIsDelivered(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	receivers := map[domain.PayloadVersion]*receiver{}
	for _, version := range domain.PayloadVersions() {
		receivers[version] = newReceiver(t)
		h.subscribe("north", "ALL-"+string(version), receivers[version].server.URL, fmt.Sprintf(`,"payloadVersion":%q,"eventTypes":["%s"]`,
			version, strings.Join(domain.PublicEventNames(version), `","`)))
	}
	h.startDispatchers(1)
	item := uuid.New()
	subjects := map[string]string{}
	require.NoError(t, h.db.Record(t.Context(), domain.Call{}, func(*persistence.Tx) (events domain.Events, _ error) {
		for _, public := range domain.PublicEvents() {
			e := domain.Event{
				ID: uuid.New(), Type: public.Type, TenantID: h.ids["north/north"], ResourceKind: public.Subject, ResourceID: uuid.New(),
				ActorID: uuid.New(), OccurredAt: time.Now(),
			}
			if public.Subject == domain.ResourceItem {
				e.ItemID, e.ItemType, e.TaskState, e.ResourceID = &item, domain.ItemTask, domain.TaskReady, item
			}
			if public.Operational && public.Subject != domain.ResourceProcess {
				e.State = "OPEN"
			} else if public.Subject != domain.ResourceArtifact {
				e.ProcessID, e.ProcessState = uuid.New(), domain.ProcessRunning
			}
			if public.Subject == domain.ResourceProcess {
				e.ResourceID = e.ProcessID
			}
			subjects[e.ID.String()] = e.ResourceID.String()
			if public.Subject == domain.ResourceTaskQueue || public.Subject == domain.ResourceCertificate {
				name := "name-" + e.ID.String()
				e = e.With("taskQueue", name).With("certificate", name)
				subjects[e.ID.String()] = name
			}
			events = append(events, e)
		}
		return events, nil
	}))
	h.waitForDeliveries()
	for version, r := range receivers {
		names := domain.PublicEventNames(version)
		slices.Sort(names)
		require.Equal(t, names, r.listTypes(), version)
		for _, m := range r.listRequests() {
			require.Contains(t, string(m.Body), subjects[m.ID], m.Type)
		}
	}
}

// Exactly the events named by domain.Event.NameIn are delivered; OnRequest types only
// to subscriptions that name types.
func TestFanOutAgreesWithPublicEvents(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	versions := map[uuid.UUID]domain.PayloadVersion{}
	named := map[uuid.UUID]bool{}
	for _, version := range domain.PayloadVersions() {
		types := `,"eventTypes":["` + strings.Join(domain.PublicEventNames(version), `","`) + `"]`
		for code, more := range map[string]string{"ALL": "", "NAMED": types} {
			code += "-" + string(version)
			h.subscribe("north", code, "https://example.com/"+code, fmt.Sprintf(`,"payloadVersion":%q%s`, version, more))
			id := h.ids["north/"+code]
			versions[id], named[id] = version, more != ""
		}
	}
	item := uuid.New()
	var events []domain.Event
	for _, eventType := range append(domain.PublicEventTypes(), domain.EventSecretIssued) {
		for _, e := range []domain.Event{
			{},
			{ItemID: &item, ItemType: domain.ItemTask, TaskState: domain.TaskReady},
			{ItemID: &item, ItemType: domain.ItemThread},
		} {
			e.ID, e.Type, e.TenantID = uuid.New(), eventType, h.ids["north/north"]
			e.ResourceKind, e.ResourceID = domain.ResourceProcess, uuid.New()
			e.ActorID, e.OccurredAt = uuid.New(), time.Now()
			events = append(events, e)
		}
	}
	var want []string
	for i := range events {
		for id, version := range versions {
			name, ok := events[i].NameIn(version)
			if public, _ := events[i].Type.Public(); ok && (named[id] || !public.OnRequest) {
				want = append(want, fmt.Sprint(events[i].ID, id, name))
			}
		}
	}
	require.NoError(t, h.db.Record(t.Context(), domain.Call{}, func(*persistence.Tx) (domain.Events, error) { return events, nil }))
	h.waitFor("the fan-out", func() bool {
		_, err := webhooks.ExchangeDeliveries(t.Context(), h.db, webhooks.DeliveryExchange{FanOut: 1000, Now: time.Now()})
		require.NoError(t, err)
		return h.eventsRead()
	})
	conn, err := pgx.Connect(t.Context(), h.url)
	require.NoError(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	rows, err := conn.Query(t.Context(), `SELECT event_id, subscription_id, event_type FROM webhook_deliveries`)
	require.NoError(t, err)
	got, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		var event, endpoint uuid.UUID
		var name string
		err := row.Scan(&event, &endpoint, &name)
		return fmt.Sprint(event, endpoint, name), err
	})
	require.NoError(t, err)
	slices.Sort(want)
	slices.Sort(got)
	require.Equal(t, want, got)
}

// An exchange without new events takes no locks and writes no WAL.
func TestExchangeWithoutEventsWritesNothing(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.subscribe("north", "HOOK", "https://example.com/", "")
	h.createProcess("north", "LOAN")
	exchange := func() {
		_, err := webhooks.ExchangeDeliveries(t.Context(), h.db, webhooks.DeliveryExchange{FanOut: 1000, ScanAll: true, Now: time.Now()})
		require.NoError(t, err)
	}
	h.waitFor("the fan-out", func() bool {
		exchange()
		return h.eventsRead()
	})
	locked := `SELECT xmax::text::bigint FROM webhook_cursor`
	before := h.queryCount(locked)
	for range 3 {
		exchange()
	}
	require.Equal(t, before, h.queryCount(locked))
}
