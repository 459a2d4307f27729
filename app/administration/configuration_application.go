package administration

import (
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

func applicationHandler() kindHandler {
	return kindHandler{
		put: putSpec((*configuration).putApplication),
		remove: func(c *configuration, tx *persistence.Tx, a AppliedResource, tenant uuid.UUID, now time.Time) {
			tx.RemoveApplication(tenant, a.ID, now)
			tx.RevokeEngineGrantsOf(a.ID, []uuid.UUID{tenant}, c.caller.PrincipalID, now)
		},
		identify: func(c *configuration, d *resource.Document) (uuid.UUID, bool) {
			tenant := c.tenants[d.TenantCode()]
			if d.Metadata.ID != nil && tenant != nil && c.isFormerApplication(*d.Metadata.ID, tenant.ID) {
				return *d.Metadata.ID, true
			}
			return uuid.Nil, false
		},
	}
}

func (c *configuration) putApplication(tx *persistence.Tx, w written, spec *resource.ApplicationSpec) error {
	tx.PutApplication(domain.Application{
		Principal: domain.Principal{ID: w.id, Type: domain.PrincipalApplication, Name: spec.Name},
		TenantID:  w.tenant, Role: spec.Role, Disabled: spec.Disabled, Audit: w.audit,
	})
	declared, err := newCredentials(spec.Secrets, domain.CredentialApplicationSecret, w.audit.LastModifiedBy, w.audit.LastModifiedAt)
	if err != nil {
		return err
	}
	tx.DeclareCredentials(w.id, nil, declared, nil)
	if spec.Disabled {
		tx.RevokeEngineGrantsOf(w.id, []uuid.UUID{w.tenant}, w.audit.LastModifiedBy, w.audit.LastModifiedAt)
	}
	return nil
}

func newCredentials(declared []resource.SecretSpec, kind domain.CredentialKind, by uuid.UUID, now time.Time) ([]domain.Credential, error) {
	var issuer *uuid.UUID
	if by != domain.SystemPrincipalID() {
		issuer = &by
	}
	result := make([]domain.Credential, len(declared))
	for i, s := range declared {
		result[i] = domain.Credential{ID: domain.NewID(), Kind: kind, Name: s.Name, Declared: true, CreatedAt: now, ExpiresAt: s.ExpiresAt, IssuedBy: issuer}
		if _, err := hex.Decode(result[i].SecretSHA256[:], []byte(s.SHA256)); err != nil {
			return nil, fmt.Errorf("secret %s: %w", s.Name, err)
		}
	}
	return result, nil
}

// isFormerApplication reports whether the id belongs to an application of the tenant without a document, such as a
// deleted one.
func (c *configuration) isFormerApplication(id, tenant uuid.UUID) bool {
	if c.isDescribed(id) {
		return false
	}
	return slices.ContainsFunc(c.Principals, func(p persistence.PrincipalState) bool {
		return p.ID == id && p.Type == domain.PrincipalApplication && slices.Contains(p.TenantIDs, tenant)
	})
}
