package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/internal/testkit/contracttest"
	"github.com/procession-dev/procession/persistence"
)

func TestCreatingABusinessArtifact(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := uuid.New()
	body := customerBody(`{"name":"Acme","balance":1.50}`, `"id":"`+id.String()+`"`)
	created := s.post(201, demo.LoanWorker(), "/business-artifacts", body)
	a := decode[oasb.BusinessArtifact](t, created)
	require.Equal(t, id, a.ID)
	require.Equal(t, demo.TenantDemo(), a.TenantID)
	require.Equal(t, oasb.BusinessArtifactDefinitionRef{ID: customers(), Code: "CUSTOMER"}, a.BusinessArtifactDefinitionRef)
	require.True(t, *a.Data.Valid)
	require.Equal(t, demo.LoanWorker().ID, *a.CreatedBy)
	require.Equal(t, *a.CreatedAt, *a.LastModifiedAt)
	require.Equal(t, created.body, s.get(200, demo.Alice(), artifactPath(id, "")).body)

	// Creating with an existing id returns the artifact unchanged. It is a
	// conflict for another definition and for a caller to whom the artifact is
	// not visible.
	s.post(201, demo.LoanWorker(), "/business-artifacts", customerBody(`{"name":"Bolt"}`))
	before := s.snapshot()
	again := strings.Replace(body, "Acme", "Other", 1)
	require.Equal(t, created.body, s.post(200, demo.Alice(), "/business-artifacts", again).body)
	byCode := `{"id":"` + id.String() + `","tenantId":"` + demo.TenantDemo().String() + `","businessArtifactDefinitionCode":"CUSTOMER"}`
	require.Equal(t, created.body, s.post(200, demo.Alice(), "/business-artifacts", byCode).body)
	for _, definition := range []string{
		`"businessArtifactDefinitionId":"` + uuid.NewString() + `"`, `"businessArtifactDefinitionCode":"NONE","tenantId":"` + demo.TenantDemo().String() + `"`,
		`"businessArtifactDefinitionCode":"CUSTOMER","tenantId":"` + demo.TenantOther().String() + `"`,
	} {
		s.refused(409, "CONFLICT", demo.Alice(), "POST", "/business-artifacts", `{"id":"`+id.String()+`",`+definition+`}`)
	}
	failure := s.refused(409, "CONFLICT", demo.Stranger(), "POST", "/business-artifacts", byCode)
	require.Equal(t, "the id is already in use", failure.Message)
	require.Equal(t, failure.Message, s.refused(409, "CONFLICT", demo.OtherWorker(), "POST", "/business-artifacts", byCode).Message)

	// Creations that are refused.
	for name, c := range map[string]struct {
		body           string
		status         int
		code, location string
	}{
		"unknown definition":   {`{"businessArtifactDefinitionId":"` + uuid.NewString() + `"}`, 404, "DEFINITION_NOT_FOUND", ""},
		"unknown code":         {`{"businessArtifactDefinitionCode":"NONE","tenantId":"` + demo.TenantDemo().String() + `"}`, 404, "DEFINITION_NOT_FOUND", ""},
		"process definition":   {`{"businessArtifactDefinitionId":"` + demo.Loan().String() + `"}`, 404, "DEFINITION_NOT_FOUND", ""},
		"number out of bounds": {customerBody(`{"name":"A","balance":1e999}`), 400, "VALIDATION", "/balance"},
	} {
		failure := s.refused(c.status, c.code, demo.Alice(), "POST", "/business-artifacts", c.body)
		require.Equal(t, c.location, failure.Errors[0].Location, name)
	}
	for _, body := range []string{
		`{"data":{"value":{}}}`, `{"tenantId":"` + demo.TenantDemo().String() + `"}`,
		customerBody(`[1]`), customerBody(`null`),
	} {
		got := s.send(contracttest.Invalid(request(t, demo.Alice(), "POST", "/business-artifacts", body)))
		require.Equal(t, 400, got.status, "%s: %s", body, got.body)
	}
	require.Equal(t, before, s.snapshot())

	// Without a value the data are an empty object, as the definition has a
	// schema.
	empty := decode[oasb.BusinessArtifact](t, s.post(201, demo.Alice(), "/business-artifacts",
		`{"businessArtifactDefinitionId":"`+customers().String()+`"}`))
	require.JSONEq(t, `{}`, string(empty.Data.Value))
	require.False(t, *empty.Data.Valid)
	require.Equal(t, "required", *empty.Data.Errors[0].Type)
}

