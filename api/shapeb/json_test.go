package shapeb_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

// difficult contains values that careless JSON handling changes: digits, signs, U+0000,
// the order of members.
const difficult = `{"z":1E22,"a":-0,"n":1234567890123456789012345678901234567890,"d":0.10,"s":"\u0000 \u00e9 é <b>&</b>",` +
	`"o":{"b":1,"a":[null,true,1.0]},"":1}`

func TestValuesComeBackAsTheyWereSent(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	loan, onboarding := s.Loan().ID, s.Process(demo.Alice(), demo.Onboarding()).ID
	task := s.Item(loan, "LOAN_APPLICATION", apitest.OwnedBy(demo.Carol())).ID
	for _, c := range []struct {
		as                        demo.Account
		resource, part, name, key string
	}{
		{demo.Alice(), apitest.ProcessPath(loan, ""), "/metadata", "metadata", "metadata"},
		{demo.Alice(), apitest.ProcessPath(onboarding, ""), "/entity", "entity", "entity"},
		{demo.Carol(), apitest.ItemPath(task, ""), "/task/data", "data", "data"},
		{demo.Alice(), apitest.ItemPath(task, ""), "/task/context-data", "data", "contextData"},
		{demo.Alice(), apitest.ArtifactPath(s.Customer(`{}`).ID, ""), "/data", "data", "data"},
	} {
		saved := s.Call(200, c.as, http.MethodPut, c.resource+c.part, `{"`+c.name+`":{"value":`+difficult+`}}`)
		require.Contains(t, saved.Body, `"value":`+difficult)
		require.Contains(t, saved.Body, `"`+c.key+`":{`)
		require.Equal(t, saved.Body, s.Get(200, c.as, c.resource).Body)
	}
	// Created with a value, the same holds.
	created := s.Post(201, demo.Carol(), "/processes",
		`{"processDefinitionId":"`+demo.Loan().String()+`","metadata":{"value":`+difficult+`}}`)
	require.Contains(t, created.Body, `"value":`+difficult)
	item := s.Post(201, demo.LoanWorker(), "/process-items", `{"type":"TASK","processId":"`+loan.String()+
		`","processItemDefinitionCode":"LOAN_APPLICATION","task":{"data":{"value":`+difficult+`},"contextData":{"value":`+
		difficult+`}}}`)
	require.Equal(t, 2, strings.Count(item.Body, `"value":`+difficult))
	claim := s.Process(demo.Alice(), claims(s)).ID
	for path, body := range map[string]string{
		"/business-artifacts": apitest.CustomerBody(difficult),
		"/processes":          `{"processDefinitionId":"` + demo.Onboarding().String() + `","entity":{"value":` + difficult + `}}`,
		"/process-items": newMessage(claim,
			`"data":{"value":`+difficult+`},"dataStructureDataDefinitionCode":"ADDRESS"`),
	} {
		created := s.Post(201, demo.Alice(), path, body)
		require.Contains(t, created.Body, `"value":`+difficult)
		require.Equal(t, created.Body,
			s.Get(200, demo.Alice(), path+"/"+apitest.Decode[struct{ ID uuid.UUID }](t, created).ID.String()).Body)
	}
}

// patchable returns each place that can be patched, holding the same value.
func patchable(s *apitest.Service, value string) map[string]func(t *testing.T) oasb.JSONValue {
	s.T.Helper()
	loan, onboarding := s.Loan().ID, s.Process(demo.Alice(), demo.Onboarding()).ID
	task := s.Item(loan, "LOAN_APPLICATION", apitest.OwnedBy(demo.Alice())).ID
	s.Call(200, demo.Alice(), http.MethodPut, apitest.ProcessPath(loan, "/metadata"), `{"metadata":{"value":`+value+`}}`)
	s.Call(200, demo.Alice(), http.MethodPut, apitest.ProcessPath(onboarding, "/entity"), `{"entity":{"value":`+value+`}}`)
	s.Call(200, demo.Alice(), http.MethodPut, apitest.ItemPath(task, "/task/data"), `{"data":{"value":`+value+`}}`)
	process := func(t *testing.T, id uuid.UUID) oasb.Process {
		t.Helper()
		return apitest.Decode[oasb.Process](t, s.In(t).Get(200, demo.Alice(), apitest.ProcessPath(id, "")))
	}
	artifact := s.Customer(value).ID
	return map[string]func(t *testing.T) oasb.JSONValue{
		apitest.ArtifactPath(artifact, "/data"): func(t *testing.T) oasb.JSONValue {
			t.Helper()
			return *s.In(t).RetrieveArtifact(artifact).Data
		},
		apitest.ProcessPath(loan, "/metadata"): func(t *testing.T) oasb.JSONValue {
			t.Helper()
			return *process(t, loan).Metadata
		},
		apitest.ProcessPath(onboarding, "/entity"): func(t *testing.T) oasb.JSONValue {
			t.Helper()
			return *process(t, onboarding).Entity
		},
		apitest.ItemPath(task, "/task/data"): func(t *testing.T) oasb.JSONValue {
			t.Helper()
			return *apitest.Decode[oasb.ProcessItem](t, s.In(t).Get(200, demo.Alice(), apitest.ItemPath(task, ""))).Task.Data
		},
	}
}

