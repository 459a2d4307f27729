package shapeb_test

import (
	"net/url"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

func TestPaging(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	var all []uuid.UUID
	for range 5 {
		all = append(all, s.Loan().ID)
	}
	for query, want := range map[string]struct {
		ids  []uuid.UUID
		meta oasb.PageMetadata
	}{
		"":                        {all, oasb.PageMetadata{Size: 25, Page: 0, TotalElements: 5, TotalPages: 1}},
		"?size=2":                 {all[:2], oasb.PageMetadata{Size: 2, Page: 0, TotalElements: 5, TotalPages: 3}},
		"?size=2&page=2":          {all[4:], oasb.PageMetadata{Size: 2, Page: 2, TotalElements: 5, TotalPages: 3}},
		"?size=2&page=3":          {nil, oasb.PageMetadata{Size: 2, Page: 3, TotalElements: 5, TotalPages: 3}},
		"?size=1000":              {all, oasb.PageMetadata{Size: 1000, Page: 0, TotalElements: 5, TotalPages: 1}},
		"?page=2147483647":        {nil, oasb.PageMetadata{Size: 25, Page: 2147483647, TotalElements: 5, TotalPages: 1}},
		"?size=0":                 {nil, oasb.PageMetadata{Size: 0, Page: 0, TotalElements: 5, TotalPages: 0}},
		"?size=0&page=7":          {nil, oasb.PageMetadata{Size: 0, Page: 7, TotalElements: 5, TotalPages: 0}},
		"?size=2&sort=id%2Cdesc":  {[]uuid.UUID{all[4], all[3]}, oasb.PageMetadata{Size: 2, TotalElements: 5, TotalPages: 3}},
		"?state=CANCELLED&size=3": {nil, oasb.PageMetadata{Size: 3, TotalElements: 0, TotalPages: 0}},
	} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			s := s.In(t)
			got := s.Get(200, demo.LoanWorker(), "/processes"+query)
			require.NotContains(t, got.Body, `"content":null`)
			page := apitest.Decode[apitest.Listed](t, got)
			require.Equal(t, want.meta, page.Metadata)
			require.Equal(t, append([]uuid.UUID{}, want.ids...), page.IDs())
		})
	}
}

func TestSortingProcesses(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	a, b, c := s.Loan().ID, s.Loan().ID, s.Loan().ID
	s.Call(200, demo.LoanWorker(), "PUT", apitest.ProcessPath(a, "/metadata"), `{"metadata":{"value":{}}}`)
	for sort, want := range map[string][]uuid.UUID{
		"sort=createdAt":                             {a, b, c},
		"sort=createdAt,DESC":                        {c, b, a},
		"sort=lastModifiedAt,asc":                    {b, c, a},
		"sort=lastModifiedAt,desc&sort=createdAt":    {a, c, b},
		"sort=id%2Cdesc":                             {c, b, a},
		"sort=createdAt,desc&sort=lastModifiedAt&x=": {c, b, a},
	} {
		t.Run(sort, func(t *testing.T) {
			t.Parallel()
			s := s.In(t)
			require.Equal(t, want, s.List(demo.LoanWorker(), "/processes?"+sort).IDs())
		})
	}
}

func TestSortingItems(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := s.Loan().ID
	ready := s.Item(process, "LOAN_APPLICATION", "").ID
	claimed := s.Item(process, "LOAN_APPLICATION", apitest.OwnedBy(demo.LoanWorker())).ID
	completed := s.Item(process, "LOAN_APPLICATION", apitest.OwnedBy(demo.LoanWorker())).ID
	s.Post(200, demo.LoanWorker(), apitest.ItemPath(completed, "/task/~actions/complete"), "")
	cancelled := s.Item(process, "LOAN_APPLICATION", "").ID
	s.Post(200, demo.LoanWorker(),
		apitest.ProcessPath(process, "/~actions/cancel-process-items?processItemId="+cancelled.String()), "")
	// Rows without the time come last in both directions, in the order of ids.
	for sort, want := range map[string][]uuid.UUID{
		"claimedAt":           {claimed, completed, ready, cancelled},
		"claimedAt,desc":      {completed, claimed, ready, cancelled},
		"completedAt":         {completed, ready, claimed, cancelled},
		"completedAt,desc":    {completed, ready, claimed, cancelled},
		"cancelledAt":         {cancelled, ready, claimed, completed},
		"cancelledAt,desc":    {cancelled, ready, claimed, completed},
		"createdAt,desc":      {cancelled, completed, claimed, ready},
		"lastModifiedAt,desc": {cancelled, completed, claimed, ready},
	} {
		t.Run(sort, func(t *testing.T) {
			t.Parallel()
			s := s.In(t)
			require.Equal(t, want, s.List(demo.LoanWorker(), "/process-items?sort="+sort).IDs())
		})
	}
}

