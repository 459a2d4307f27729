package administration

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

func userHandler() kindHandler {
	return kindHandler{
		put: putSpec((*configuration).putUser), check: checkSpec((*configuration).checkUser),
		remove: func(c *configuration, tx *persistence.Tx, a AppliedResource, tenant uuid.UUID, now time.Time) {
			tx.RemoveTenantUser(tenant, a.ID)
			tx.RevokeEngineGrantsOf(a.ID, []uuid.UUID{tenant}, c.caller.PrincipalID, now)
		},
		identify: func(c *configuration, d *resource.Document) (uuid.UUID, bool) {
			spec, ok := d.Spec.(*resource.UserSpec)
			if !ok {
				return uuid.Nil, false
			}
			return c.findPerson(spec.Email)
		},
	}
}

func (c *configuration) putUser(tx *persistence.Tx, w written, spec *resource.UserSpec) error {
	schema, err := c.userMetadataSchema(w.Metadata.Tenant)
	if err != nil {
		return err
	}
	metadata, err := initialValue(schema, spec.Metadata)
	if err != nil {
		return err
	}
	err = tx.PutTenantUser(domain.TenantUser{
		ID: uuid.NewSHA1(w.tenant, w.id[:]), TenantID: w.tenant, Role: spec.Role, Metadata: metadata, Audit: w.audit,
		Disabled:  spec.Disabled,
		Principal: domain.Principal{ID: w.id, Type: domain.PrincipalUser, Name: spec.Name, Email: spec.Email},
	})
	if err != nil {
		return err
	}
	if before := c.storedUser(w.Key()); len(spec.ClaimedGroups) > 0 || before != nil && len(before.ClaimedGroups) > 0 {
		tx.PutClaims(w.tenant, w.id, c.claimedIDs(w.Metadata.Tenant, spec))
	}
	declared, err := newCredentials(spec.AccessTokens, domain.CredentialPersonalAccessToken, w.audit.LastModifiedBy, w.audit.LastModifiedAt)
	if err != nil {
		return err
	}
	tx.DeclareCredentials(w.id, &w.tenant, declared, c.policy.endOfToken(w.audit.LastModifiedAt))
	if spec.Disabled {
		tx.RevokeEngineGrantsOf(w.id, []uuid.UUID{w.tenant}, w.audit.LastModifiedBy, w.audit.LastModifiedAt)
	}
	return nil
}

func (c *configuration) userMetadataSchema(tenantCode string) (*jsondoc.Schema, error) {
	spec := c.tenantSpec(tenantCode)
	if spec == nil {
		return nil, nil
	}
	schema, err := jsondoc.Compile(spec.UserMetadataSchema)
	if err != nil {
		return nil, fmt.Errorf("user metadata schema: %w", err)
	}
	return schema, nil
}

// initialValue returns the initial value, without references, of a new resource,
// checked against the schema; nil for no value.
func initialValue(schema *jsondoc.Schema, document json.RawMessage) (*domain.JSONValue, error) {
	text := schema.Initial(document)
	if text == nil {
		return nil, nil
	}
	value, err := schema.Validate(text)
	if err != nil {
		return nil, err
	}
	return &value, nil
}

// findPerson finds the user with the e-mail: of any tenant, or one that the change
// creates. A dry run, which records no event, does not find users of other
// tenants than the caller's.
func (c *configuration) findPerson(email string) (uuid.UUID, bool) {
	for _, p := range c.Principals {
		if p.Type == domain.PrincipalUser && domain.EqualEmails(p.Email, email) && (!c.dryRun || !c.isStranger(p.ID)) {
			return p.ID, true
		}
	}
	for key, d := range c.desired {
		if spec, ok := d.Spec.(*resource.UserSpec); ok && domain.EqualEmails(spec.Email, email) {
			return c.ids[key], true
		}
	}
	return uuid.Nil, false
}

// isStranger reports whether a principal belongs to none of the caller's tenants.
func (c *configuration) isStranger(id uuid.UUID) bool {
	if c.caller.Operator {
		return false
	}
	own := c.caller.TenantIDs()
	return slices.ContainsFunc(c.Principals, func(p persistence.PrincipalState) bool {
		return p.ID == id && !slices.ContainsFunc(p.TenantIDs, func(tenant uuid.UUID) bool { return slices.Contains(own, tenant) })
	})
}

// checkUser reports an e-mail that changes or that another user of the tenant has, and tokens that the service does not
// allow.
func (c *configuration) checkUser(d *resource.Document, spec *resource.UserSpec) *resource.Violation {
	if violation := c.policy.checkTokens(spec.AccessTokens); violation != nil {
		return violation
	}
	if before := c.stored[d.Key()]; before != nil {
		stored, ok := before.Spec.(*resource.UserSpec)
		if ok && !domain.EqualEmails(stored.Email, spec.Email) {
			return &resource.Violation{
				Pointer: "/spec/email", Message: "cannot be changed, it says who the user is: make another user",
			}
		}
	}
	if violation := c.checkManagedUser(d, spec); violation != nil {
		return violation
	}
	for key, other := range c.desired {
		if user, ok := other.Spec.(*resource.UserSpec); ok && key != d.Key() && key.Tenant == d.TenantCode() &&
			domain.EqualEmails(user.Email, spec.Email) {
			return &resource.Violation{Pointer: "/spec/email", Message: "is that of " + displayKey(key) + " already"}
		}
	}
	return nil
}
