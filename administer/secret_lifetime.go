package administer

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
	// BootstrapTokenLifetime is how long the token of the first user works.
	BootstrapTokenLifetime = 24 * time.Hour
)

// SecretLifetimes bound the validity of issued secrets. 0 is no bound. Secrets
// that manifests declare expire at the time in the manifest.
type SecretLifetimes struct {
	// AccessToken is the lifetime of a personal access token issued without an expiry,
	// MaxAccessToken the longest.
	AccessToken, MaxAccessToken time.Duration
	// MaxApplicationSecret is the longest of a secret of an application, and that of
	// one issued without an expiry.
	MaxApplicationSecret time.Duration
}

// expiry returns when a secret expires that is issued now, nil for never. One that
// would work for longer than it may is VALIDATION.
func (l SecretLifetimes) expiry(kind resource.Kind, asked *time.Time, now time.Time) (*time.Time, error) {
	var standard, longest time.Duration
	if kind == resource.KindUser {
		standard, longest = l.AccessToken, l.MaxAccessToken
	}
	if kind == resource.KindApplication {
		longest = l.MaxApplicationSecret
	}
	if asked == nil && standard == 0 {
		standard = longest
	}
	switch {
	case asked == nil && standard == 0:
		return nil, nil //nolint:nilnil // never is a time to expire
	case asked == nil:
		expiresAt := now.Add(standard)
		return &expiresAt, nil
	case longest > 0 && asked.After(now.Add(longest)):
		return nil, domain.InvalidBody("/expiresAt", fmt.Sprintf("must be at most %s from now", lifetimeText(longest)))
	}
	expiresAt := asked.UTC().Truncate(time.Microsecond)
	return &expiresAt, nil
}

// lifetimeText writes a duration in days where it is a number of them.
func lifetimeText(d time.Duration) string {
	const day = 24 * time.Hour
	if d%day == 0 {
		return fmt.Sprintf("%d days", d/day)
	}
	return d.String()
}
