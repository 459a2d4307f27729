// Package limit limits the rate and the concurrency of callers. Its state is in
// memory, bounded, and local to the replica.
package limit

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

// Limits are the limits per replica; 0 is no limit. Bursts of twice a rate are
// allowed.
type Limits struct {
	// PrincipalRate and TenantRate are requests per second.
	PrincipalRate, TenantRate int
	// PrincipalConcurrency is the maximum number of concurrent requests of a principal.
	PrincipalConcurrency int
	// AddressRate is requests without credentials per second and address prefix.
	AddressRate int
	// AddressConcurrency is the maximum number of concurrent requests of an address prefix.
	AddressConcurrency int
	// FailedSignIns is invalid credentials per minute and address prefix.
	FailedSignIns int
}

// Names of limits, as they are in headers and metrics.
const (
	Principal   = "principal"
	Tenant      = "tenant"
	Concurrency = "principal-concurrency"
	Address     = "address"
	// AddressConcurrency is the limit of Limits.AddressConcurrency.
	AddressConcurrency = "address-concurrency"
	SignIn             = "sign-in"
)

// Policy is a limit as the header field RateLimit-Policy states it.
type Policy struct {
	Name string
	// Quota is the maximum number of requests in a window. A window of 0 stands for
	// concurrent requests.
	Quota  int
	Window time.Duration
}

// Verdict is the decision of a limit about a request.
type Verdict struct {
	Policy  Policy
	Allowed bool
	// Remaining is the number of further requests that would be admitted now.
	Remaining int
	// Wait is the time until the next request can be admitted, if it is refused now.
	Wait time.Duration
}

// Low reports whether less than half of the quota is left.
func (v Verdict) Low() bool { return !v.Allowed || v.Remaining < v.Policy.Quota/2 }

// Limiter applies Limits. A nil Limiter admits everything. It is safe for concurrent use.
type Limiter struct {
	clock      func() time.Time
	principals *buckets[uuid.UUID]
	tenants    *buckets[uuid.UUID]
	addresses  *buckets[netip.Prefix]
	failures   *buckets[netip.Prefix]
	passes     *passes
	running    *Running[uuid.UUID]
	atOnce     *Running[netip.Prefix]
}

// New returns a Limiter that reads the time from clock.
func New(limits Limits, clock func() time.Time) (*Limiter, error) {
	l := &Limiter{
		clock: clock, running: NewRunning[uuid.UUID](limits.PrincipalConcurrency),
		atOnce: NewRunning[netip.Prefix](limits.AddressConcurrency),
	}
	var errs [5]error
	l.principals, errs[0] = newBuckets[uuid.UUID](Principal, limits.PrincipalRate, time.Second, 2)
	l.tenants, errs[1] = newBuckets[uuid.UUID](Tenant, limits.TenantRate, time.Second, 2)
	l.addresses, errs[2] = newBuckets[netip.Prefix](Address, limits.AddressRate, time.Second, 2)
	l.failures, errs[3] = newBuckets[netip.Prefix](SignIn, limits.FailedSignIns, time.Minute, 1)
	l.passes, errs[4] = newPasses()
	for _, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("making the limits: %w", err)
		}
	}
	return l, nil
}

// Enter decides about a request of the caller. If the verdict allows it, the caller of
// Enter must call leave when the request has ended; otherwise leave is nil. A principal
// of several tenants is admitted if one of them has quota left.
func (l *Limiter) Enter(caller domain.Caller) (leave func(), verdict Verdict) {
	if l == nil {
		return func() {}, Verdict{Allowed: true}
	}
	now, key := l.clock(), bucketOf(caller)
	verdict = l.principals.takeToken(key, now)
	if verdict.Allowed && l.tenants != nil {
		verdict = lowerVerdict(verdict, l.takeTenant(caller, now))
	}
	if !verdict.Allowed {
		return nil, verdict
	}
	if !l.running.Enter(key) {
		return nil, refuseConcurrent(Concurrency, l.running.most)
	}
	return func() { l.running.Leave(key) }, verdict
}

// bucketOf returns the key of the caller's limits: the principal, or the tenant of a directory, because the directories of all
// tenants are one principal.
func bucketOf(caller domain.Caller) uuid.UUID {
	if caller.PrincipalID == domain.DirectoryPrincipalID() && len(caller.Memberships) == 1 {
		return caller.Memberships[0].TenantID
	}
	return caller.PrincipalID
}

// refuseConcurrent returns the refusal of one more concurrent request.
func refuseConcurrent(name string, most int) Verdict {
	return Verdict{Policy: Policy{Name: name, Quota: most}, Wait: time.Second}
}

// takeTenant takes a token of the first tenant of the caller that has one.
func (l *Limiter) takeTenant(caller domain.Caller, now time.Time) Verdict {
	verdict := Verdict{Allowed: true}
	for i, membership := range caller.Memberships {
		next := l.tenants.takeToken(membership.TenantID, now)
		if next.Allowed || i == 0 || next.Wait < verdict.Wait {
			verdict = next
		}
		if verdict.Allowed {
			break
		}
	}
	return verdict
}

// lowerVerdict returns the verdict that is nearer to a refusal.
func lowerVerdict(a, b Verdict) Verdict {
	switch {
	case b.Policy.Quota == 0:
		return a
	case a.Policy.Quota == 0, !b.Allowed, b.Low() && !a.Low():
		return b
	}
	return a
}

// Open decides about a request without credentials.
func (l *Limiter) Open(from netip.Prefix) Verdict {
	if l == nil {
		return Verdict{Allowed: true}
	}
	return l.addresses.takeToken(from, l.clock())
}

// SignIn decides whether credentials may be checked. It refuses after too many invalid
// ones from the same prefix, except for credentials that were valid within the last
// hour, because many users may share an address with one who guesses.
func (l *Limiter) SignIn(from netip.Prefix, credentials string) Verdict {
	if l == nil || l.failures == nil || l.failures.isEmpty() {
		return Verdict{Allowed: true}
	}
	now := l.clock()
	verdict := l.failures.peek(from, now)
	if !verdict.Allowed && l.passes.hasCredentials(credentials, now) {
		return Verdict{Allowed: true}
	}
	return verdict
}

// SignedIn records whether credentials were valid.
func (l *Limiter) SignedIn(from netip.Prefix, credentials string, held bool) {
	switch {
	case l == nil || l.failures == nil:
	case held:
		l.passes.addCredentials(credentials, l.clock())
	default:
		l.failures.takeToken(from, l.clock())
	}
}
