package domain_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

// Each relation alone. A combination gives no more than its relations.
func TestWhoSeesAProcess(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		relations     domain.ProcessRelations
		sees, manages bool
	}{
		"no relation":                           {domain.ProcessRelations{}, false, false},
		"initiator":                             {domain.ProcessRelations{Initiator: true}, true, false},
		"runner":                                {domain.ProcessRelations{Runner: true}, true, true},
		"who may start others":                  {domain.ProcessRelations{Starter: true}, false, false},
		"viewer":                                {domain.ProcessRelations{Viewer: true}, true, false},
		"manager":                               {domain.ProcessRelations{Manager: true}, true, true},
		"administrator of the definition":       {domain.ProcessRelations{Administrator: true}, false, false},
		"owner of an item":                      {domain.ProcessRelations{ItemOwner: true}, true, false},
		"candidate of an item":                  {domain.ProcessRelations{ItemCandidate: true}, true, false},
		"administrator who may start processes": {domain.ProcessRelations{Starter: true, Administrator: true}, false, false},
	} {
		require.False(t, domain.SeesProcess(c.relations), "%s outside the tenant", name)
		require.False(t, domain.ManagesProcess(c.relations), "%s outside the tenant", name)
		c.relations.Member = true
		require.Equal(t, c.sees, domain.SeesProcess(c.relations), name)
		require.Equal(t, c.manages, domain.ManagesProcess(c.relations), name)
	}
}

func TestWhoSeesAnItem(t *testing.T) {
	t.Parallel()
	initiator := domain.ProcessRelations{Initiator: true}
	for name, c := range map[string]struct {
		relations    domain.ItemRelations
		sees, claims bool
	}{
		"no relation":                      {domain.ItemRelations{}, false, false},
		"owner":                            {domain.ItemRelations{Owner: true}, true, false},
		"delegator":                        {domain.ItemRelations{Delegator: true}, true, false},
		"substitute of the owner":          {domain.ItemRelations{Substitute: true}, true, false},
		"candidate":                        {domain.ItemRelations{Candidate: true}, true, true},
		"viewer":                           {domain.ItemRelations{Viewer: true}, true, false},
		"initiator":                        {domain.ItemRelations{Process: initiator}, false, false},
		"initiator as a candidate":         {domain.ItemRelations{Process: initiator, InitiatorCandidate: true}, true, true},
		"initiator as a viewer":            {domain.ItemRelations{Process: initiator, InitiatorViewer: true}, true, false},
		"initiator permissions of another": {domain.ItemRelations{InitiatorCandidate: true, InitiatorViewer: true}, false, false},
		"viewer of the process":            {domain.ItemRelations{Process: domain.ProcessRelations{Viewer: true}}, true, false},
		"manager of the process":           {domain.ItemRelations{Process: domain.ProcessRelations{Manager: true}}, true, false},
		"runner of the process":            {domain.ItemRelations{Process: domain.ProcessRelations{Runner: true}}, true, false},
		"owner of another item":            {domain.ItemRelations{Process: domain.ProcessRelations{ItemOwner: true}}, false, false},
		"candidate of another item":        {domain.ItemRelations{Process: domain.ProcessRelations{ItemCandidate: true}}, false, false},
	} {
		require.False(t, domain.SeesItem(c.relations), "%s outside the tenant", name)
		require.False(t, domain.ClaimsItem(c.relations), "%s outside the tenant", name)
		c.relations.Process.Member = true
		require.Equal(t, c.sees, domain.SeesItem(c.relations), name)
		require.Equal(t, c.claims, domain.ClaimsItem(c.relations), name)
	}
}