func TestFilteringProcesses(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	carols := s.Loan().ID
	alices := s.Process(demo.Alice(), demo.Loan()).ID
	onboarding := s.Process(demo.Alice(), demo.Onboarding()).ID
	inspection := s.Process(demo.Alice(), demo.Inspection()).ID
	s.Post(200, demo.Alice(), apitest.ProcessPath(onboarding, "/~actions/complete"), "")
	s.Post(200, demo.Alice(), apitest.ProcessPath(inspection, "/~actions/cancel"), "")
	absent := uuid.NewString()
	s.Filtered(demo.Alice(), "/processes", map[string][]uuid.UUID{
		"":                                       {carols, alices, onboarding, inspection},
		"tenantId=" + demo.TenantDemo().String(): {carols, alices, onboarding, inspection},
		"tenantId=" + absent:                     nil,
		"processDefinitionId=" + demo.Loan().String():                                          {carols, alices},
		"processDefinitionId=" + absent + "&processDefinitionId=" + demo.Onboarding().String(): {onboarding},
		"processDefinitionCode=LOAN":                                                           {carols, alices},
		"processDefinitionCode=LOAN&processDefinitionCode=INSPECTION":                          {carols, alices, inspection},
		"processDefinitionCode=LOAN,INSPECTION":                                                nil,
		"state=RUNNING":                                                                        {carols, alices},
		"state=COMPLETED&state=CANCELLED":                                                      {onboarding, inspection},
		"initiatorId=" + demo.Carol().ID.String():                                              {carols},
		"initiatorEmail=" + url.QueryEscape("CAROL@demo.example"):                              {carols},
		"initiatorEmail=absent@demo.example":                                                   nil,
		"initiatorEmail=carol@demo.example&processDefinitionCode=ONBOARDING":                   nil,
		"state=RUNNING&initiatorId=" + demo.Alice().ID.String():                                {alices},
	})
}

func TestFilteringItems(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	loan, onboarding := s.Loan().ID, s.Process(demo.Alice(), demo.Onboarding()).ID
	ready := s.Item(loan, "LOAN_APPLICATION", "").ID
	claimed := s.Item(loan, "APPROVE_LOAN", apitest.OwnedBy(demo.Bob())).ID
	note := apitest.Decode[oasb.ProcessItem](t, s.Post(201, demo.LoanWorker(), "/process-items",
		`{"type":"MESSAGE","processId":"`+loan.String()+`","processItemDefinitionCode":"NOTE","message":{"text":"*t*"}}`)).ID
	thread := apitest.Decode[oasb.ProcessItem](t, s.Post(201, demo.LoanWorker(), "/process-items",
		`{"type":"THREAD","processId":"`+loan.String()+`","processItemDefinitionCode":"DISCUSSION"}`)).ID
	checklist := apitest.Decode[oasb.ProcessItem](t, s.Post(201, demo.Alice(), "/process-items",
		`{"type":"TASK","processId":"`+onboarding.String()+`","processItemDefinitionCode":"CHECKLIST"}`)).ID
	absent := uuid.NewString()
	s.Filtered(demo.Alice(), "/process-items", map[string][]uuid.UUID{
		"":                                      {ready, claimed, note, thread, checklist},
		"processId=" + loan.String():            {ready, claimed, note, thread},
		"processId=" + absent:                   nil,
		"type=TASK":                             {ready, claimed, checklist},
		"type=MESSAGE&type=THREAD":              {note, thread},
		"taskState=READY":                       {ready, checklist},
		"taskState=CLAIMED&taskState=COMPLETED": {claimed},
		"processItemDefinitionCode=NOTE&processItemDefinitionCode=CHECKLIST":      {note, checklist},
		"processItemDefinitionCode=note":                                          nil,
		"processDefinitionId=" + demo.Onboarding().String():                       {checklist},
		"processDefinitionCode=LOAN&type=TASK":                                    {ready, claimed},
		"processDefinitionCode=NONE":                                              nil,
		"tenantId=" + demo.TenantDemo().String() + "&tenantId=" + absent:          {ready, claimed, note, thread, checklist},
		"tenantId=" + demo.TenantOther().String():                                 nil,
		"taskState=READY&processItemDefinitionCode=LOAN_APPLICATION&type=MESSAGE": nil,
	})
}

func TestListingIdentities(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	names := func(query string) []string {
		var names []string
		for _, p := range s.List(demo.Carol(), "/principals?sort=name&"+query).Content {
			names = append(names, p.Name)
		}
		return names
	}
	require.Equal(t, []string{"Alice", "Bob", "Carol", "Procession", "loan-worker", "reader", "stranger"}, names(""))
	require.Equal(t, []string{"Alice", "Bob", "Carol"}, names("type=USER"))
	require.Equal(t, []string{"Bob"}, names("groupId="+demo.Reviewers().String()))
	require.Equal(t, []string{"Bob"}, names("groupCode=REVIEWERS&type=USER"))
	require.Nil(t, names("groupCode=NONE"))
	require.Nil(t, names("tenantId="+demo.TenantOther().String()))
	require.Equal(t, 1, s.Total(demo.Carol(), "/tenant-users?email=BOB@demo.example"))
	require.Equal(t, 3, s.Total(demo.Carol(), "/tenant-users"))
	require.Equal(t, []uuid.UUID{demo.TenantDemo()}, s.List(demo.Carol(), "/tenants").IDs())

	alice := apitest.Decode[oasb.Principal](t, s.Get(200, demo.Bob(), "/principals/"+demo.Alice().ID.String()))
	require.Equal(t, "alice@demo.example", *alice.User.Email)
	require.Nil(t, alice.Application)
	worker := apitest.Decode[oasb.Principal](t, s.Get(200, demo.Bob(), "/principals/"+demo.LoanWorker().ID.String()))
	require.Equal(t, demo.LoanWorker().ID, *worker.Application.ID)
	require.Nil(t, worker.User)
}
