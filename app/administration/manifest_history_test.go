package administration_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// specsOf returns two specs of a kind.
func specsOf(kind resource.Kind) (first, second string) {
	both := map[resource.Kind][2]string{
		resource.KindUser:          {`{"name":"A","email":"a@north.example"}`, `{"name":"A","email":"a@north.example","role":"ADMINISTRATOR"}`},
		resource.KindGroup:         {`{"name":"A"}`, `{"name":"A","members":[{"user":"ines"}]}`},
		resource.KindDataStructure: {`{"name":"A","schema":{"type":"object"}}`, `{"name":"B","schema":{"type":"object"}}`},
		resource.KindEncryptionKey: {`{"description":"A"}`, `{"description":"B"}`},
		resource.KindDataSource:    {`{"name":"A","runner":"worker","taskQueue":"q"}`, `{"name":"B","runner":"worker","taskQueue":"q"}`},
		resource.KindCalendar: {
			`{"name":"A","timeZone":"UTC","hours":[{"days":["MONDAY"],"from":"09:00","to":"17:00"}]}`,
			`{"name":"B","timeZone":"UTC","hours":[{"days":["MONDAY"],"from":"09:00","to":"17:00"}]}`,
		},
		resource.KindAbsence: {
			`{"user":"ines","substitute":"carl","from":"2027-05-03T00:00:00Z","until":"2027-05-10T00:00:00Z"}`,
			`{"user":"ines","substitute":"carl","from":"2027-05-03T00:00:00Z","until":"2027-05-11T00:00:00Z"}`,
		},
		resource.KindProcessDefinition: {`{"name":"A","state":"DRAFT"}`, `{"name":"B","state":"DRAFT"}`},
		resource.KindBusinessArtifactDefinition: {
			`{"name":"A","permissions":{"viewers":[{"user":"ines"}]}}`, `{"name":"A","permissions":{"viewers":[{"user":"carl"}]}}`,
		},
		resource.KindNotificationReceiver: {
			`{"name":"A","type":"EMAIL","addresses":["a@a.example"]}`, `{"name":"A","type":"EMAIL","addresses":["b@a.example"]}`,
		},
		resource.KindWebhookSubscription: {`{"name":"A","url":"https://a.example/"}`, `{"name":"A","url":"https://b.example/"}`},
	}
	if specs, ok := both[kind]; ok {
		return specs[0], specs[1]
	}
	return `{"name":"A"}`, `{"name":"B"}`
}

// recordedChanges waits until the changes of a resource are in the log, and
// returns their events with the manifests, the oldest first.
func (c *configured) recordedChanges(caller domain.Call, id uuid.UUID, count int) []administration.EventRecord {
	c.t.Helper()
	var events []domain.Event
	require.Eventually(c.t, func() bool {
		var err error
		events, _, err = c.FindEvents(c.t.Context(), caller, administration.EventFilter{
			ResourceIDs: []uuid.UUID{id},
			Types:       []domain.EventType{domain.EventResourceCreated, domain.EventResourceChanged, domain.EventResourceDeleted},
		}, administration.EventRange{Limit: 100})
		return err == nil && len(events) >= count
	}, 30*time.Second, 10*time.Millisecond)
	require.Len(c.t, events, count)
	records := make([]administration.EventRecord, len(events))
	for i, e := range events {
		record, err := c.RetrieveEvent(c.t.Context(), caller, e.ID)
		require.NoError(c.t, err)
		records[i] = *record
	}
	return records
}

// specText returns the spec of a manifest as JSON, "" for no manifest.
func (c *configured) specText(d *resource.Document) string {
	c.t.Helper()
	if d == nil {
		return ""
	}
	text, err := d.SpecJSON()
	require.NoError(c.t, err)
	return string(text)
}

func TestEveryKindRecordsItsManifests(t *testing.T) {
	t.Parallel()
	c := newKeyed(t).configured
	for _, kind := range resource.Kinds() {
		tenant, code := "north", "thing"
		if kind == resource.KindTenant {
			tenant, code = "", "east"
		}
		first, second := specsOf(kind)
		put := func(spec, reason string, want administration.ApplyAction) administration.AppliedResource {
			applied, err := c.ApplyResources(t.Context(), system(), administration.ApplyRequest{
				Documents: []json.RawMessage{labelled(document(string(kind), tenant, code, spec), "of", reason)}, Reason: reason,
			})
			require.NoError(t, err, kind)
			require.Equal(t, want, applied[0].Action, kind)
			return applied[0]
		}
		made := put(first, "one", administration.ApplyCreated)
		put(first, "one", administration.ApplyUnchanged)
		changed := put(second, "two", administration.ApplyConfigured)
		reasons := []string{"one", "two"}
		if kind != resource.KindTenant {
			require.NoError(t, c.DeleteResource(t.Context(), system(), made.Key, "three", nil), kind)
			reasons = append(reasons, "three")
		}
		states := []string{"", c.specText(made.After), c.specText(changed.After), ""}
		records := c.recordedChanges(system(), made.ID, len(reasons))
		for i, record := range records {
			require.Equal(t, reasons[i], record.Details["reason"], kind)
			require.Equal(t, states[i], c.specText(record.Before), kind)
			require.Equal(t, states[i+1], c.specText(record.After), kind)
			for at, d := range map[int]*resource.Document{i: record.Before, i + 1: record.After} {
				if d != nil {
					require.Equal(t, made.Key, d.Key())
					require.Equal(t, map[string]string{"of": reasons[at-1]}, d.Metadata.Labels, kind)
				}
			}
		}
	}
}

