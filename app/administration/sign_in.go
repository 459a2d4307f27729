package administration

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// maxPersonName bounds the characters of the name of a person.
const maxPersonName = 255

// SettleSignIn applies the rules of tenants to a sign-in: it creates the person as a user of the tenants with met conditions, and the
// memberships of groups by the issuer's claim follow the claim. Each tenant is a transaction of its own; a sign-in without a change
// has none.
func (s *Service) SettleSignIn(ctx context.Context, in domain.PersonSignIn) (domain.SignInOutcome, error) {
	var outcome domain.SignInOutcome
	tenants, err := s.store.Reader.ListSignInTenants(ctx, in)
	if err != nil {
		return outcome, err
	}
	for i := range tenants {
		t := &tenants[i]
		rule := t.Tenant.Rule(in.Issuer)
		refusal, changes := assessSignIn(t, rule, in)
		if changes {
			err := s.settleSignIn(ctx, t.DirectoryTenant, in)
			switch {
			case t.User == nil && domain.HasCode(err, domain.CodeValidation):
				refusal = domain.SignInNotEligible
			case err != nil:
				return outcome, err
			case t.User == nil:
				outcome.Created = true
			}
		}
		if refusal != "" {
			outcome.TenantCodes = append(outcome.TenantCodes, t.Code)
			if outcome.Refusal != domain.SignInDeleted {
				outcome.Refusal = refusal
			}
		}
	}
	return outcome, nil
}

// assessSignIn returns the reason why the rule of a tenant does not create the person, "" for none, and whether the sign-in changes a
// user of the tenant.
func assessSignIn(t *persistence.SignInTenant, rule *resource.SignInRule, in domain.PersonSignIn) (refusal domain.SignInReason, changes bool) {
	switch {
	case rule == nil:
		return "", false
	case t.User != nil:
		return "", followsClaim(t.User, t.Source, in) && !slices.Equal(t.User.ClaimedGroups, claimGroups(rule, t.User, t.Source, in, t.HasGroup))
	case rule.Create == nil || t.Barred:
		return "", false
	case t.Left:
		return domain.SignInDeleted, false
	case !rule.Create.Admits(in.Email, in.Groups):
		return domain.SignInNotEligible, false
	}
	return "", true
}

// followsClaim reports whether the memberships of a user follow the claims of a sign-in.
func followsClaim(user *resource.UserSpec, source resource.Source, in domain.PersonSignIn) bool {
	return in.PrincipalID != uuid.Nil && !user.Disabled && source != resource.SourceDeparted
}

// claimGroups returns the memberships of a user by sign-ins after a sign-in.
func claimGroups(
	rule *resource.SignInRule, user *resource.UserSpec, source resource.Source, in domain.PersonSignIn, exists func(group string) bool,
) []resource.ClaimedGroup {
	return rule.Reclaim(user.ClaimedGroups, rule.Claim(in.Groups, source == resource.SourceSignIn, exists))
}

// settleSignIn applies the rule of a tenant in a transaction.
func (s *Service) settleSignIn(ctx context.Context, t domain.DirectoryTenant, in domain.PersonSignIn) error {
	call := DirectoryCall{Call: domain.Call{Caller: t.SignInCaller()}, Tenant: t}
	_, err := s.writeTenant(ctx, call, []string{in.Email}, func(c *configuration, _ *persistence.Tx) error {
		rule := c.signInRule(t.Code, in.Issuer)
		if rule == nil {
			return nil
		}
		c.reason = "sign-in at " + hostOf(in.Issuer)
		before := c.findPersonOf(t.Code, in)
		if before == nil {
			return s.planPerson(c, t.Code, rule, in)
		}
		spec, ok := before.Spec.(*resource.UserSpec)
		if !ok || before.ID != in.PrincipalID || !followsClaim(spec, before.Source, in) {
			return nil
		}
		changed := *spec
		changed.ClaimedGroups = claimGroups(rule, spec, before.Source, in, c.hasGroup(t.Code))
		c.signedIn = before.Key()
		return s.planProvisioned(c, resource.Document{Kind: resource.KindUser, Metadata: before.Metadata, Spec: &changed}, before.Origin)
	})
	return err
}

// planPerson plans the creation of a person.
func (s *Service) planPerson(c *configuration, tenant string, rule *resource.SignInRule, in domain.PersonSignIn) error {
	if rule.Create == nil || !rule.Create.Admits(in.Email, in.Groups) {
		return nil
	}
	local, _, _ := strings.Cut(in.Email, "@")
	d := resource.Document{Kind: resource.KindUser, Metadata: resource.Metadata{Tenant: tenant, Code: c.newCode(resource.KindUser, tenant, local)}}
	spec := &resource.UserSpec{Name: personName(in), Email: in.Email}
	spec.ClaimedGroups = claimGroups(rule, spec, resource.SourceSignIn, in, c.hasGroup(tenant))
	d.Spec, c.signedIn = spec, d.Key()
	return s.planProvisioned(c, d, resource.Origin{Source: resource.SourceSignIn})
}

// findPersonOf returns the user of a tenant who signs in, nil for none. The address counts only for a person who is no user of the
// tenant.
func (c *configuration) findPersonOf(tenant string, in domain.PersonSignIn) *resource.Stored {
	var named *resource.Stored
	for key, stored := range c.stored {
		spec, isUser := stored.Spec.(*resource.UserSpec)
		switch {
		case !isUser || key.Tenant != tenant:
		case stored.ID == in.PrincipalID:
			return stored
		case domain.EqualEmails(spec.Email, in.Email):
			named = stored
		}
	}
	return named
}

// hasGroup returns a function that reports whether sign-ins may make users members of a group of the tenant.
func (c *configuration) hasGroup(tenant string) func(code string) bool {
	return func(code string) bool {
		group := c.stored[identityKey(tenant, "", "", code)]
		return group != nil && group.Source != resource.SourceDeparted
	}
}

// personName returns the name of a person on one line, the address if the claims have none.
func personName(in domain.PersonSignIn) string {
	name := strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, in.Name))
	if runes := []rune(name); len(runes) > maxPersonName {
		name = strings.TrimSpace(string(runes[:maxPersonName]))
	}
	return cmp.Or(name, in.Email)
}

func hostOf(issuer string) string {
	u, err := url.Parse(issuer)
	if err != nil {
		return issuer
	}
	return u.Host
}
