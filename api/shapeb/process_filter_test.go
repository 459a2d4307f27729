package shapeb_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

// claim starts a CLAIM with the metadata.
func claimWith(s *apitest.Service, definition uuid.UUID, metadata string) uuid.UUID {
	s.T.Helper()
	return apitest.Decode[oasb.Process](s.T, s.Post(201, demo.Alice(), "/processes",
		`{"processDefinitionId":"`+definition.String()+`","metadata":{"value":`+metadata+`}}`)).ID
}

// metadataQuery returns the query of expressions that must all fit.
func metadataQuery(expressions ...string) string {
	query := url.Values{"metadata": expressions}
	return query.Encode()
}

func TestFilteringProcessesByMetadata(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	definition := claims(s)
	long := strings.Repeat("é", 300)
	mary := claimWith(s, definition, `{"NAME":"Mary Ann","AMOUNT":10,"SINCE":"2026-01-02"}`)
	tom := claimWith(s, definition, `{"NAME":"T\u006fm + 50% é","AMOUNT":1E22,"SINCE":"2026-01-03T23:30:00-08:00"}`)
	odd := claimWith(s, definition, `{"NAME":5,"AMOUNT":"10","SINCE":"soon"}`)
	digits := claimWith(s, definition, `{"NAME":"`+long+`a","AMOUNT":1234567890123456789012345678901234567890}`)
	almost := claimWith(s, definition, `{"NAME":"`+long+`b","AMOUNT":-0,"SINCE":null,"OTHER":"Mary Ann"}`)
	claimWith(s, definition, `{"NAME":"\u0000","AMOUNT":true,"SINCE":["2026-01-02"]}`)
	loan := apitest.Decode[oasb.Process](t, s.Post(201, demo.Carol(), "/processes",
		`{"processDefinitionCode":"LOAN","metadata":{"value":{"LAST_NAME":"Ann"}}}`)).ID
	s.Filtered(demo.Alice(), "/processes", map[string][]uuid.UUID{
		metadataQuery("NAME eq Mary%20Ann"):                                    {mary},
		"metadata=NAME%20eq%20Mary%2520Ann":                                    {mary},
		metadataQuery("NAME eq mary%20ann"):                                    nil,
		metadataQuery("NAME eq 5"):                                             nil,
		metadataQuery("NAME eq Mary"):                                          nil,
		metadataQuery("NAME eq Tom%20+%2050%25%20é"):                           {tom},
		metadataQuery("NAME contains ARY"):                                     {mary},
		metadataQuery("NAME contains É"):                                       {tom, digits, almost},
		metadataQuery("NAME contains %25"):                                     {tom},
		metadataQuery("NAME contains _"):                                       nil,
		metadataQuery("NAME in Mary%20Ann Unknown Tom%20+%2050%25%20é"):        {mary, tom},
		metadataQuery("NAME eq " + long + "b"):                                 {almost},
		metadataQuery("NAME in " + long + "a " + long + "c"):                   {digits},
		metadataQuery("AMOUNT eq 10"):                                          {mary},
		metadataQuery("AMOUNT eq 1.0e1"):                                       {mary},
		metadataQuery("AMOUNT ge 10"):                                          {mary, tom, digits},
		metadataQuery("AMOUNT le 10"):                                          {mary, almost},
		metadataQuery("AMOUNT eq 10000000000000000000000"):                     {tom},
		metadataQuery("AMOUNT eq 1234567890123456789012345678901234567890"):    {digits},
		metadataQuery("AMOUNT eq 1234567890123456789012345678901234567891"):    nil,
		metadataQuery("AMOUNT between 0 10"):                                   {mary, almost},
		metadataQuery("AMOUNT between 10 0"):                                   nil,
		metadataQuery("AMOUNT in 0 1E22 7"):                                    {tom, almost},
		metadataQuery("SINCE eq 2026-01-03"):                                   {tom},
		metadataQuery("SINCE le 2026-01-02"):                                   {mary},
		metadataQuery("SINCE between 2026-01-01 2026-01-03"):                   {mary, tom},
		metadataQuery("SINCE in 2026-01-02 2025-01-01"):                        {mary},
		metadataQuery("AMOUNT ge 0", "SINCE ge 2026-01-01", "NAME contains a"): {mary},
		metadataQuery("AMOUNT ge 11", "AMOUNT le 9"):                           nil,
		metadataQuery("NAME le T"):                                             {mary},
		metadataQuery("NAME ge T"):                                             {tom, digits, almost},
		metadataQuery("NAME between M " + long + "a"):                          {mary, tom, digits},
		metadataQuery("NAME le " + long):                                       {mary, tom},
		metadataQuery("AMOUNT contains 000"):                                   {tom},
		metadataQuery("SINCE contains t23:30"):                                 {tom},
		metadataQuery("SINCE contains -01-0"):                                  {mary, tom},
		metadataQuery("SINCE eq 2026-01-04T07:30:00Z"):                         {tom},
		metadataQuery("SINCE ge 2026-01-04T07:30:00.001Z"):                     nil,
		metadataQuery("SINCE le 2026-01-04T02:30:00-05:00"):                    {mary, tom},
		metadataQuery("LAST_NAME eq Ann"):                                      {loan},
		metadataQuery("LAST_NAME eq Ann", "AMOUNT ge 0"):                       nil,
		metadataQuery("AMOUNT ge 0") + "&state=CANCELLED":                      nil,
		metadataQuery("NAME contains Ann") + "&processDefinitionCode=CLAIM":    {mary},
	})
	require.NotEqual(t, uuid.Nil, odd)
	// A caller to whom no process is visible finds none.
	require.Equal(t, 0, s.Total(demo.Stranger(), "/processes?"+metadataQuery("AMOUNT ge 0")))
	require.Equal(t, 5, s.Total(demo.Bob(), "/processes?size=0&"+metadataQuery("AMOUNT ge -1"))+1)
}

