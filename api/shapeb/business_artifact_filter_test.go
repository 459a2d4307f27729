package shapeb_test

import (
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// Every operator on every type finds the expected artifacts and totals, in
// every notation.
func TestArtifactsAreFoundByTheirData(t *testing.T) { //nolint:funlen // one set of artifacts, and the expressions that find them
	t.Parallel()
	s := apitest.NewService(t)
	digits := strings.Repeat("1234567890", 4)
	made := map[string]oasb.BusinessArtifact{}
	names := map[uuid.UUID]string{}
	for _, c := range []struct{ key, data string }{
		{"acme", `{"name":"Acme","tier":"GOLD","balance":10,"since":"2024-01-31"}`},
		{"acme two", `{"name":"ACME Two","tier":"SILVER","balance":1e1,"since":"2024-02-01"}`},
		{"percent", `{"name":"100% of a_b\\c","tier":"GOLD","balance":-0.5,"since":"1999-12-31"}`},
		{"plain", `{"name":"100 of aXb/c","balance":` + digits + `}`},
		{"spanish", `{"name":"Peña ñandú","balance":` + digits + `.5}`},
		{"greek", `{"name":"ΟΔΟΣ Ärger","balance":0}`},
		{"wrong types", `{"name":7,"tier":true,"balance":"10","since":"soon"}`},
		{"long", `{"name":"` + strings.Repeat("é", 200) + `"}`},
		{"longer", `{"name":"` + strings.Repeat("é", 200) + `END"}`},
		{"plus", `{"name":"a+b","since":"0001-01-01"}`},
		{"empty", `{"name":"","since":"9999-12-31"}`},
		{"nothing", `{}`},
		{"clock", `{"since":"2024-03-01T23:30:00.5-08:00"}`},
	} {
		made[c.key] = s.Customer(c.data)
		names[made[c.key].ID] = c.key
	}
	all := strings.Repeat("%C3%A9", 200)
	for expression, want := range map[string]string{
		"name eq Acme":                                 "acme",
		"name eq acme":                                 "",
		"name eq ACME%20Two":                           "acme two",
		"na%6De eq Peña%20%C3%B1and%C3%BA":             "spanish",
		"name eq 100%25%20of%20a_b%5Cc":                "percent",
		"name eq a+b":                                  "plus",
		"name eq a%2Bb":                                "plus",
		"name eq ":                                     "empty",
		"name eq " + all:                               "long",
		"name eq " + all + "END":                       "longer",
		"name eq " + all + "EN":                        "",
		"name in " + all + "END Acme":                  "acme,longer",
		"name in Acme ACME%20Two none Acme":            "acme,acme two",
		"name in none":                                 "",
		"name contains ACME":                           "acme,acme two",
		"name contains %25":                            "percent",
		"name contains _":                              "percent",
		"name contains %5C":                            "percent",
		"name contains 100":                            "percent,plain",
		"name contains PEÑA":                           "spanish",
		"name contains οδος":                           "greek",
		"name contains ärger":                          "greek",
		"name contains %C3%A9end":                      "longer",
		"name contains me%20t":                         "acme two",
		"tier eq GOLD":                                 "acme,percent",
		"tier in GOLD SILVER":                          "acme,acme two,percent",
		"balance eq 10":                                "acme,acme two",
		"balance eq 10.00":                             "acme,acme two",
		"balance eq 1E1":                               "acme,acme two",
		"balance eq " + digits:                         "plain",
		"balance eq " + digits + ".5":                  "spanish",
		"balance ge " + digits:                         "plain,spanish",
		"balance le -0.5":                              "percent",
		"balance le 0":                                 "percent,greek",
		"balance between -1 10":                        "acme,acme two,percent,greek",
		"balance between 10 -1":                        "",
		"balance in 0 10 7":                            "acme,acme two,greek",
		"balance ge 1e400":                             "",
		"since eq 2024-01-31":                          "acme",
		"since eq 2024-01-31T00:00:00Z":                "acme",
		"since eq 2024-01-30T19:00:00-05:00":           "acme",
		"since eq 2024-01-31T00:00:01Z":                "",
		"since in 2024-02-01 2024-01-31T00:00:00Z":     "acme,acme two",
		"since eq 2024-03-01":                          "clock",
		"since eq 2024-03-02":                          "",
		"since eq 2024-03-02T07:30:00.500Z":            "clock",
		"since in 2024-03-02T07:30:00.500Z 2024-01-31": "acme,clock",
		"since ge 2024-03-02T07:30:00.6Z":              "empty",
		"since between 2024-03-02T07:30:00Z 2024-03-02T07:31:00Z": "clock",
		"since le 2024-03-02T07:30:00.4Z":                         "acme,acme two,percent,plus",
		"since contains t23:30":                                   "clock",
		"since contains 4-0":                                      "acme,acme two,clock",
		"since between 1999-12-31 2024-01-31T00:00:00Z":           "acme,percent",
		"name le 100%25":                                          "plain,empty",
		"name ge a":                                               "greek,long,longer,plus",
		"name ge " + all:                                          "greek,long,longer",
		"name ge " + all + "A":                                    "greek,longer",
		"name le " + all + "END":                                  "acme,acme two,percent,plain,spanish,long,longer,plus,empty",
		"name between A B":                                        "acme,acme two",
		"balance contains .5":                                     "percent,spanish",
		"balance contains 1E1":                                    "",
		"since le 1999-12-31":                                     "percent,plus",
		"since ge 2024-02-01":                                     "acme two,empty,clock",
		"since between 1999-12-31 2024-01-31":                     "acme,percent",
		"since in 2024-01-31 0001-01-01":                          "acme,plus",
		"since between 0001-01-01 9999-12-31":                     "acme,acme two,percent,plus,empty,clock",
		"since eq 2024-02-29":                                     "",
		"%6E%61%6D%65 %65%71 %41%63%6D%65":                        "acme",
		"name contains " + strings.ToUpper(digits):                "",
	} {
		var got []string
		for _, id := range findArtifacts(s, "", expression) {
			got = append(got, names[id])
		}
		require.Equal(t, want, strings.Join(got, ","), expression)
	}

	// All expressions must fit, also several about one field.
	requireIDs(t, findArtifacts(s, "", "name contains acme", "tier eq SILVER"), made["acme two"])
	requireIDs(t, findArtifacts(s, "", "tier eq GOLD", "balance ge 0", "since ge 2000-01-01"), made["acme"])
	requireIDs(t, findArtifacts(s, "", "balance ge 0", "balance le 10", "name contains m"), made["acme"], made["acme two"])
	requireIDs(t, findArtifacts(s, "", "name contains c", "name contains 100", "name contains %25"), made["percent"])
	requireIDs(t, findArtifacts(s, "", "tier eq GOLD", "tier eq SILVER"))

	// With every sort, on its own and with a second field.
	s.Call(200, demo.LoanWorker(), "PUT", apitest.ArtifactPath(made["acme"].ID, "/data"),
		`{"data":{"value":{"name":"Acme","tier":"GOLD","balance":10}}}`)
	for _, more := range [][]string{{"balance eq 10"}, {"balance eq 10", "name contains acme"}} {
		for sort, want := range map[string][]oasb.BusinessArtifact{
			"createdAt":                          {made["acme"], made["acme two"]},
			"createdAt,desc":                     {made["acme two"], made["acme"]},
			"id,desc":                            {made["acme two"], made["acme"]},
			"lastModifiedAt":                     {made["acme two"], made["acme"]},
			"lastModifiedAt,desc":                {made["acme"], made["acme two"]},
			"createdAt,desc&sort=lastModifiedAt": {made["acme two"], made["acme"]},
		} {
			requireIDs(t, findArtifacts(s, "&sort="+sort, more...), want...)
		}
	}
	// A removed value no longer matches.
	requireIDs(t, findArtifacts(s, "", "since eq 2024-01-31"))

	// Pages are parts of the same, with the same total.
	var ids []uuid.UUID
	for page := range 4 {
		got := apitest.Decode[oasb.BusinessArtifactPage](t, s.Get(200, demo.Alice(),
			"/business-artifacts?value=balance+between+-1+10&size=1&sort=createdAt,desc&page="+strconv.Itoa(page)))
		require.EqualValues(t, 4, got.Metadata.TotalElements)
		require.Len(t, got.Content, 1)
		ids = append(ids, got.Content[0].ID)
	}
	requireIDs(t, ids, made["greek"], made["percent"], made["acme two"], made["acme"])
	for _, query := range []string{"size=0", "page=9"} {
		got := apitest.Decode[oasb.BusinessArtifactPage](t, s.Get(200, demo.Alice(), "/business-artifacts?value=tier+in+GOLD+SILVER&"+query))
		require.EqualValues(t, 3, got.Metadata.TotalElements)
		require.Empty(t, got.Content)
	}
}

// Malformed expressions are refused with all violations at once, and so are
// expressions on fields of definitions that are not visible to the caller.
func TestFilterExpressionsAreRefused(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	s.Customer(`{"name":"Acme"}`)
	for _, expression := range []string{
		"name", "name eq", "name  eq Acme", " name eq Acme", "Name eq Acme", "notes eq x", "unknown eq x", "name is Acme",
		"name le A B", "name between A", "balance contains ", "balance eq ten", "balance eq 1 2", "balance between 1",
		"balance eq 1e401", "balance eq 0x10", "balance eq +1", "since eq 2024-02-30", "since ge yesterday", "since contains ",
		"name contains ", "name eq %zz", "name eq %00", "name eq %ff", "name eq a b", "name in" + strings.Repeat(" a", 101),
	} {
		require.Len(t, badValue(s, demo.Alice(), expression), 1, expression)
	}
	require.Len(t, badValue(s, demo.Alice(), "name eq Acme", "unknown eq 1", "balance eq x"), 2)

	// The list is empty, whatever the field, where no definition is visible to
	// the caller or passes the other filters.
	for _, field := range []string{"name", "unknown"} {
		require.Zero(t, s.Total(demo.Stranger(), "/business-artifacts?value="+field+"+eq+Acme"))
		for _, filter := range []string{
			"&businessArtifactDefinitionId=" + uuid.NewString(), "&businessArtifactDefinitionCode=NONE",
			"&tenantId=" + demo.TenantOther().String(), "&tenantId=" + uuid.NewString(),
		} {
			require.Empty(t, findArtifacts(s, filter, field+" eq Acme"), filter)
		}
	}
	require.Len(t, badValue(s, demo.Stranger(), "name eq", "name is Acme", "name eq Acme", "% eq x"), 3)
	for _, filter := range []string{
		"", "&businessArtifactDefinitionId=" + apitest.Customers().String(), "&businessArtifactDefinitionCode=CUSTOMER",
		"&tenantId=" + demo.TenantDemo().String(),
		"&businessArtifactDefinitionCode=CUSTOMER&businessArtifactDefinitionCode=NONE",
	} {
		require.Len(t, findArtifacts(s, filter, "name eq Acme"), 1, filter)
	}
}

// A list knows at once of definitions that have come, changed or gone, and of
// rights that were given or taken, whatever was known of them before.
func TestFiltersFollowTheDefinitions(t *testing.T) { //nolint:funlen // one story of a definition that changes
	t.Parallel()
	s := apitest.NewAdministered(t)
	worker := s.As("worker")
	const anything = `{"properties":{"A":{},"B":{},"C":{},"D":{}}}`
	artifact := func(code, indexes string) string {
		return apitest.Document("north", "BusinessArtifactDefinition", code, `{"name":"Thing","dataSchema":`+anything+`,"indexes":[`+indexes+
			`],"permissions":{"managers":[{"application":"worker"}],"viewers":[{"group":"REVIEWERS"}]}}`)
	}
	list := func(as demo.Account, query string) int {
		t.Helper()
		page := apitest.Decode[oasb.BusinessArtifactPage](t, s.Get(200, as, "/business-artifacts?"+query))
		require.EqualValues(t, len(page.Content), page.Metadata.TotalElements)
		return len(page.Content)
	}
	create := func(code, data string) {
		t.Helper()
		s.Post(201, worker, "/business-artifacts", `{"businessArtifactDefinitionCode":"`+code+`","data":{"value":`+data+`}}`)
	}
	require.Zero(t, list(worker, "value=A+eq+x"))
	s.Apply(s.As("owner"), artifact("CAR", `{"field":"A","type":"STRING"}`))
	require.Zero(t, list(worker, "value=A+eq+x"))
	create("CAR", `{"A":"x","B":1,"C":"2024-01-01"}`)
	create("CAR", `{"A":"y","B":2}`)
	require.Equal(t, 1, list(worker, "value=A+eq+x"))
	require.Equal(t, 1, list(s.As("candidate"), "value=A+eq+x"))
	require.Zero(t, list(s.As("viewer"), "value=A+eq+x"))

	// A new index covers existing artifacts.
	badValue(s.Service, worker, "B ge 1")
	before := s.Get(200, worker, "/business-artifacts?sort=id").Body
	s.Apply(s.As("owner"), artifact("CAR", `{"field":"B","type":"NUMBER"},{"field":"C","type":"DATE"},{"field":"A","type":"STRING"}`))
	require.Equal(t, 2, list(worker, "value=B+ge+1"))
	require.Equal(t, 1, list(worker, "value=B+ge+1&value=C+eq+2024-01-01"))
	require.Equal(t, before, s.Get(200, worker, "/business-artifacts?sort=id").Body)

	// A removed index stops matching at once; a change of type takes effect at
	// once.
	s.Apply(s.As("owner"), artifact("CAR", `{"field":"B","type":"STRING"},{"field":"C","type":"STRING"}`))
	badValue(s.Service, worker, "A eq x")
	require.Zero(t, list(worker, "value=B+ge+1"))
	require.Zero(t, list(worker, "value=B+eq+1"))
	require.Equal(t, 1, list(worker, "value=C+eq+2024-01-01"))

	// A filter on a field that definitions index with different types is
	// refused until one definition is chosen.
	s.Apply(s.As("owner"), artifact("CAR", `{"field":"A","type":"STRING"}`), artifact("BOAT", `{"field":"A","type":"NUMBER"},{"field":"D","type":"STRING"}`))
	create("BOAT", `{"A":5,"D":"x"}`)
	require.Contains(t, badValue(s.Service, worker, "A eq 5")[0], "businessArtifactDefinitionId")
	require.Equal(t, 1, list(worker, "value=A+eq+5&businessArtifactDefinitionCode=BOAT"))
	require.Equal(t, 1, list(worker, "value=A+eq+x&businessArtifactDefinitionCode=CAR"))
	require.Equal(t, 1, list(worker, "value=D+eq+x"))
	// No artifact has both fields.
	s.Apply(s.As("owner"), artifact("BOAT", `{"field":"D","type":"STRING"}`))
	require.Equal(t, 1, list(worker, "value=A+eq+x"))
	require.Zero(t, list(worker, "value=A+eq+x&value=D+eq+x"))

	// Rights given and taken count at once.
	s.Apply(s.As("owner"), apitest.Document("north", "Group", "REVIEWERS", `{"name":"Reviewers","members":[{"user":"viewer"}]}`))
	require.Zero(t, list(s.As("candidate"), "value=A+eq+x"))
	require.Equal(t, 1, list(s.As("viewer"), "value=A+eq+x"))
	require.Equal(t, 3, list(s.As("viewer"), "size=10"))
	s.Apply(s.As("owner"), apitest.Document("north", "BusinessArtifactDefinition", "CAR",
		`{"name":"Thing","dataSchema":`+anything+`,"indexes":[{"field":"A","type":"STRING"}]}`))
	badValue(s.Service, worker, "A eq x")
	require.Equal(t, 1, list(worker, "size=10"))

	// A definition with artifacts cannot be deleted.
	failure := s.Refused(409, "CONFLICT", s.As("owner"), "DELETE", apitest.ResourcePath("north", "BusinessArtifactDefinition", "BOAT", ""), "")
	require.Contains(t, failure.Message, "BOAT")
}

// findArtifacts returns the ids of the artifacts that expressions find for Alice, in order.
func findArtifacts(s *apitest.Service, more string, expressions ...string) []uuid.UUID {
	s.T.Helper()
	query := url.Values{"value": expressions, "size": {"1000"}}
	page := apitest.Decode[oasb.BusinessArtifactPage](s.T, s.Get(200, demo.Alice(), "/business-artifacts?"+query.Encode()+more))
	ids := []uuid.UUID{}
	for _, item := range page.Content {
		ids = append(ids, item.ID)
	}
	require.EqualValues(s.T, len(ids), page.Metadata.TotalElements)
	return ids
}

// badValue requires that expressions are refused as a value of the query and
// returns the messages.
func badValue(s *apitest.Service, as demo.Account, expressions ...string) []string {
	s.T.Helper()
	query := url.Values{"value": expressions}
	failure := s.Refused(400, "VALIDATION", as, "GET", "/business-artifacts?"+query.Encode(), "")
	var messages []string
	for _, one := range failure.Errors {
		require.Equal(s.T, "value", one.Location)
		require.Equal(s.T, "query", one.LocationType)
		messages = append(messages, one.Message)
	}
	return messages
}

// requireIDs requires the ids of artifacts, in order.
func requireIDs(t *testing.T, got []uuid.UUID, want ...oasb.BusinessArtifact) {
	t.Helper()
	ids := []uuid.UUID{}
	for _, a := range want {
		ids = append(ids, a.ID)
	}
	require.Equal(t, ids, got)
}