// Pruned resources, and resources whose manifest was replaced before the history began, are recorded as far as they are known.
func TestManifestsOfPrunedAndOlderResources(t *testing.T) {
	t.Parallel()
	c := newConfigured(t)
	old := c.id(resource.KindGroup, "north", "CLERKS")
	_, err := c.connect().Exec(t.Context(), `ALTER TABLE resources DISABLE TRIGGER record_manifest`)
	require.NoError(t, err)
	_, err = c.connect().Exec(t.Context(), `UPDATE resources SET manifest_event = NULL WHERE id = $1`, old)
	require.NoError(t, err)
	_, err = c.connect().Exec(t.Context(), `ALTER TABLE resources ENABLE TRIGGER record_manifest`)
	require.NoError(t, err)
	c.apply(system(), document("Group", "north", "CLERKS", `{"name":"Clerks"}`),
		labelled(document("Group", "north", "SHORT", `{"name":"Short"}`), "app", "x"))
	records := c.recordedChanges(system(), old, 2)
	require.Nil(t, records[0].After)
	require.Contains(t, c.specText(records[1].Before), "carl")
	require.NotContains(t, c.specText(records[1].After), "carl")

	_, err = c.ApplyResources(t.Context(), system(), administration.ApplyRequest{
		Prune: &administration.Prune{Tenant: "north", Selector: resource.Selector{"app": "x"}}, Reason: "merged",
	})
	require.NoError(t, err)
	records = c.recordedChanges(system(), c.id(resource.KindGroup, "north", "SHORT"), 2)
	require.Equal(t, "merged", records[1].Details["reason"])
	require.Contains(t, c.specText(records[1].Before), "Short")
}

// A previous release replaces manifests without naming an event.
func TestUpdatesWithoutAnEventAreRecorded(t *testing.T) {
	t.Parallel()
	c := newConfigured(t)
	id := c.id(resource.KindGroup, "north", "CLERKS")
	made := c.recordedChanges(system(), id, 1)[0]
	_, err := c.connect().Exec(t.Context(),
		`UPDATE resources SET spec = '{"name":"Other"}', last_modified_at = last_modified_at + interval '1 second' WHERE id = $1`, id)
	require.NoError(t, err)
	again, err := c.RetrieveEvent(t.Context(), system(), made.ID)
	require.NoError(t, err)
	require.Equal(t, c.specText(made.After), c.specText(again.After))
	require.Equal(t, 1, c.count(`SELECT count(*) FROM manifest_history h JOIN resources r ON r.id = h.resource_id
		WHERE h.resource_id = $1 AND h.until = r.manifest_since AND r.manifest_event IS NULL`, id))
}

func TestReasonsAreLimited(t *testing.T) {
	t.Parallel()
	c := newConfigured(t)
	group := []json.RawMessage{document("Group", "north", "CLERKS", `{"name":"Clerks"}`)}
	apply := func(reason string) error {
		_, err := c.ApplyResources(t.Context(), system(), administration.ApplyRequest{Documents: group, Reason: reason})
		return err
	}
	before := c.dump()
	long := strings.Repeat("ß", administration.MaxReason+1)
	require.True(t, domain.HasCode(apply(long), domain.CodeValidation))
	require.True(t, domain.HasCode(c.DeleteResource(t.Context(), system(),
		resource.Key{Tenant: "north", Kind: resource.KindApplication, Code: "worker"}, long, nil), domain.CodeValidation))
	require.Equal(t, before, c.dump())
	require.NoError(t, apply(long[:len(long)-len("ß")]))
}

// An event is visible to owners and administrators of its tenant and to operators.
func TestEventsAreRetrievedByAdministrators(t *testing.T) {
	t.Parallel()
	c := newConfigured(t)
	event := c.recordedChanges(system(), c.id(resource.KindGroup, "north", "CLERKS"), 1)[0].ID
	for name, of := range map[string]struct {
		call domain.Call
		sees bool
	}{
		"owner":         {c.caller("north", "olga", domain.RoleOwner), true},
		"administrator": {c.caller("north", "anna", domain.RoleAdministrator), true},
		"member":        {c.caller("north", "ines", domain.RoleMember), false},
		"other tenant":  {c.caller("south", "erik", domain.RoleOwner), false},
	} {
		_, err := c.RetrieveEvent(t.Context(), of.call, event)
		require.Equal(t, of.sees, err == nil, name)
		require.Equal(t, !of.sees, domain.HasCode(err, domain.CodeNotFound), name)
	}
}

func TestErasedPeopleLeaveTheHistory(t *testing.T) {
	t.Parallel()
	c := newConfigured(t)
	c.apply(system(), document("User", "north", "ines",
		`{"name":"Ines Infante","email":"ines@north.example","metadata":{"desk":"4711"},"disabled":true}`))
	require.Positive(t, c.count(`SELECT count(*) FROM manifest_history h WHERE h.spec::text LIKE '%ines@north.example%'`))
	_, err := c.DisablePerson(t.Context(), "ines@north.example", true)
	require.NoError(t, err)
	_, err = c.ErasePerson(t.Context(), "ines@north.example")
	require.NoError(t, err)
	for table, content := range c.dump() {
		for _, personal := range []string{"Infante", "ines@north", "4711"} {
			require.NotContains(t, content, personal, table)
		}
	}
	records := c.recordedChanges(system(), c.id(resource.KindUser, "north", "ines"), 2)
	require.JSONEq(t, fmt.Sprintf(`{"name":"Erased user","email":"erased-%s@erased.invalid","role":"MEMBER"}`,
		c.id(resource.KindUser, "north", "ines")), c.specText(records[1].Before))
}
