package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/internal/testkit/contracttest"
)

// difficult is what careless JSON handling changes: digits, signs, U+0000, the
// order of members.
const difficult = `{"z":1E22,"a":-0,"n":1234567890123456789012345678901234567890,"d":0.10,"s":"\u0000 \u00e9 é <b>&</b>",` +
	`"o":{"b":1,"a":[null,true,1.0]},"":1}`

func TestValuesComeBackAsTheyWereSent(t *testing.T) {
	t.Parallel()
	s := newService(t)
	loan, onboarding := s.loan().ID, s.process(demo.Alice(), demo.Onboarding()).ID
	task := s.item(loan, "LOAN_APPLICATION", ownedBy(demo.Carol())).ID
	for _, c := range []struct {
		as                        demo.Account
		resource, part, name, key string
	}{
		{demo.Alice(), processPath(loan, ""), "/metadata", "metadata", "metadata"},
		{demo.Alice(), processPath(onboarding, ""), "/entity", "entity", "entity"},
		{demo.Carol(), itemPath(task, ""), "/task/data", "data", "data"},
		{demo.Carol(), itemPath(task, ""), "/task/context-data", "data", "contextData"},
		{demo.Alice(), artifactPath(s.customer(`{}`).ID, ""), "/data", "data", "data"},
	} {
		saved := s.call(200, c.as, http.MethodPut, c.resource+c.part, `{"`+c.name+`":{"value":`+difficult+`}}`)
		require.Contains(t, saved.body, `"value":`+difficult)
		require.Contains(t, saved.body, `"`+c.key+`":{`)
		require.Equal(t, saved.body, s.get(200, c.as, c.resource).body)
	}
	// Created with a value, the same holds.
	created := s.post(201, demo.Carol(), "/processes",
		`{"processDefinitionId":"`+demo.Loan().String()+`","metadata":{"value":`+difficult+`}}`)
	require.Contains(t, created.body, `"value":`+difficult)
	item := s.post(201, demo.LoanWorker(), "/process-items", `{"type":"TASK","processId":"`+loan.String()+
		`","processItemDefinitionCode":"LOAN_APPLICATION","task":{"data":{"value":`+difficult+`},"contextData":{"value":`+
		difficult+`}}}`)
	require.Equal(t, 2, strings.Count(item.body, `"value":`+difficult))
	claim := s.process(demo.Alice(), s.claims()).ID
	for path, body := range map[string]string{
		"/business-artifacts": customerBody(difficult),
		"/processes":          `{"processDefinitionId":"` + demo.Onboarding().String() + `","entity":{"value":` + difficult + `}}`,
		"/process-items": newMessage(claim,
			`"data":{"value":`+difficult+`},"dataStructureDataDefinitionCode":"ADDRESS"`),
	} {
		created := s.post(201, demo.Alice(), path, body)
		require.Contains(t, created.body, `"value":`+difficult)
		require.Equal(t, created.body,
			s.get(200, demo.Alice(), path+"/"+decode[struct{ ID uuid.UUID }](t, created).ID.String()).body)
	}
}

// patchable is each place that can be patched, holding the same value.
func (s *service) patchable(value string) map[string]func(t *testing.T) oasb.JSONValue {
	s.t.Helper()
	loan, onboarding := s.loan().ID, s.process(demo.Alice(), demo.Onboarding()).ID
	task := s.item(loan, "LOAN_APPLICATION", ownedBy(demo.Alice())).ID
	s.call(200, demo.Alice(), http.MethodPut, processPath(loan, "/metadata"), `{"metadata":{"value":`+value+`}}`)
	s.call(200, demo.Alice(), http.MethodPut, processPath(onboarding, "/entity"), `{"entity":{"value":`+value+`}}`)
	s.call(200, demo.Alice(), http.MethodPut, itemPath(task, "/task/data"), `{"data":{"value":`+value+`}}`)
	process := func(t *testing.T, id uuid.UUID) oasb.Process {
		t.Helper()
		return decode[oasb.Process](t, s.in(t).get(200, demo.Alice(), processPath(id, "")))
	}
	artifact := s.customer(value).ID
	return map[string]func(t *testing.T) oasb.JSONValue{
		artifactPath(artifact, "/data"): func(t *testing.T) oasb.JSONValue {
			t.Helper()
			return *s.in(t).retrieveArtifact(artifact).Data
		},
		processPath(loan, "/metadata"): func(t *testing.T) oasb.JSONValue {
			t.Helper()
			return *process(t, loan).Metadata
		},
		processPath(onboarding, "/entity"): func(t *testing.T) oasb.JSONValue {
			t.Helper()
			return *process(t, onboarding).Entity
		},
		itemPath(task, "/task/data"): func(t *testing.T) oasb.JSONValue {
			t.Helper()
			return *decode[oasb.ProcessItem](t, s.in(t).get(200, demo.Alice(), itemPath(task, ""))).Task.Data
		},
	}
}

func TestPatching(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for path, stored := range s.patchable(difficult) {
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
			s.call(200, demo.Alice(), http.MethodPatch, path, c.patch)
			require.Equal(t, c.want, string(stored(t).Value), "%s %s", path, c.patch)
		}
	}
}

func TestPatchIsAllOrNothing(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for path := range s.patchable(`{"a":1,"list":[null]}`) {
		before := s.snapshot()
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
		} {
			failure := s.refused(want.status, want.code, demo.Alice(), http.MethodPatch, path, patch)
			require.Equal(t, want.location, failure.Errors[0].Location, patch)
		}
		bad := contracttest.Invalid(request(t, demo.Alice(), http.MethodPatch, path, `[{"op":"jump","path":"/a"}]`))
		require.Equal(t, 400, s.send(bad).status)
		// An empty patch changes nothing, not even the time of the last change.
		s.call(200, demo.Alice(), http.MethodPatch, path, `[]`)
		require.Equal(t, before, s.snapshot(), path)
	}
}

func TestViolationsAreStored(t *testing.T) {
	t.Parallel()
	s := newService(t)
	process := s.process(demo.Alice(), demo.Onboarding()).ID
	path := processPath(process, "/entity")
	put := decode[oasb.Process](t, s.call(200, demo.Alice(), http.MethodPut, path, `{"entity":{"value":{"name":"n"}}}`))
	require.True(t, *put.Entity.Valid)
	require.Nil(t, put.Entity.Errors)

	r := request(t, demo.Alice(), http.MethodPatch, path, `[{"op":"add","path":"/age","value":-1}]`)
	r.Header.Set("Content-Type", "application/json")
	got := s.send(r)
	require.Equal(t, 200, got.status)
	patched := decode[oasb.Process](t, got)
	require.False(t, *patched.Entity.Valid)
	require.Len(t, patched.Entity.Errors, 1)
	require.Equal(t, "/age", *patched.Entity.Errors[0].PropertyPath)
	require.Equal(t, "minimum", *patched.Entity.Errors[0].Type)
	require.Equal(t, patched, s.retrieveProcess(process))
}
