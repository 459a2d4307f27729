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

// fitting returns the query of expressions that must all fit.
func fitting(expressions ...string) string {
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
		fitting("NAME eq Mary%20Ann"):                                    {mary},
		"metadata=NAME%20eq%20Mary%2520Ann":                              {mary},
		fitting("NAME eq mary%20ann"):                                    nil,
		fitting("NAME eq 5"):                                             nil,
		fitting("NAME eq Mary"):                                          nil,
		fitting("NAME eq Tom%20+%2050%25%20é"):                           {tom},
		fitting("NAME contains ARY"):                                     {mary},
		fitting("NAME contains É"):                                       {tom, digits, almost},
		fitting("NAME contains %25"):                                     {tom},
		fitting("NAME contains _"):                                       nil,
		fitting("NAME in Mary%20Ann Unknown Tom%20+%2050%25%20é"):        {mary, tom},
		fitting("NAME eq " + long + "b"):                                 {almost},
		fitting("NAME in " + long + "a " + long + "c"):                   {digits},
		fitting("AMOUNT eq 10"):                                          {mary},
		fitting("AMOUNT eq 1.0e1"):                                       {mary},
		fitting("AMOUNT ge 10"):                                          {mary, tom, digits},
		fitting("AMOUNT le 10"):                                          {mary, almost},
		fitting("AMOUNT eq 10000000000000000000000"):                     {tom},
		fitting("AMOUNT eq 1234567890123456789012345678901234567890"):    {digits},
		fitting("AMOUNT eq 1234567890123456789012345678901234567891"):    nil,
		fitting("AMOUNT between 0 10"):                                   {mary, almost},
		fitting("AMOUNT between 10 0"):                                   nil,
		fitting("AMOUNT in 0 1E22 7"):                                    {tom, almost},
		fitting("SINCE eq 2026-01-03"):                                   {tom},
		fitting("SINCE le 2026-01-02"):                                   {mary},
		fitting("SINCE between 2026-01-01 2026-01-03"):                   {mary, tom},
		fitting("SINCE in 2026-01-02 2025-01-01"):                        {mary},
		fitting("AMOUNT ge 0", "SINCE ge 2026-01-01", "NAME contains a"): {mary},
		fitting("AMOUNT ge 11", "AMOUNT le 9"):                           nil,
		fitting("NAME le T"):                                             {mary},
		fitting("NAME ge T"):                                             {tom, digits, almost},
		fitting("NAME between M " + long + "a"):                          {mary, tom, digits},
		fitting("NAME le " + long):                                       {mary, tom},
		fitting("AMOUNT contains 000"):                                   {tom},
		fitting("SINCE contains t23:30"):                                 {tom},
		fitting("SINCE contains -01-0"):                                  {mary, tom},
		fitting("SINCE eq 2026-01-04T07:30:00Z"):                         {tom},
		fitting("SINCE ge 2026-01-04T07:30:00.001Z"):                     nil,
		fitting("SINCE le 2026-01-04T02:30:00-05:00"):                    {mary, tom},
		fitting("LAST_NAME eq Ann"):                                      {loan},
		fitting("LAST_NAME eq Ann", "AMOUNT ge 0"):                       nil,
		fitting("AMOUNT ge 0") + "&state=CANCELLED":                      nil,
		fitting("NAME contains Ann") + "&processDefinitionCode=CLAIM":    {mary},
	})
	require.NotEqual(t, uuid.Nil, odd)
	// A caller to whom no process is visible finds none.
	require.Equal(t, 0, s.Total(demo.Stranger(), "/processes?"+fitting("AMOUNT ge 0")))
	require.Equal(t, 5, s.Total(demo.Bob(), "/processes?size=0&"+fitting("AMOUNT ge -1"))+1)
}

func TestTheIndexFollowsTheMetadata(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := claimWith(s, claims(s), `{"NAME":"first"}`)
	path := apitest.ProcessPath(process, "/metadata")
	finds := func(expression string) bool {
		return slices.Contains(s.List(demo.Alice(), "/processes?"+fitting(expression)).IDs(), process)
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
		fitting("AMOUNT eq 12"):      {number, text},
		fitting("AMOUNT in 12 13"):   {number, text},
		fitting("AMOUNT le 12"):      {number, text},
		fitting("AMOUNT contains 1"): {number, text},
		fitting("AMOUNT eq twelve"):  nil,
	})
	require.NotEqual(t, uuid.Nil, neither)
	s.Refused(400, "VALIDATION", demo.Alice(), http.MethodGet, "/processes?"+fitting("AMOUNT between twelve"), "")

	// Processes, and no others, are found by the members that their version indexes.
	s.Define(apitest.Identified("demo", "ProcessDefinition", "TEXTS", other, `{"name":"Texts",`+
		`"metadataSchema":{"properties":{"COLOUR":{}}},"metadataIndexes":[{"field":"COLOUR","type":"STRING"}],"permissions":{"initiators":[{"user":"alice"}],"managers":[{"user":"alice"}]}}`))
	later := claimWith(s, other, `{"AMOUNT":"12","COLOUR":"red"}`)
	s.Filtered(demo.Alice(), "/processes", map[string][]uuid.UUID{
		fitting("AMOUNT eq 12"): {number, text}, fitting("COLOUR eq red"): {later},
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
		failure := s.Refused(400, "VALIDATION", demo.Alice(), http.MethodGet, "/processes?"+fitting("NAME eq a", expression), "")
		require.Equal(t, "metadata", failure.Errors[0].Location, expression)
		require.Equal(t, "query", failure.Errors[0].LocationType, expression)
	}
	many := contracttest.Invalid(apitest.Request(t, demo.Alice(), http.MethodGet,
		"/processes?"+fitting(slices.Repeat([]string{"NAME eq a"}, 21)...), ""))
	require.Equal(t, 400, s.Send(many).Status)
	s.Get(200, demo.Alice(), "/processes?"+fitting(slices.Repeat([]string{"NAME eq a"}, 20)...))
	// Indexes of other tenants are ignored.
	s.Refused(400, "VALIDATION", demo.OtherWorker(), http.MethodGet, "/processes?"+fitting("AMOUNT eq 1"), "")
}
