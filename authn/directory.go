package authn

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// maxDirectories bounds the number of cached tokens of directories.
const maxDirectories = 1_000

// Directories identifies the tenants of directories by their tokens. It is safe for concurrent use.
type Directories struct {
	db    *persistence.DB
	clock func() time.Time
	cache *lru.Cache[[sha256.Size]byte, cachedDirectory]
}

type cachedDirectory struct {
	tenant domain.DirectoryTenant
	until  time.Time
}

// NewDirectories returns the directories of the tokens in the database.
func NewDirectories(db *persistence.DB, clock func() time.Time) (*Directories, error) {
	cache, err := lru.New[[sha256.Size]byte, cachedDirectory](maxDirectories)
	if err != nil {
		return nil, fmt.Errorf("making the cache of directories: %w", err)
	}
	return &Directories{db: db, clock: clock, cache: cache}, nil
}

// Authenticate returns the tenant of the directory with a bearer token in an Authorization header. Every invalid credential, also one of
// a user or an application, is UNAUTHENTICATED, with a *domain.SignInError as the cause. A tenant is cached for 10 seconds, but never
// beyond the expiry of its token.
func (d *Directories) Authenticate(ctx context.Context, header string) (domain.DirectoryTenant, error) {
	if header == "" {
		return domain.DirectoryTenant{}, signInError(domain.SignInMissing)
	}
	scheme, token, ok := splitHeader(header)
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return domain.DirectoryTenant{}, signInError(domain.SignInMalformed)
	}
	hash, now := HashSecret(token), d.clock()
	if cached, ok := d.cache.Get(hash); ok && now.Before(cached.until) {
		return cached.tenant, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookUpTimeout)
	defer cancel()
	known, err := d.db.Reader().LookUpDirectory(ctx, hash, now)
	if err != nil {
		return domain.DirectoryTenant{}, err
	}
	if known.Idle {
		// A directory is not refused because its use cannot be recorded; the next use tries again.
		_ = d.db.RecordDirectoryUse(ctx, hash, now)
	}
	until := now.Add(callerLifetime)
	if known.ExpiresAt != nil && known.ExpiresAt.Before(until) {
		until = *known.ExpiresAt
	}
	d.cache.Add(hash, cachedDirectory{tenant: known.Tenant, until: until})
	return known.Tenant, nil
}
