package resource

import (
	"cmp"
	"slices"
	"strings"
)

// MaxClaimedGroups bounds the memberships of a user by sign-ins.
const MaxClaimedGroups = 500

// SignInRule configures the effect of sign-ins through an issuer on the users and groups of a tenant.
type SignInRule struct {
	// Issuer is the URL of the issuer, as in its tokens.
	Issuer string `json:"issuer"`
	// Groups map values of the claim with the groups of a user to groups of the tenant.
	Groups []ClaimMapping `json:"groups,omitempty"`
	// GroupsByCode maps values of the claim to the groups with the same code too.
	GroupsByCode bool `json:"groupsByCode,omitempty"`
	// Create creates unknown people at their first sign-in, nil for never.
	Create *SignInCreation `json:"create,omitempty"`
}

// ClaimMapping maps a value of a claim to a group.
type ClaimMapping struct {
	Value string `json:"value"`
	Group string `json:"group"`
}

// SignInCreation has the conditions for the creation of a person. At least one must be given, and all that are given be met.
type SignInCreation struct {
	// EmailDomains are the allowed domains of the verified address; none for any.
	EmailDomains []string `json:"emailDomains,omitempty"`
	// Values are values of the claim. The person needs one of them, or none if the list is empty.
	Values []string `json:"values,omitempty"`
	// Groups are the codes of the groups of everyone who was created.
	Groups []string `json:"groups,omitempty"`
}

// ClaimedGroup is a membership of a user by a sign-in. An empty Value is of a group of everyone whom the rule created.
type ClaimedGroup struct {
	Issuer string `json:"issuer"`
	Value  string `json:"value,omitempty"`
	Group  string `json:"group"`
}

// Claims reports whether the user is a member of a group by a sign-in. It is false for a nil s.
func (s *UserSpec) Claims(group string) bool {
	return s != nil && slices.ContainsFunc(s.ClaimedGroups, func(c ClaimedGroup) bool { return c.Group == group })
}

// Rule returns the rule for an issuer, nil for none.
func (s *TenantSpec) Rule(issuer string) *SignInRule {
	if s.Provisioning == nil {
		return nil
	}
	for i := range s.Provisioning.SignIn {
		if s.Provisioning.SignIn[i].Issuer == issuer {
			return &s.Provisioning.SignIn[i]
		}
	}
	return nil
}

// Gives reports whether the rule maps a value to a group. The empty value stands for the creation of the user.
func (r *SignInRule) Gives(value, group string) bool {
	if value == "" {
		return r.Create != nil && slices.Contains(r.Create.Groups, group)
	}
	return r.GroupsByCode && value == group || slices.Contains(r.Groups, ClaimMapping{Value: value, Group: group})
}

// Claim returns the memberships that the rule gives for the values of a claim, in the order of the groups: up to MaxClaimedGroups of
// the groups that exist.
func (r *SignInRule) Claim(values []string, created bool, exists func(group string) bool) []ClaimedGroup {
	var claimed []ClaimedGroup
	add := func(value, group string) {
		if exists(group) {
			claimed = append(claimed, ClaimedGroup{Issuer: r.Issuer, Value: value, Group: group})
		}
	}
	if created && r.Create != nil {
		for _, group := range r.Create.Groups {
			add("", group)
		}
	}
	for _, m := range r.Groups {
		if slices.Contains(values, m.Value) {
			add(m.Value, m.Group)
		}
	}
	if r.GroupsByCode {
		for _, value := range values {
			add(value, value)
		}
	}
	sortClaims(claimed)
	claimed = slices.Compact(claimed)
	return claimed[:min(len(claimed), MaxClaimedGroups)]
}

func sortClaims(claimed []ClaimedGroup) {
	slices.SortFunc(claimed, func(a, b ClaimedGroup) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Issuer, b.Issuer), cmp.Compare(a.Value, b.Value))
	})
}

// Reclaim returns the memberships of a user after a sign-in through the issuer of the rule, which replaces those by its earlier
// sign-ins.
func (r *SignInRule) Reclaim(before, claimed []ClaimedGroup) []ClaimedGroup {
	after := slices.DeleteFunc(slices.Clone(before), func(c ClaimedGroup) bool { return c.Issuer == r.Issuer })
	after = append(after, claimed...)
	sortClaims(after)
	return after[:min(len(after), MaxClaimedGroups)]
}

// Admits reports whether the conditions are met by an address and the values of a claim.
func (c *SignInCreation) Admits(email string, values []string) bool {
	_, host, _ := strings.Cut(email, "@")
	named := len(c.EmailDomains) == 0 || slices.ContainsFunc(c.EmailDomains, func(d string) bool { return strings.EqualFold(d, host) })
	claimed := len(c.Values) == 0 || slices.ContainsFunc(c.Values, func(v string) bool { return slices.Contains(values, v) })
	return named && claimed && len(c.EmailDomains)+len(c.Values) > 0
}
