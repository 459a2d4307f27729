package api_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
)

// listed is a page of any list.
type listed struct {
	Metadata oasb.PageMetadata
	Content  []struct {
		ID   uuid.UUID
		Name string
	}
}

func (l listed) ids() []uuid.UUID {
	ids := make([]uuid.UUID, len(l.Content))
	for i, element := range l.Content {
		ids[i] = element.ID
	}
	return ids
}

func (s *service) list(as demo.Account, path string) listed {
	s.t.Helper()
	return decode[listed](s.t, s.get(200, as, path))
}

func (s *service) total(as demo.Account, path string) int {
	s.t.Helper()
	return int(s.list(as, path).Metadata.TotalElements)
}

func TestPaging(t *testing.T) {
	t.Parallel()
	s := newService(t)
	var all []uuid.UUID
	for range 5 {
		all = append(all, s.loan().ID)
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
			s := s.in(t)
			got := s.get(200, demo.LoanWorker(), "/processes"+query)
			require.NotContains(t, got.body, `"content":null`)
			page := decode[listed](t, got)
			require.Equal(t, want.meta, page.Metadata)
			require.Equal(t, append([]uuid.UUID{}, want.ids...), page.ids())
		})
	}
}

func TestSortingProcesses(t *testing.T) {
	t.Parallel()
	s := newService(t)
	a, b, c := s.loan().ID, s.loan().ID, s.loan().ID
	s.call(200, demo.LoanWorker(), "PUT", processPath(a, "/metadata"), `{"metadata":{"value":{}}}`)
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
			s := s.in(t)
			require.Equal(t, want, s.list(demo.LoanWorker(), "/processes?"+sort).ids())
		})
	}
}

func TestSortingItems(t *testing.T) {
	t.Parallel()
	s := newService(t)
	process := s.loan().ID
	ready := s.item(process, "LOAN_APPLICATION", "").ID
	claimed := s.item(process, "LOAN_APPLICATION", ownedBy(demo.LoanWorker())).ID
	completed := s.item(process, "LOAN_APPLICATION", ownedBy(demo.LoanWorker())).ID
	s.post(200, demo.LoanWorker(), itemPath(completed, "/task/~actions/complete"), "")
	cancelled := s.item(process, "LOAN_APPLICATION", "").ID
	s.post(200, demo.LoanWorker(),
		processPath(process, "/~actions/cancel-process-items?processItemId="+cancelled.String()), "")
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
			s := s.in(t)
			require.Equal(t, want, s.list(demo.LoanWorker(), "/process-items?sort="+sort).ids())
		})
	}
}

// filtered requires that each query finds exactly these.
func (s *service) filtered(as demo.Account, path string, want map[string][]uuid.UUID) {
	s.t.Helper()
	for query, ids := range want {
		got := s.list(as, path+"?sort=id&"+query)
		ids = append([]uuid.UUID{}, ids...)
		slices.SortFunc(ids, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
		require.Equal(s.t, ids, got.ids(), query)
		require.Equal(s.t, int64(len(ids)), got.Metadata.TotalElements, query)
	}
}

func TestFilteringProcesses(t *testing.T) {
	t.Parallel()
	s := newService(t)
	carols := s.loan().ID
	alices := s.process(demo.Alice(), demo.Loan()).ID
	onboarding := s.process(demo.Alice(), demo.Onboarding()).ID
	inspection := s.process(demo.Alice(), demo.Inspection()).ID
	s.post(200, demo.Alice(), processPath(onboarding, "/~actions/complete"), "")
	s.post(200, demo.Alice(), processPath(inspection, "/~actions/cancel"), "")
	absent := uuid.NewString()
	s.filtered(demo.Alice(), "/processes", map[string][]uuid.UUID{
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
	s := newService(t)
	loan, onboarding := s.loan().ID, s.process(demo.Alice(), demo.Onboarding()).ID
	ready := s.item(loan, "LOAN_APPLICATION", "").ID
	claimed := s.item(loan, "APPROVE_LOAN", ownedBy(demo.Bob())).ID
	note := decode[oasb.ProcessItem](t, s.post(201, demo.LoanWorker(), "/process-items",
		`{"type":"MESSAGE","processId":"`+loan.String()+`","processItemDefinitionCode":"NOTE","message":{"text":"*t*"}}`)).ID
	thread := decode[oasb.ProcessItem](t, s.post(201, demo.LoanWorker(), "/process-items",
		`{"type":"THREAD","processId":"`+loan.String()+`","processItemDefinitionCode":"DISCUSSION"}`)).ID
	checklist := decode[oasb.ProcessItem](t, s.post(201, demo.Alice(), "/process-items",
		`{"type":"TASK","processId":"`+onboarding.String()+`","processItemDefinitionCode":"CHECKLIST"}`)).ID
	absent := uuid.NewString()
	s.filtered(demo.Alice(), "/process-items", map[string][]uuid.UUID{
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
	s := newService(t)
	names := func(query string) []string {
		var names []string
		for _, p := range s.list(demo.Carol(), "/principals?sort=name&"+query).Content {
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
	require.Equal(t, 1, s.total(demo.Carol(), "/tenant-users?email=BOB@demo.example"))
	require.Equal(t, 3, s.total(demo.Carol(), "/tenant-users"))
	require.Equal(t, []uuid.UUID{demo.TenantDemo()}, s.list(demo.Carol(), "/tenants").ids())

	alice := decode[oasb.Principal](t, s.get(200, demo.Bob(), "/principals/"+demo.Alice().ID.String()))
	require.Equal(t, "alice@demo.example", *alice.User.Email)
	require.Nil(t, alice.Application)
	worker := decode[oasb.Principal](t, s.get(200, demo.Bob(), "/principals/"+demo.LoanWorker().ID.String()))
	require.Equal(t, demo.LoanWorker().ID, *worker.Application.ID)
	require.Nil(t, worker.User)
}
