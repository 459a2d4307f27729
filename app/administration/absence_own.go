package administration

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// maxOwnAbsences bounds the absences that a user without a role of administrators plans.
const maxOwnAbsences = 20

// OwnAbsences are the absences that concern a user, and the tenants in which it can be absent.
type OwnAbsences struct {
	Absences []domain.OwnAbsence
	Tenants  []domain.OwnTenant
}

// FindOwnAbsences returns the absences of the caller, and those in which it is the substitute, that have not ended.
func (s *Service) FindOwnAbsences(ctx context.Context, call domain.Call) (found OwnAbsences, err error) {
	found.Absences, found.Tenants, err = s.store.Reader.ListOwnAbsences(ctx, call.Caller)
	return found, err
}

// NewAbsence is an absence of the caller.
type NewAbsence struct {
	// Tenant is the code of the tenant.
	Tenant string
	// SubstituteEmail is the e-mail of a user of the tenant.
	SubstituteEmail string
	From, Until     time.Time
}

// CreateOwnAbsence records an absence of the caller as a manifest. Errors: NOT_FOUND for a tenant in which the caller is no user,
// VALIDATION for a substitute who is none and for times that are not in order or overlap another absence.
func (s *Service) CreateOwnAbsence(ctx context.Context, call domain.Call, in NewAbsence) error {
	now := s.now()
	return s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		c, self, err := s.lockOwnTenant(ctx, tx, call.Caller, in.Tenant)
		if err != nil {
			return nil, err
		}
		substitute, err := c.findSubstitute(in)
		if err != nil {
			return nil, err
		}
		if !in.Until.After(in.From) || !in.Until.After(now) {
			return nil, domain.InvalidBody("until", "must be after from, and in the future")
		}
		if substitute == self {
			return nil, domain.InvalidBody("substitute", "must be another user than the one who is absent")
		}
		d := resource.Document{
			Kind: resource.KindAbsence, Metadata: resource.Metadata{Code: domain.NewID().String(), Tenant: in.Tenant},
			Spec: &resource.AbsenceSpec{User: self.Code, Substitute: substitute.Code, From: in.From, Until: in.Until},
		}
		if err := c.planEndedAbsences(now); err != nil {
			return nil, err
		}
		if err := c.planAll([]resource.Document{d}, nil, s.checkWebhookURL); err != nil {
			return nil, err
		}
		return c.carryOut(tx, nil, now)
	})
}

// EndOwnAbsence deletes an absence of the caller, or returns NOT_FOUND.
func (s *Service) EndOwnAbsence(ctx context.Context, call domain.Call, tenant, code string) error {
	now := s.now()
	return s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		c, _, err := s.lockOwnTenant(ctx, tx, call.Caller, tenant)
		if err != nil {
			return nil, err
		}
		key := resource.Key{Tenant: tenant, Kind: resource.KindAbsence, Code: code}
		if stored := c.stored[key]; stored == nil || !c.isOwnAbsence(&stored.Document) {
			return nil, domain.NotFound("absence")
		}
		if err := c.planDeletion(key); err != nil {
			return nil, err
		}
		return c.carryOut(tx, nil, now)
	})
}

// lockOwnTenant returns the configuration of a tenant, and the key of the caller as a user of it.
func (s *Service) lockOwnTenant(
	ctx context.Context, tx *persistence.Tx, caller domain.Caller, tenant string,
) (*configuration, resource.Key, error) {
	c, err := s.lockConfiguration(ctx, tx, caller, []string{tenant}, nil, nil)
	if err != nil {
		return nil, resource.Key{}, err
	}
	for key, id := range c.ids {
		if key.Kind == resource.KindUser && key.Tenant == tenant && id == caller.PrincipalID && c.tenants[tenant] != nil {
			return c, key, nil
		}
	}
	return nil, resource.Key{}, domain.NotFound("tenant")
}

// findSubstitute returns the active user with the e-mail.
func (c *configuration) findSubstitute(in NewAbsence) (resource.Key, error) {
	for key, d := range c.desired {
		if spec, isUser := userSpec(d); isUser && key.Tenant == in.Tenant && !spec.Disabled && strings.EqualFold(spec.Email, in.SubstituteEmail) {
			return key, nil
		}
	}
	return resource.Key{}, domain.InvalidBody("substitute", "is not an active user of the tenant")
}

// planEndedAbsences deletes the absences of a caller with as many as it may have, if they have ended.
func (c *configuration) planEndedAbsences(now time.Time) error {
	own := c.listOwnAbsences()
	if len(own) < maxOwnAbsences {
		return nil
	}
	for key, spec := range own {
		if spec.Until.After(now) {
			continue
		}
		if err := c.planDeletion(key); err != nil {
			return err
		}
	}
	return nil
}

// authorizeAbsence refuses callers that administer no tenant absences of others, substitutes who are no active users, and more
// absences than a user may have.
func (c *configuration) authorizeAbsence(d *resource.Document, before *resource.Stored, action ApplyAction) error {
	if !c.isOwnAbsence(d) || before != nil && !c.isOwnAbsence(&before.Document) {
		return domain.Denied("the OWNER or the ADMINISTRATOR role in the tenant is required to change absences of others")
	}
	spec, ok := d.Spec.(*resource.AbsenceSpec)
	if !ok || action == ApplyDeleted || action == ApplyUnchanged {
		return nil
	}
	substitute, known := userSpec(c.desired[identityKey(d.TenantCode(), spec.Substitute, "", "")])
	if !known || substitute.Disabled {
		return domain.InvalidBody("/spec/substitute", "is not an active user of the tenant")
	}
	if action == ApplyCreated && len(c.listOwnAbsences()) >= maxOwnAbsences {
		return domain.Conflict(domain.CodeConflict, fmt.Sprintf("a user plans at most %d absences", maxOwnAbsences))
	}
	return nil
}

// listOwnAbsences returns the absences of the caller after the change as planned so far.
func (c *configuration) listOwnAbsences() map[resource.Key]*resource.AbsenceSpec {
	own := map[resource.Key]*resource.AbsenceSpec{}
	for key, d := range c.desired {
		if spec, ok := d.Spec.(*resource.AbsenceSpec); ok && c.isOwnAbsence(d) {
			own[key] = spec
		}
	}
	return own
}

// isOwnAbsence reports whether a document describes an absence of the caller.
func (c *configuration) isOwnAbsence(d *resource.Document) bool {
	spec, ok := d.Spec.(*resource.AbsenceSpec)
	return ok && c.ids[identityKey(d.TenantCode(), spec.User, "", "")] == c.caller.PrincipalID
}
