package admin_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// resources returns the resources of a list, as tenant/kind/code.
func resources(s *apitest.Administered, as demo.Account, query string) []string {
	s.T.Helper()
	page := apitest.Decode[oasadmin.ResourcePage](s.T, s.Get(200, as, apitest.AdminAPI+"/resources?size=1000&"+query))
	require.Equal(s.T, int64(len(page.Content)), page.Metadata.TotalElements)
	names := []string{}
	for _, r := range page.Content {
		tenant := r.Metadata.Code
		if r.Metadata.Tenant != nil {
			tenant = *r.Metadata.Tenant
		}
		names = append(names, tenant+"/"+string(r.Kind)+"/"+r.Metadata.Code)
	}
	return names
}

func TestResourcesAreListedInTheOrderOfTheirNeeds(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	want := func(tenant string) []string {
		var names []string
		for name := range strings.FieldsSeq(`Tenant/` + tenant + ` User/administrator User/candidate User/definer
			User/initiator User/manager User/owner User/viewer Application/stranger Application/worker Group/REVIEWERS
			DataStructure/ADDRESS EncryptionKey/payloads ProcessDefinition/LOAN BusinessArtifactDefinition/CUSTOMER WebhookSubscription/EVENTS
			Robot/BOT NotificationReceiver/OPS`) {
			names = append(names, tenant+"/"+name)
		}
		return names
	}
	require.Equal(t, want("north"), resources(s, s.As("owner"), ""))
	require.Equal(t, append(want("north"), want("south")...), resources(s, s.Operator, "tenant=south&tenant=north"))

	first := apitest.Decode[oasadmin.ResourcePage](t, s.Get(200, s.As("owner"), apitest.AdminAPI+"/resources?size=3"))
	require.Equal(t, oasadmin.PageMetadata{Size: 3, TotalElements: 18, TotalPages: 6}, first.Metadata)
	require.Equal(t, "north", first.Content[0].Metadata.Code)
	last := apitest.Decode[oasadmin.ResourcePage](t, s.Get(200, s.As("owner"), apitest.AdminAPI+"/resources?size=3&page=5"))
	require.Len(t, last.Content, 3)
	require.Equal(t, "OPS", last.Content[2].Metadata.Code)
}

func TestResourcesAreFilteredAndSorted(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	owner := s.As("owner")
	s.Apply(
		owner, apitest.Document("north", "Robot", "AUNT", `{"name":"Aunt"}`),
		strings.Replace(apitest.Document("north", "Robot", "COUSIN", `{"name":"Cousin"}`), `"app":"test"`, `"app":"test","tier":"gold"`, 1),
	)
	for query, want := range map[string]string{
		"kind=Robot&sort=code":                                "Robot/AUNT Robot/BOT Robot/COUSIN",
		"kind=Robot&sort=code%2Cdesc":                         "Robot/COUSIN Robot/BOT Robot/AUNT",
		"kind=Robot&sort=createdAt&sort=code":                 "Robot/BOT Robot/AUNT Robot/COUSIN",
		"kind=Robot&kind=Group&sort=kind%2Cdesc&sort=code":    "Robot/AUNT Robot/BOT Robot/COUSIN Group/REVIEWERS",
		"code=BOT&code=LOAN":                                  "ProcessDefinition/LOAN Robot/BOT",
		"label=app%3Dtest&label=tier%3Dgold":                  "Robot/COUSIN",
		"label=app%3Dother":                                   "",
		"label=app%3D":                                        "",
		"kind=Robot&tenant=south":                             "",
		"kind=Robot&sort=lastModifiedAt%2Cdesc&sort=code&x=1": "Robot/AUNT Robot/COUSIN Robot/BOT",
	} {
		codes := []string{}
		for name := range strings.FieldsSeq(want) {
			codes = append(codes, "north/"+name)
		}
		require.Equal(t, codes, resources(s, owner, query), query)
	}
}

// Without a tenant the code is enough where only one tenant has it.
func TestTheTenantOfAResourceMayBeLeftOut(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	path := apitest.AdminAPI + "/resources/Group/REVIEWERS"
	require.Equal(t, s.Get(200, s.As("owner"), apitest.ResourcePath("north", "Group", "REVIEWERS", "")).Body,
		s.Get(200, s.As("owner"), path).Body)
	failure := s.Refused(400, "VALIDATION", s.Operator, "GET", path, "")
	require.Equal(t, "tenant", failure.Errors[0].Location)
	require.Equal(t, "query", failure.Errors[0].LocationType)
}

// Requests that apply the same at the same time take turns.
func TestApplyingTheSameAtOnce(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	body := apitest.Applying("", apitest.Document("north", "Group", "NEW", `{"name":"New","members":[{"user":"viewer"}]}`),
		strings.Replace(s.LoanOf("north", ""), `"name":"Loan"`, `"name":"Home loan"`, 1))
	const requests = 6
	answers := make([]apitest.Answer, requests)
	errs := make([]error, requests)
	var all sync.WaitGroup
	for i := range requests {
		r := apitest.Request(t, s.As("owner"), "POST", apitest.ApplyPath, body)
		all.Go(func() { answers[i], errs[i] = s.Exchange(r) })
	}
	all.Wait()
	created := 0
	for i := range requests {
		require.NoError(t, errs[i])
		require.Equal(t, 200, answers[i].Status, answers[i].Body)
		if apitest.Decode[oasadmin.ResourceApplyResult](t, answers[i]).Results[0].Action == oasadmin.ApplyActionCREATED {
			created++
		}
	}
	require.Equal(t, 1, created)
	require.Len(t, apitest.Decode[oasadmin.DefinitionVersionList](t, s.Get(200, s.As("owner"), apitest.VersionsPath("north", "LOAN"))).Content, 2)
}

// A page size too large for the shapes is allowed here.
func TestALargeFolderIsApplied(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	body := apitest.Applying("", strings.Repeat(" ", 2<<20)+apitest.Document("north", "Robot", "BOT", `{"name":"Bot"}`))
	s.Post(200, s.As("owner"), apitest.ApplyPath, body)
}
