package shapeb_test

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
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

func TestCreatingABusinessArtifact(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	id := uuid.New()
	body := apitest.CustomerBody(`{"name":"Acme","balance":1.50}`, `"id":"`+id.String()+`"`)
	created := s.Post(201, demo.LoanWorker(), "/business-artifacts", body)
	a := apitest.Decode[oasb.BusinessArtifact](t, created)
	require.Equal(t, id, a.ID)
	require.Equal(t, demo.TenantDemo(), a.TenantID)
	require.Equal(t, oasb.BusinessArtifactDefinitionRef{ID: apitest.Customers(), Code: "CUSTOMER"}, a.BusinessArtifactDefinitionRef)
	require.True(t, *a.Data.Valid)
	require.Equal(t, demo.LoanWorker().ID, *a.CreatedBy)
	require.Equal(t, *a.CreatedAt, *a.LastModifiedAt)
	require.Equal(t, created.Body, s.Get(200, demo.Alice(), apitest.ArtifactPath(id, "")).Body)

	// Creating with an existing id returns the artifact unchanged. It is a
	// conflict for another definition and for a caller to whom the artifact is
	// not visible.
	s.Post(201, demo.LoanWorker(), "/business-artifacts", apitest.CustomerBody(`{"name":"Bolt"}`))
	before := s.Snapshot()
	again := strings.Replace(body, "Acme", "Other", 1)
	require.Equal(t, created.Body, s.Post(200, demo.Alice(), "/business-artifacts", again).Body)
	byCode := `{"id":"` + id.String() + `","tenantId":"` + demo.TenantDemo().String() + `","businessArtifactDefinitionCode":"CUSTOMER"}`
	require.Equal(t, created.Body, s.Post(200, demo.Alice(), "/business-artifacts", byCode).Body)
	for _, definition := range []string{
		`"businessArtifactDefinitionId":"` + uuid.NewString() + `"`, `"businessArtifactDefinitionCode":"NONE","tenantId":"` + demo.TenantDemo().String() + `"`,
		`"businessArtifactDefinitionCode":"CUSTOMER","tenantId":"` + demo.TenantOther().String() + `"`,
	} {
		s.Refused(409, "CONFLICT", demo.Alice(), "POST", "/business-artifacts", `{"id":"`+id.String()+`",`+definition+`}`)
	}
	failure := s.Refused(409, "CONFLICT", demo.Stranger(), "POST", "/business-artifacts", byCode)
	require.Equal(t, "the id is already in use", failure.Message)
	require.Equal(t, failure.Message, s.Refused(409, "CONFLICT", demo.OtherWorker(), "POST", "/business-artifacts", byCode).Message)

	// Creations that are refused.
	for name, c := range map[string]struct {
		body           string
		status         int
		code, location string
	}{
		"unknown definition":   {`{"businessArtifactDefinitionId":"` + uuid.NewString() + `"}`, 404, "DEFINITION_NOT_FOUND", ""},
		"unknown code":         {`{"businessArtifactDefinitionCode":"NONE","tenantId":"` + demo.TenantDemo().String() + `"}`, 404, "DEFINITION_NOT_FOUND", ""},
		"process definition":   {`{"businessArtifactDefinitionId":"` + demo.Loan().String() + `"}`, 404, "DEFINITION_NOT_FOUND", ""},
		"number out of bounds": {apitest.CustomerBody(`{"name":"A","balance":1e999}`), 400, "VALIDATION", "/balance"},
	} {
		failure := s.Refused(c.status, c.code, demo.Alice(), "POST", "/business-artifacts", c.body)
		require.Equal(t, c.location, failure.Errors[0].Location, name)
	}
	for _, body := range []string{
		`{"data":{"value":{}}}`, `{"tenantId":"` + demo.TenantDemo().String() + `"}`,
		apitest.CustomerBody(`[1]`), apitest.CustomerBody(`null`),
	} {
		got := s.Send(contracttest.Invalid(apitest.Request(t, demo.Alice(), "POST", "/business-artifacts", body)))
		require.Equal(t, 400, got.Status, "%s: %s", body, got.Body)
	}
	require.Equal(t, before, s.Snapshot())

	// Without a value the data are an empty object, as the definition has a
	// schema.
	empty := apitest.Decode[oasb.BusinessArtifact](t, s.Post(201, demo.Alice(), "/business-artifacts",
		`{"businessArtifactDefinitionId":"`+apitest.Customers().String()+`"}`))
	require.JSONEq(t, `{}`, string(empty.Data.Value))
	require.False(t, *empty.Data.Valid)
	require.Equal(t, "required", *empty.Data.Errors[0].Type)
}