func TestPatching(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	for path, stored := range patchable(s, difficult) {
		for _, c := range []struct{ patch, want string }{
			{`[{"op":"add","path":"/new","value":{"k":1E22}}]`, strings.TrimSuffix(difficult, "}") + `,"new":{"k":1E22}}`},
			{`[{"op":"remove","path":"/new"}]`, difficult},
			{
				`[{"op":"test","path":"/n","value":1234567890123456789012345678901234567890},{"op":"replace","path":"/a","value":null}]`,
				strings.Replace(difficult, `"a":-0`, `"a":null`, 1),
			},
			{`[{"op":"replace","path":"/a","value":-0,"unknown":1}]`, difficult},
			{`[{"op":"add","path":"/o/a/-","value":2},{"op":"remove","path":"/o/a/3"}]`, difficult},
			{`[{"op":"copy","from":"/n","path":"/c"},{"op":"move","from":"/c","path":"/m"},{"op":"remove","path":"/m"}]`, difficult},
		} {
			s.Call(200, demo.Alice(), http.MethodPatch, path, c.patch)
			require.Equal(t, c.want, string(stored(t).Value), "%s %s", path, c.patch)
		}
	}
}

func TestPatchIsAllOrNothing(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	costly := `[{"op":"add","path":"/b","value":"` + strings.Repeat("x", 600_000) + `"},{"op":"copy","from":"/b","path":"/c"},` +
		`{"op":"copy","from":"/b","path":"/d"}]`
	for path := range patchable(s, `{"a":1,"list":[null]}`) {
		before := s.Snapshot()
		for patch, want := range map[string]struct {
			status         int
			code, location string
		}{
			`[{"op":"replace","path":"/a","value":2},{"op":"test","path":"/a","value":1}]`: {409, "PATCH_FAILED", ""},
			`[{"op":"add","path":"/b","value":2},{"op":"remove","path":"/none"}]`:          {409, "PATCH_FAILED", ""},
			`[{"op":"test","path":"/list","value":[1]}]`:                                   {409, "PATCH_FAILED", ""},
			`[{"op":"add","path":"/list/5","value":1}]`:                                    {409, "PATCH_FAILED", ""},
			`[{"op":"replace","path":"","value":[1]}]`:                                     {409, "PATCH_FAILED", ""},
			`[{"op":"add","path":"/b","value":2},{"op":"add","path":"/c"}]`:                {400, "VALIDATION", "/1/value"},
			`[{"op":"add","path":"b","value":2}]`:                                          {400, "VALIDATION", "/0/path"},
			`[{"op":"add","path":"/~2","value":2}]`:                                        {400, "VALIDATION", "/0/path"},
			`[{"op":"move","path":"/b"}]`:                                                  {400, "VALIDATION", "/0/from"},
			costly:                                                                         {400, "PATCH_TOO_COSTLY", ""},
		} {
			failure := s.Refused(want.status, want.code, demo.Alice(), http.MethodPatch, path, patch)
			require.Equal(t, want.location, failure.Errors[0].Location, patch)
		}
		bad := contracttest.Invalid(apitest.Request(t, demo.Alice(), http.MethodPatch, path, `[{"op":"jump","path":"/a"}]`))
		require.Equal(t, 400, s.Send(bad).Status)
		// An empty patch makes no change, not even to the time of the last change.
		s.Call(200, demo.Alice(), http.MethodPatch, path, `[]`)
		require.Equal(t, before, s.Snapshot(), path)
	}
}

func TestViolationsAreStored(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := s.Process(demo.Alice(), demo.Onboarding()).ID
	path := apitest.ProcessPath(process, "/entity")
	put := apitest.Decode[oasb.Process](t, s.Call(200, demo.Alice(), http.MethodPut, path, `{"entity":{"value":{"name":"n"}}}`))
	require.True(t, *put.Entity.Valid)
	require.Nil(t, put.Entity.Errors)

	r := apitest.Request(t, demo.Alice(), http.MethodPatch, path, `[{"op":"add","path":"/age","value":-1}]`)
	r.Header.Set("Content-Type", "application/json")
	got := s.Send(r)
	require.Equal(t, 200, got.Status)
	patched := apitest.Decode[oasb.Process](t, got)
	require.False(t, *patched.Entity.Valid)
	require.Len(t, patched.Entity.Errors, 1)
	require.Equal(t, "/age", *patched.Entity.Errors[0].PropertyPath)
	require.Equal(t, "minimum", *patched.Entity.Errors[0].Type)
	require.Equal(t, patched, s.RetrieveProcess(process))
}