// Concurrent creations with one id make one artifact.
func TestRacingCreatesMakeOneArtifact(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := uuid.NewString()
	bodies := make([]string, 16)
	statuses := make([]int, len(bodies))
	var group sync.WaitGroup
	for i := range bodies {
		r := request(t, demo.LoanWorker(), "POST", "/business-artifacts",
			customerBody(fmt.Sprintf(`{"name":"%d"}`, i), `"id":"`+id+`"`))
		group.Go(func() {
			if got, err := s.exchange(r); err == nil {
				bodies[i], statuses[i] = got.body, got.status
			}
		})
	}
	group.Wait()
	created := 0
	for i := range bodies {
		require.Equal(t, bodies[0], bodies[i])
		require.Contains(t, []int{200, 201}, statuses[i])
		created += statuses[i] - 200
	}
	require.Equal(t, 1, created)
	require.Len(t, s.found("", "name in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"), 1)
}

func TestSavingTheDataOfABusinessArtifact(t *testing.T) {
	t.Parallel()
	s := newService(t)
	a := s.customer(`{"name":"Acme","tier":"GOLD","balance":1}`)
	put := decode[oasb.BusinessArtifact](t, s.call(200, demo.Alice(), http.MethodPut, artifactPath(a.ID, "/data"),
		`{"data":{"value":{"tier":"BRONZE","balance":2},"valid":true,"errors":[]}}`))
	require.False(t, *put.Data.Valid)
	require.Len(t, put.Data.Errors, 2)
	require.Equal(t, "/tier", *put.Data.Errors[1].PropertyPath)
	require.Equal(t, "enum", *put.Data.Errors[1].Type)
	require.Equal(t, demo.Alice().ID, *put.LastModifiedBy)
	require.True(t, put.LastModifiedAt.After(*a.LastModifiedAt))
	require.Equal(t, a.CreatedAt, put.CreatedAt)
	require.Equal(t, put, s.retrieveArtifact(a.ID))
	require.Empty(t, s.found("", "name eq Acme"))
	requireIDs(t, s.found("", "tier eq BRONZE", "balance eq 2"), a)

	for _, mediaType := range []string{"application/json", "application/json-patch+json"} {
		r := request(t, demo.Alice(), http.MethodPatch, artifactPath(a.ID, "/data"),
			`[{"op":"add","path":"/name","value":"`+mediaType+`"},{"op":"replace","path":"/tier","value":"SILVER"}]`)
		r.Header.Set("Content-Type", mediaType)
		got := s.send(r)
		require.Equal(t, 200, got.status, got.body)
		patched := decode[oasb.BusinessArtifact](t, got)
		require.True(t, *patched.Data.Valid)
		require.Equal(t, patched, s.retrieveArtifact(a.ID))
		requireIDs(t, s.found("", "name eq "+strings.ReplaceAll(mediaType, "+", "%2B"), "tier eq SILVER", "balance eq 2"), a)
	}
	before := s.snapshot()
	for _, r := range []*http.Request{
		request(t, demo.Alice(), http.MethodPatch, artifactPath(a.ID, "/data"), `[{"op":"remove","path":"/name"},{"op":"test","path":"/tier","value":"GOLD"}]`),
		request(t, demo.Alice(), http.MethodPatch, artifactPath(a.ID, "/data"), `[{"op":"remove","path":"/none"}]`),
	} {
		got := s.send(r)
		require.Equal(t, 409, got.status)
		require.Contains(t, got.body, `"PATCH_FAILED"`)
	}
	unchanged := s.call(200, demo.Alice(), http.MethodPatch, artifactPath(a.ID, "/data"), `[]`)
	require.Equal(t, s.get(200, demo.Alice(), artifactPath(a.ID, "")).body, unchanged.body)
	require.Equal(t, before, s.snapshot())
}

// The workflows of the actions on an artifact that is deleted are asked to cancel
// and terminated later. Its documents stay.
func TestDeleteBusinessArtifactStopsActions(t *testing.T) {
	t.Parallel()
	s := newService(t)
	a := s.customer(`{"name":"Acme"}`)
	uri := s.upload(demo.Alice(), artifactPath(a.ID, ""), "text")
	s.call(200, demo.Alice(), http.MethodPut, artifactPath(a.ID, "/data"), `{"data":{"value":{"name":"Acme","file":"`+uri+`"}}}`)
	s.action(a.ID, `{"businessArtifactActionDefinitionCode":"RECALCULATE"}`)
	canceled := s.action(a.ID, `{"businessArtifactActionDefinitionCode":"RECALCULATE"}`)
	s.post(200, demo.Alice(), artifactPath(a.ID, "/actions/"+canceled.ID.String()+"/~actions/cancel"), "")
	const stops = `SELECT count(*) FROM engine_commands WHERE kind IN ('CANCEL', 'TERMINATE')`
	require.Equal(t, 2, s.count(stops))

	s.refused(403, "ACCESS_DENIED", s.editor(), http.MethodDelete, artifactPath(a.ID, ""), "")
	require.Equal(t, 2, s.count(stops))
	s.call(204, demo.Alice(), http.MethodDelete, artifactPath(a.ID, ""), "")
	require.Equal(t, 4, s.count(stops))
	require.Equal(t, 2, s.count("SELECT count(*) FROM business_artifact_actions WHERE status = 'CANCELED'"))
	require.Equal(t, "text", s.download(demo.Alice(), artifactPath(a.ID, ""), uri))
}

