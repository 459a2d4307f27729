package app

import (
	"cmp"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// PrincipalKey names a principal by its id or, for users, by e-mail.
type PrincipalKey = persistence.PrincipalKey

// resolvePrincipal returns the id of the named principal, nil when none is
// named. location is the JSON Pointer without its ending Id or Email.
func resolvePrincipal(
	key PrincipalKey, found *persistence.PrincipalTenants, tenant uuid.UUID, field domain.Field,
) (*uuid.UUID, error) {
	switch {
	case key.Empty():
		return nil, nil
	case found.In(tenant):
		return &found.ID, nil
	case key.ID != nil:
		return nil, domain.InvalidField(memberOf(key, field), "is not an active principal of the tenant")
	default:
		return nil, domain.InvalidField(memberOf(key, field), "is not an active user of the tenant")
	}
}

// memberOf returns the member of the field that names the principal.
func memberOf(key PrincipalKey, field domain.Field) domain.Field {
	if key.ID == nil {
		return field.Member(domain.MemberEmail)
	}
	return field.Member(cmp.Or(key.IDMember, domain.MemberID))
}
