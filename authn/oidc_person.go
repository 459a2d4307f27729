package authn

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

// Provisioner creates and changes users by their sign-ins.
type Provisioner interface {
	// SettleSignIn applies the rules of tenants to a sign-in.
	SettleSignIn(ctx context.Context, in domain.PersonSignIn) (domain.SignInOutcome, error)
}

// Provision makes the sign-ins of the console create and change users. It must be called before the first sign-in.
func (o *OIDC) Provision(people Provisioner) { o.people = people }

// settleUser is findUser for a person who signs in, with the effects of the sign-in on users and groups. Bearer tokens have none.
func (o *OIDC) settleUser(ctx context.Context, issuer *trustedIssuer, claims tokenClaims, now time.Time) (domain.Caller, error) {
	caller, refusal := o.findUser(ctx, issuer, claims.Subject, claims.email, now)
	if o.people == nil || refusal != nil && !mayBecomeUser(refusal) {
		return caller, refusal
	}
	in := domain.PersonSignIn{
		Issuer: issuer.Issuer, Subject: claims.Subject, Email: issuer.allowedEmail(claims.email), Name: claims.Name, Groups: claims.groups,
		TenantCodes: issuer.signInScopes(),
	}
	if refusal == nil {
		in.PrincipalID = caller.PrincipalID
	}
	outcome, err := o.people.SettleSignIn(ctx, in)
	switch {
	case err != nil:
		return domain.Caller{}, err
	case outcome.Created:
		return o.findUser(ctx, issuer, claims.Subject, claims.email, now)
	case refusal == nil && (len(caller.Memberships) > 0 || caller.Operator), outcome.Refusal == "":
		return caller, refusal
	}
	return domain.Caller{}, domain.RefuseSignIn(domain.SignInError{
		Reason: outcome.Refusal, PrincipalID: caller.PrincipalID, TenantCodes: outcome.TenantCodes,
	})
}

// mayBecomeUser reports whether a person was refused who is no user of a tenant of the issuer, or of any.
func mayBecomeUser(refusal error) bool {
	denial, ok := errors.AsType[*domain.SignInError](refusal)
	return ok && (denial.Reason == domain.SignInUnknownUser && denial.PrincipalID == uuid.Nil || denial.Reason == domain.SignInIssuerScope)
}

// allowedEmail returns an address of an allowed domain, "" for any other.
func (i OIDCIssuer) allowedEmail(email string) string {
	domains := i.emailDomains()
	if _, host, _ := strings.Cut(email, "@"); domains != nil && !slices.Contains(domains, strings.ToLower(host)) {
		return ""
	}
	return email
}
