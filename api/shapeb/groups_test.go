package shapeb_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

func TestListingGroups(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	bob, reviewers := demo.Bob().ID, demo.Reviewers()
	auditors := s.AddGroup(demo.TenantDemo(), "AUDITORS", "Auditors", bob, demo.Carol().ID)
	empty := s.AddGroup(demo.TenantDemo(), "EMPTY", "Zero")
	foreign := s.AddGroup(demo.TenantOther(), "REVIEWERS", "Reviewers", bob)

	page := apitest.Decode[oasb.GroupPage](t, s.Get(200, demo.Stranger(), "/groups?groupCode=REVIEWERS"))
	require.Equal(t, []oasb.GroupPageItem{
		{ID: reviewers, Name: "Reviewers", Code: "REVIEWERS", TenantID: demo.TenantDemo()},
	}, page.Content)
	require.Equal(t, oasb.PageMetadata{Size: 25, TotalElements: 1, TotalPages: 1}, page.Metadata)

	absent := uuid.NewString()
	s.Filtered(demo.Carol(), "/groups", map[string][]uuid.UUID{
		"":                                       {reviewers, auditors, empty},
		"tenantId=" + demo.TenantDemo().String(): {reviewers, auditors, empty},
		"tenantId=" + demo.TenantDemo().String() + "&tenantId=" + absent: {reviewers, auditors, empty},
		"tenantId=" + demo.TenantOther().String():                        nil,
		"principalId=" + bob.String():                                    {reviewers, auditors},
		"principalId=" + demo.Carol().ID.String():                        {auditors},
		"principalId=" + absent:                                          nil,
		"groupId=" + empty.String() + "&groupId=" + reviewers.String():   {reviewers, empty},
		"groupId=" + foreign.String():                                    nil,
		"groupId=" + empty.String() + "&principalId=" + bob.String():     nil,
		"groupCode=EMPTY&groupCode=AUDITORS":                             {auditors, empty},
		"groupCode=empty":                                                nil,
		"groupCode=EMPTY,AUDITORS":                                       nil,
		"groupCode=AUDITORS&groupId=" + empty.String():                   nil,
	})
	s.Filtered(demo.OtherWorker(), "/groups", map[string][]uuid.UUID{
		"": {foreign}, "principalId=" + bob.String(): {foreign}, "groupId=" + reviewers.String(): nil,
	})

	require.Equal(t, []uuid.UUID{auditors, reviewers, empty}, s.List(demo.Bob(), "/groups?sort=name").IDs())
	require.Equal(t, []uuid.UUID{empty, reviewers, auditors}, s.List(demo.Bob(), "/groups?sort=name,DESC").IDs())
	second := s.List(demo.Bob(), "/groups?sort=name&size=2&page=1")
	require.Equal(t, []uuid.UUID{empty}, second.IDs())
	require.Equal(t, oasb.PageMetadata{Size: 2, Page: 1, TotalElements: 3, TotalPages: 2}, second.Metadata)
	require.Equal(t, oasb.PageMetadata{TotalElements: 3}, s.List(demo.Bob(), "/groups?size=0").Metadata)
}