// editor is Bob, who through his group is an Editor of CUSTOMER.
func (s *service) editor() demo.Account {
	s.t.Helper()
	require.NoError(s.t, s.db.Write(s.t.Context(), func(tx *persistence.Tx) error {
		tx.GrantOnArtifact(customers(), demo.TenantDemo(), domain.PermissionArtifactEditor, demo.Reviewers())
		return nil
	}))
	return demo.Bob()
}

// The validity of stored data does not change with the schema until the data
// are saved again.
func TestDataAreCheckedWhenTheyAreSaved(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	define := func(schema string) {
		t.Helper()
		s.apply(s.as("owner"), document("north", "BusinessArtifactDefinition", "CAR", `{"name":"Car","dataSchema":`+schema+
			`,"permissions":{"editors":[{"application":"worker"}]}}`))
	}
	define(`{"required":["A"]}`)
	created := s.post(201, s.as("worker"), "/business-artifacts", `{"businessArtifactDefinitionCode":"CAR","data":{"value":{"A":1}}}`)
	a := decode[oasb.BusinessArtifact](t, created)
	require.True(t, *a.Data.Valid)
	define(`{"required":["B"]}`)
	require.Equal(t, created.body, s.get(200, s.as("worker"), artifactPath(a.ID, "")).body)
	saved := decode[oasb.BusinessArtifact](t, s.call(200, s.as("worker"), http.MethodPut, artifactPath(a.ID, "/data"), `{"data":{"value":{"A":1}}}`))
	require.False(t, *saved.Data.Valid)
	define(`{"required":["A"]}`)
	patched := decode[oasb.BusinessArtifact](t, s.call(200, s.as("worker"), http.MethodPatch, artifactPath(a.ID, "/data"),
		`[{"op":"test","path":"/A","value":1}]`))
	require.True(t, *patched.Data.Valid)
	// An Editor may not delete.
	s.refused(403, "ACCESS_DENIED", s.as("worker"), http.MethodDelete, artifactPath(a.ID, ""), "")
}

// A definition and its artifacts stay in step while both change at once: what is
// found is what is indexed, of all artifacts.
func TestReindexDuringArtifactWrites(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	define := func(field string) string {
		return applying("", document("north", "BusinessArtifactDefinition", "CAR", `{"name":"Car","dataSchema":{"properties":{"A":{},"B":{}}},"indexes":[{"field":"`+field+
			`","type":"STRING"}],"permissions":{"editors":[{"application":"worker"}]}}`))
	}
	s.post(200, s.as("owner"), applyPath, define("A"))
	const rounds, writers = 10, 4
	var group sync.WaitGroup
	failures := make(chan string, rounds*(writers+1))
	send := func(r *http.Request) {
		if got, err := s.exchange(r); err != nil || got.status >= 300 {
			failures <- fmt.Sprint(err, got.body)
		}
	}
	group.Go(func() {
		for i := range rounds {
			send(request(t, s.as("owner"), "POST", applyPath, define([]string{"B", "A"}[i%2])))
		}
	})
	for range writers {
		group.Go(func() {
			for range rounds {
				send(request(t, s.as("worker"), "POST", "/business-artifacts",
					`{"businessArtifactDefinitionCode":"CAR","data":{"value":{"A":"x","B":"x"}}}`))
			}
		})
	}
	group.Wait()
	close(failures)
	for failure := range failures {
		require.Fail(t, failure)
	}
	page := decode[oasb.BusinessArtifactPage](t, s.get(200, s.as("worker"), "/business-artifacts?value=A+eq+x"))
	require.EqualValues(t, rounds*writers, page.Metadata.TotalElements)
	require.Equal(t, rounds*writers, s.count(`SELECT count(*) FROM business_artifact_index WHERE field = 'A'`))
	require.Zero(t, s.count(`SELECT count(*) FROM business_artifact_index WHERE field <> 'A'`))
}
