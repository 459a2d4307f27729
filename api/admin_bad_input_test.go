package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

// Validation precedes all changes.
func TestBadInputOfAdministratorsMakesNoChange(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	f := makeThings(s, "north", "bad")
	operations := f.operations()
	op := operations["applyResources"]
	op.body = `{"dryRun":false,"prune":{"tenant":"north","selector":{"app":"none"}},` + op.body[1:]
	operations["applyResources"] = op
	op = operations["evaluateAvailability"]
	op.body = operations["evaluate_MODEL"].body
	operations["evaluateAvailability"] = op
	before := s.Snapshot()
	for _, id := range apitest.Contracts["admin"].Operations() {
		op := operations[id]
		apitest.Contracts["admin"].RunBadInputs(t, s.Client, id, func() *http.Request {
			return apitest.Request(t, s.As("owner"), op.method, op.path, op.body)
		})
	}
	for _, c := range []struct{ method, path, body, location, locationType string }{
		{"GET", apitest.AdminAPI + "/resources/Nothing/LOAN", "", "kind", "path"},
		{"GET", apitest.AdminAPI + "/resources/Group/%20", "", "code", "path"},
		{"GET", apitest.AdminAPI + "/resources/Group/" + strings.Repeat("x", 64), "", "code", "path"},
		{"DELETE", apitest.AdminAPI + "/resources/Nothing/LOAN", "", "kind", "path"},
		{"GET", apitest.AdminAPI + "/resources/Group/REVIEWERS/secrets", "", "kind", "path"},
		{"POST", apitest.AdminAPI + "/resources/Tenant/north/secrets", `{"name":"n"}`, "kind", "path"},
		{"GET", apitest.AdminAPI + "/process-definitions/%C3%A9/versions", "", "code", "path"},
		{"GET", apitest.AdminAPI + "/resources?label=app%3Da&label=app%3Db", "", "label", "query"},
		{"GET", apitest.AdminAPI + "/incidents?sort=message", "", "sort", "query"},
		{"GET", apitest.AdminAPI + "/engine-access?sort=kind", "", "sort", "query"},
		{"GET", apitest.AdminAPI + "/workers?sort=hostname", "", "sort", "query"},
		{"GET", apitest.AdminAPI + "/workers?state=AWAY", "", "state", "query"},
		{
			"POST", apitest.ApplyPath, `{"documents":[],"prune":{"tenant":"north","selector":{}}}`, "/prune/selector", "body",
		},
		{
			"POST", apitest.ApplyPath, `{"documents":[],"prune":{"tenant":"north","selector":{"app":1}}}`,
			"/prune/selector/app", "body",
		},
		{"POST", apitest.ApplyPath, `{"documents":[{"a":1,"a":2}]}`, "/documents/0/a", "body"},
		{"POST", apitest.AdminAPI + "/availability/~actions/evaluate", `{"expression":"${ true }"}`, "/processId", "body"},
		{
			"POST", apitest.AdminAPI + "/availability/~actions/evaluate",
			`{"expression":"${ true }","processId":"` + f.process.String() + `","model":` + apitest.SampleModel + `}`, "/model", "body",
		},
		{
			"GET", apitest.AdminAPI + "/processes/" + f.process.String() + "/user-actions?principalId=" + s.Of("south", "viewer").ID.String(),
			"", "principalId", "query",
		},
	} {
		got := s.Send(contracttest.Invalid(apitest.Request(t, s.As("owner"), c.method, c.path, c.body)))
		require.Equal(t, 400, got.Status, "%s %s: %s", c.method, c.path, got.Body)
		failure := apitest.Decode[contracttest.ErrorBody](t, got)
		require.Equal(t, c.location, failure.Errors[0].Location, "%s %s: %+v", c.method, c.path, failure)
		require.Equal(t, c.locationType, failure.Errors[0].LocationType, "%s %s", c.method, c.path)
	}
	require.Equal(t, before, s.Snapshot())
}