// Concurrent creations with one id make one artifact.
func TestRacingCreatesMakeOneArtifact(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	id := uuid.NewString()
	bodies := make([]string, 16)
	statuses := make([]int, len(bodies))
	var group sync.WaitGroup
	for i := range bodies {
		r := apitest.Request(t, demo.LoanWorker(), "POST", "/business-artifacts",
			apitest.CustomerBody(fmt.Sprintf(`{"name":"%d"}`, i), `"id":"`+id+`"`))
		group.Go(func() {
			if got, err := s.Exchange(r); err == nil {
				bodies[i], statuses[i] = got.Body, got.Status
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
	require.Len(t, findArtifacts(s, "", "name in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"), 1)
}

func TestSavingTheDataOfABusinessArtifact(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	a := s.Customer(`{"name":"Acme","tier":"GOLD","balance":1}`)
	put := apitest.Decode[oasb.BusinessArtifact](t, s.Call(200, demo.Alice(), http.MethodPut, apitest.ArtifactPath(a.ID, "/data"),
		`{"data":{"value":{"tier":"BRONZE","balance":2},"valid":true,"errors":[]}}`))
	require.False(t, *put.Data.Valid)
	require.Len(t, put.Data.Errors, 2)
	require.Equal(t, "/tier", *put.Data.Errors[1].PropertyPath)
	require.Equal(t, "enum", *put.Data.Errors[1].Type)
	require.Equal(t, demo.Alice().ID, *put.LastModifiedBy)
	require.True(t, put.LastModifiedAt.After(*a.LastModifiedAt))
	require.Equal(t, a.CreatedAt, put.CreatedAt)
	require.Equal(t, put, s.RetrieveArtifact(a.ID))
	require.Empty(t, findArtifacts(s, "", "name eq Acme"))
	requireIDs(t, findArtifacts(s, "", "tier eq BRONZE", "balance eq 2"), a)

	for _, mediaType := range []string{"application/json", "application/json-patch+json"} {
		r := apitest.Request(t, demo.Alice(), http.MethodPatch, apitest.ArtifactPath(a.ID, "/data"),
			`[{"op":"add","path":"/name","value":"`+mediaType+`"},{"op":"replace","path":"/tier","value":"SILVER"}]`)
		r.Header.Set("Content-Type", mediaType)
		got := s.Send(r)
		require.Equal(t, 200, got.Status, got.Body)
		patched := apitest.Decode[oasb.BusinessArtifact](t, got)
		require.True(t, *patched.Data.Valid)
		require.Equal(t, patched, s.RetrieveArtifact(a.ID))
		requireIDs(t, findArtifacts(s, "", "name eq "+strings.ReplaceAll(mediaType, "+", "%2B"), "tier eq SILVER", "balance eq 2"), a)
	}
	before := s.Snapshot()
	for _, r := range []*http.Request{
		apitest.Request(t, demo.Alice(), http.MethodPatch, apitest.ArtifactPath(a.ID, "/data"), `[{"op":"remove","path":"/name"},{"op":"test","path":"/tier","value":"GOLD"}]`),
		apitest.Request(t, demo.Alice(), http.MethodPatch, apitest.ArtifactPath(a.ID, "/data"), `[{"op":"remove","path":"/none"}]`),
	} {
		got := s.Send(r)
		require.Equal(t, 409, got.Status)
		require.Contains(t, got.Body, `"PATCH_FAILED"`)
	}
	unchanged := s.Call(200, demo.Alice(), http.MethodPatch, apitest.ArtifactPath(a.ID, "/data"), `[]`)
	require.Equal(t, s.Get(200, demo.Alice(), apitest.ArtifactPath(a.ID, "")).Body, unchanged.Body)
	require.Equal(t, before, s.Snapshot())
}

// The workflows of the actions on an artifact that is deleted are asked to cancel
// and terminated later. Its documents stay.
func TestDeleteBusinessArtifactStopsActions(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	a := s.Customer(`{"name":"Acme"}`)
	uri := s.Upload(demo.Alice(), apitest.ArtifactPath(a.ID, ""), "text")
	s.Call(200, demo.Alice(), http.MethodPut, apitest.ArtifactPath(a.ID, "/data"), `{"data":{"value":{"name":"Acme","file":"`+uri+`"}}}`)
	action(s, a.ID, `{"businessArtifactActionDefinitionCode":"RECALCULATE"}`)
	canceled := action(s, a.ID, `{"businessArtifactActionDefinitionCode":"RECALCULATE"}`)
	s.Post(200, demo.Alice(), apitest.ArtifactPath(a.ID, "/actions/"+canceled.ID.String()+"/~actions/cancel"), "")
	const stops = `SELECT count(*) FROM engine_commands WHERE kind IN ('CANCEL', 'TERMINATE')`
	require.Equal(t, 2, s.Count(stops))

	s.Refused(403, "ACCESS_DENIED", editor(s), http.MethodDelete, apitest.ArtifactPath(a.ID, ""), "")
	require.Equal(t, 2, s.Count(stops))
	s.Call(204, demo.Alice(), http.MethodDelete, apitest.ArtifactPath(a.ID, ""), "")
	require.Equal(t, 4, s.Count(stops))
	require.Equal(t, 2, s.Count("SELECT count(*) FROM business_artifact_actions WHERE status = 'CANCELED'"))
	require.Equal(t, "text", s.Download(demo.Alice(), apitest.ArtifactPath(a.ID, ""), uri))
}

// editor is Bob, who through his group is an Editor of CUSTOMER.
func editor(s *apitest.Service) demo.Account {
	s.T.Helper()
	require.NoError(s.T, s.DB.Write(s.T.Context(), func(tx *persistence.Tx) error {
		tx.GrantOnArtifact(apitest.Customers(), demo.TenantDemo(), domain.PermissionArtifactEditor, demo.Reviewers())
		return nil
	}))
	return demo.Bob()
}

// The validity of stored data does not change with the schema until the data
// are saved again.
func TestDataAreCheckedWhenTheyAreSaved(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	define := func(schema string) {
		t.Helper()
		s.Apply(s.As("owner"), apitest.Document("north", "BusinessArtifactDefinition", "CAR", `{"name":"Car","dataSchema":`+schema+
			`,"permissions":{"editors":[{"application":"worker"}]}}`))
	}
	define(`{"required":["A"]}`)
	created := s.Post(201, s.As("worker"), "/business-artifacts", `{"businessArtifactDefinitionCode":"CAR","data":{"value":{"A":1}}}`)
	a := apitest.Decode[oasb.BusinessArtifact](t, created)
	require.True(t, *a.Data.Valid)
	define(`{"required":["B"]}`)
	require.Equal(t, created.Body, s.Get(200, s.As("worker"), apitest.ArtifactPath(a.ID, "")).Body)
	saved := apitest.Decode[oasb.BusinessArtifact](t, s.Call(200, s.As("worker"), http.MethodPut, apitest.ArtifactPath(a.ID, "/data"), `{"data":{"value":{"A":1}}}`))
	require.False(t, *saved.Data.Valid)
	define(`{"required":["A"]}`)
	patched := apitest.Decode[oasb.BusinessArtifact](t, s.Call(200, s.As("worker"), http.MethodPatch, apitest.ArtifactPath(a.ID, "/data"),
		`[{"op":"test","path":"/A","value":1}]`))
	require.True(t, *patched.Data.Valid)
	// An Editor may not delete.
	s.Refused(403, "ACCESS_DENIED", s.As("worker"), http.MethodDelete, apitest.ArtifactPath(a.ID, ""), "")
}

// The index stays consistent while a definition and its artifacts change concurrently.
func TestReindexDuringArtifactWrites(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	define := func(field string) string {
		return apitest.Applying("", apitest.Document("north", "BusinessArtifactDefinition", "CAR", `{"name":"Car","dataSchema":{"properties":{"A":{},"B":{}}},"indexes":[{"field":"`+field+
			`","type":"STRING"}],"permissions":{"editors":[{"application":"worker"}]}}`))
	}
	s.Post(200, s.As("owner"), apitest.ApplyPath, define("A"))
	const rounds, writers = 10, 4
	var group sync.WaitGroup
	failures := make(chan string, rounds*(writers+1))
	send := func(r *http.Request) {
		if got, err := s.Exchange(r); err != nil || got.Status >= 300 {
			failures <- fmt.Sprint(err, got.Body)
		}
	}
	group.Go(func() {
		for i := range rounds {
			send(apitest.Request(t, s.As("owner"), "POST", apitest.ApplyPath, define([]string{"B", "A"}[i%2])))
		}
	})
	for range writers {
		group.Go(func() {
			for range rounds {
				send(apitest.Request(t, s.As("worker"), "POST", "/business-artifacts",
					`{"businessArtifactDefinitionCode":"CAR","data":{"value":{"A":"x","B":"x"}}}`))
			}
		})
	}
	group.Wait()
	close(failures)
	for failure := range failures {
		require.Fail(t, failure)
	}
	page := apitest.Decode[oasb.BusinessArtifactPage](t, s.Get(200, s.As("worker"), "/business-artifacts?value=A+eq+x"))
	require.EqualValues(t, rounds*writers, page.Metadata.TotalElements)
	require.Equal(t, rounds*writers, s.Count(`SELECT count(*) FROM business_artifact_index WHERE field = 'A'`))
	require.Zero(t, s.Count(`SELECT count(*) FROM business_artifact_index WHERE field <> 'A'`))
}
