package administration

import (
	"fmt"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

const (
	// DefaultAccessTokenLifetime is how long personal access tokens work that are
	// issued without an expiry. Both this and the next are settings.
	DefaultAccessTokenLifetime = 90 * 24 * time.Hour
	// MaxAccessTokenLifetime is how long they may be issued for at most.
	MaxAccessTokenLifetime = 365 * 24 * time.Hour
	// DefaultApplicationSecretLifetime is the lifetime of secrets of applications issued without an expiry, a setting.
	DefaultApplicationSecretLifetime = 365 * 24 * time.Hour
	// BootstrapTokenLifetime is how long the token of the first user works.
	BootstrapTokenLifetime = 24 * time.Hour
)

// noPersonalTokens is the reason why an installation refuses personal access tokens.
const noPersonalTokens = "is not allowed: users of this service sign in through an issuer only (--personal-tokens)"

// SecretLifetimes bound the validity of issued secrets. 0 is no bound. MaxAccessToken
// bounds declared tokens too; declared secrets of applications expire at the time in the
// manifest.
type SecretLifetimes struct {
	// AccessToken is the lifetime of a personal access token issued without an expiry,
	// MaxAccessToken the longest.
	AccessToken, MaxAccessToken time.Duration
	// ApplicationSecret is the lifetime of a secret of an application issued without an expiry, MaxApplicationSecret the longest.
	ApplicationSecret, MaxApplicationSecret time.Duration
}

// SecretTerm is the lifetime of a secret that is issued without an expiry, and the longest. 0 is no bound.
type SecretTerm struct{ Standard, Longest time.Duration }

// SecretTermOf returns the lifetimes of new secrets of a kind of resource.
func (s *Service) SecretTermOf(kind resource.Kind) SecretTerm { return s.lifetimes.termOf(kind) }

func (l SecretLifetimes) termOf(kind resource.Kind) SecretTerm {
	var term SecretTerm
	switch kind { //nolint:exhaustive // other kinds have no bounds
	case resource.KindUser:
		term = SecretTerm{l.AccessToken, l.MaxAccessToken}
	case resource.KindApplication:
		term = SecretTerm{l.ApplicationSecret, l.MaxApplicationSecret}
	}
	if term.Longest > 0 && (term.Standard == 0 || term.Standard > term.Longest) {
		term.Standard = term.Longest
	}
	return term
}

// expiryOf returns when a secret expires that is issued now, nil for never. One that
// would work for longer than it may is VALIDATION.
func (l SecretLifetimes) expiryOf(kind resource.Kind, requested *time.Time, now time.Time) (*time.Time, error) {
	term := l.termOf(kind)
	standard, longest := term.Standard, term.Longest
	switch {
	case requested == nil && standard == 0:
		return nil, nil //nolint:nilnil // never is a time to expire
	case requested == nil:
		expiresAt := now.Add(standard)
		return &expiresAt, nil
	case longest > 0 && requested.After(now.Add(longest)):
		return nil, domain.InvalidBody("/expiresAt", fmt.Sprintf("must be at most %s from now", lifetimeText(longest)))
	}
	expiresAt := requested.UTC().Truncate(time.Microsecond)
	return &expiresAt, nil
}

// tokenPolicy limits the personal access tokens that manifests declare.
type tokenPolicy struct {
	none    bool
	longest time.Duration
	now     time.Time
}

// endOfToken returns when a token ends that is declared now without an expiry, nil if tokens are not limited.
func (p tokenPolicy) endOfToken(now time.Time) *time.Time {
	if p.longest == 0 {
		return nil
	}
	end := now.Add(p.longest)
	return &end
}

// checkTokens reports the first of the tokens of a user that is not allowed.
func (p tokenPolicy) checkTokens(declared []resource.SecretSpec) *resource.Violation {
	if p.none && len(declared) > 0 {
		return &resource.Violation{Pointer: "/spec/accessTokens", Message: noPersonalTokens}
	}
	for i, token := range declared {
		if p.longest > 0 && token.ExpiresAt != nil && token.ExpiresAt.After(p.now.Add(p.longest)) {
			return &resource.Violation{
				Pointer: fmt.Sprintf("/spec/accessTokens/%d/expiresAt", i),
				Message: fmt.Sprintf("must be at most %s from now", lifetimeText(p.longest)),
			}
		}
	}
	return nil
}

// lifetimeText writes a duration in days where it is a number of them.
func lifetimeText(d time.Duration) string {
	const day = 24 * time.Hour
	if d%day == 0 {
		return domain.CountText(int(d/day), "day", "days")
	}
	return d.String()
}
