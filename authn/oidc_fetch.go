package authn

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"golang.org/x/sync/singleflight"

	"github.com/procession-dev/procession/internal/openid"
)

// retryPause is the least time between two fetches while there is no usable value.
const retryPause = 5 * time.Second

// fetched is a value that an issuer publishes. It is fetched when it is needed, once for all
// concurrent callers. It is safe for concurrent use.
type fetched[T any] struct {
	fetch func(ctx context.Context) (T, error)
	clock func() time.Time
	// trust is how long a value is used while the issuer does not answer.
	trust time.Duration
	// pause is the least time between two fetches, however many callers ask for them.
	pause time.Duration
	// timeout bounds a fetch, for which requests wait.
	timeout time.Duration

	flight    singleflight.Group
	mu        sync.Mutex
	value     T
	fetchedAt time.Time
	nextFetch time.Time
	failure   error
}

// currentValue returns the value. It returns false if none was fetched or its trust has expired.
func (f *fetched[T]) currentValue() (T, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.value, f.isUsable(f.clock())
}

// isUsable reports whether there is a value that may still be trusted. The caller holds the lock.
func (f *fetched[T]) isUsable(now time.Time) bool {
	return !f.fetchedAt.IsZero() && now.Sub(f.fetchedAt) < f.trust
}

// refresh fetches the value, once for all concurrent callers. Each caller waits no longer than its
// context lasts. After a recent fetch, refresh returns the result of that fetch.
func (f *fetched[T]) refresh(ctx context.Context) error {
	if due, failure := f.isDue(); !due {
		return failure
	}
	_, err := share(ctx, &f.flight, "", func() (any, error) {
		if due, failure := f.isDue(); !due {
			return nil, failure
		}
		// Other requests wait for this fetch too: it must not end with the first one.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), f.timeout)
		defer cancel()
		value, err := f.fetch(ctx)
		f.storeResult(value, err)
		return nil, err
	})
	return err
}

// isDue reports whether the value may be fetched, or else returns the error of the last fetch.
func (f *fetched[T]) isDue() (isDue bool, failure error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.clock().Before(f.nextFetch), f.failure
}

func (f *fetched[T]) storeResult(value T, failure error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.clock()
	if failure == nil {
		f.value, f.fetchedAt = value, now
	}
	f.failure = failure
	f.nextFetch = now.Add(f.pause)
	if !f.isUsable(now) {
		f.nextFetch = now.Add(retryPause)
	}
}

// keySource fetches the keys of an issuer.
type keySource struct {
	issuer  string
	jwksURL string
	client  *http.Client
}

// fetchKeys returns the usable keys that the issuer publishes. It discovers their URL first, unless that
// is configured.
func (s keySource) fetchKeys(ctx context.Context) ([]jose.JSONWebKey, error) {
	from := s.jwksURL
	if from == "" {
		provider, err := openid.Discover(ctx, s.client, s.issuer)
		if err != nil {
			return nil, fmt.Errorf("discovering the issuer %s: %w", s.issuer, err)
		}
		from = provider.KeysURL
	}
	published, err := openid.FetchKeys(ctx, s.client, from)
	if err != nil {
		return nil, fmt.Errorf("fetching the keys of the issuer %s: %w", s.issuer, err)
	}
	keys := []jose.JSONWebKey{}
	for _, raw := range published {
		var key jose.JSONWebKey
		// A set may contain keys of unknown types (RFC 7517, section 5).
		if json.Unmarshal(raw, &key) == nil && algorithmOf(key) != "" {
			keys = append(keys, key)
		}
	}
	return keys, nil
}
