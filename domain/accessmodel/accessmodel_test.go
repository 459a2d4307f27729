package accessmodel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/accessmodel"
)

func TestWhoSeesAResource(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		relations accessmodel.ResourceRelations
		sees      bool
	}{
		"no relation":                           {accessmodel.ResourceRelations{}, false},
		"operator":                              {accessmodel.ResourceRelations{Operator: true}, true},
		"owner":                                 {accessmodel.ResourceRelations{Role: domain.RoleOwner}, true},
		"administrator":                         {accessmodel.ResourceRelations{Role: domain.RoleAdministrator}, true},
		"member":                                {accessmodel.ResourceRelations{Role: domain.RoleMember}, false},
		"administrator of it":                   {accessmodel.ResourceRelations{Role: domain.RoleMember, Administrator: true}, true},
		"administrator of it, but of elsewhere": {accessmodel.ResourceRelations{Administrator: true}, false},
	} {
		require.Equal(t, c.sees, accessmodel.SeesResource(c.relations), name)
	}
}