func TestTheIndexFollowsTheMetadata(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := claimWith(s, claims(s), `{"NAME":"first"}`)
	path := apitest.ProcessPath(process, "/metadata")
	finds := func(expression string) bool {
		return slices.Contains(s.List(demo.Alice(), "/processes?"+metadataQuery(expression)).IDs(), process)
	}
	require.True(t, finds("NAME eq first"))
	s.Call(200, demo.Alice(), http.MethodPut, path, `{"metadata":{"value":{"NAME":"second","AMOUNT":1}}}`)
	require.False(t, finds("NAME eq first"))
	require.True(t, finds("NAME eq second"))
	s.Call(200, demo.Alice(), http.MethodPatch, path,
		`[{"op":"remove","path":"/NAME"},{"op":"replace","path":"/AMOUNT","value":2.50}]`)
	require.False(t, finds("NAME eq second"))
	require.True(t, finds("AMOUNT eq 2.5"))
	s.Call(409, demo.Alice(), http.MethodPatch, path, `[{"op":"add","path":"/NAME","value":"n"},{"op":"remove","path":"/X"}]`)
	require.False(t, finds("NAME eq n"))
	// Metadata that violate the schema are stored, and indexed where a field
	// fits.
	s.Call(200, demo.Alice(), http.MethodPut, path, `{"metadata":{"value":{"NAME":"third","AMOUNT":"2.5"}}}`)
	require.False(t, finds("AMOUNT eq 2.5"))
	require.True(t, finds("NAME eq third"))
	s.Post(200, demo.Alice(), apitest.ProcessPath(process, apitest.Finish), "")
	require.True(t, finds("NAME eq third"))
}

// Two definitions may index members of one name as different types.
func TestAMemberOfSeveralTypes(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	number := claimWith(s, claims(s), `{"AMOUNT":12}`)
	other := uuid.New()
	s.Define(apitest.Identified("demo", "ProcessDefinition", "TEXTS", other, `{"name":"Texts",`+
		`"metadataSchema":{"properties":{"AMOUNT":{}}},"metadataIndexes":[{"field":"AMOUNT","type":"STRING"}],"permissions":{"initiators":[{"user":"alice"}],"managers":[{"user":"alice"}]}}`))
	text, neither := claimWith(s, other, `{"AMOUNT":"12"}`), claimWith(s, other, `{"AMOUNT":12}`)
	s.Filtered(demo.Alice(), "/processes", map[string][]uuid.UUID{
		metadataQuery("AMOUNT eq 12"):      {number, text},
		metadataQuery("AMOUNT in 12 13"):   {number, text},
		metadataQuery("AMOUNT le 12"):      {number, text},
		metadataQuery("AMOUNT contains 1"): {number, text},
		metadataQuery("AMOUNT eq twelve"):  nil,
	})
	require.NotEqual(t, uuid.Nil, neither)
	s.Refused(400, "VALIDATION", demo.Alice(), http.MethodGet, "/processes?"+metadataQuery("AMOUNT between twelve"), "")

	// Processes, and no others, are found by the members that their version indexes.
	s.Define(apitest.Identified("demo", "ProcessDefinition", "TEXTS", other, `{"name":"Texts",`+
		`"metadataSchema":{"properties":{"COLOUR":{}}},"metadataIndexes":[{"field":"COLOUR","type":"STRING"}],"permissions":{"initiators":[{"user":"alice"}],"managers":[{"user":"alice"}]}}`))
	later := claimWith(s, other, `{"AMOUNT":"12","COLOUR":"red"}`)
	s.Filtered(demo.Alice(), "/processes", map[string][]uuid.UUID{
		metadataQuery("AMOUNT eq 12"): {number, text}, metadataQuery("COLOUR eq red"): {later},
	})
}

func TestBadMetadataFilters(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	claims(s)
	for _, expression := range []string{
		"", "NAME", "NAME eq", " eq 5", "NAME  eq 5", "NAME EQ 5", "NAME ne 5", "NAME le 5 6", "NAME contains ",
		"NAME eq a b", "AMOUNT eq ten", "AMOUNT contains ", "AMOUNT between 1", "AMOUNT between 1 2 3",
		"SINCE eq yesterday", "SINCE le 2026-13-01", "OTHER eq 5", "name eq 5", "NAME eq %zz", "NAME eq %00",
		"%00 eq 5", "%ff eq 5", "NAME in" + strings.Repeat(" a", 101),
	} {
		failure := s.Refused(400, "VALIDATION", demo.Alice(), http.MethodGet, "/processes?"+metadataQuery("NAME eq a", expression), "")
		require.Equal(t, "metadata", failure.Errors[0].Location, expression)
		require.Equal(t, "query", failure.Errors[0].LocationType, expression)
	}
	many := contracttest.Invalid(apitest.Request(t, demo.Alice(), http.MethodGet,
		"/processes?"+metadataQuery(slices.Repeat([]string{"NAME eq a"}, 21)...), ""))
	require.Equal(t, 400, s.Send(many).Status)
	s.Get(200, demo.Alice(), "/processes?"+metadataQuery(slices.Repeat([]string{"NAME eq a"}, 20)...))
	// Indexes of other tenants are ignored.
	s.Refused(400, "VALIDATION", demo.OtherWorker(), http.MethodGet, "/processes?"+metadataQuery("AMOUNT eq 1"), "")
}
