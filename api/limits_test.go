package api_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/api/limit"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

// limitedService is the service with limits, and a clock for them that does not move
// by itself.
type limitedService struct {
	*apitest.Service

	elapsed    atomic.Int64
	mu         sync.Mutex
	rejections map[string]int
}

func newLimited(t *testing.T, limits limit.Limits, change ...func(*api.Options)) *limitedService {
	t.Helper()
	l := &limitedService{rejections: map[string]int{}}
	l.Service = apitest.NewService(t, append([]func(*api.Options){func(o *api.Options) {
		o.Clock = func() time.Time { return time.Unix(1_800_000_000, 0).Add(time.Duration(l.elapsed.Load())) }
		limiter, err := limit.New(limits, o.Clock)
		require.NoError(t, err)
		o.Limiter = limiter
		o.Limited = func(name string) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.rejections[name]++
		}
	}}, change...)...)
	return l
}

func (l *limitedService) pass(d time.Duration) { l.elapsed.Add(int64(d)) }

// from sends a request from an address.
func (l *limitedService) from(peer string, r *http.Request, headers ...string) apitest.Answer {
	l.T.Helper()
	r.RemoteAddr = peer
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return l.Send(r)
}

func (l *limitedService) requireRefused(got apitest.Answer, name string, wait int) {
	l.T.Helper()
	require.Equal(l.T, http.StatusTooManyRequests, got.Status, got.Body)
	require.Equal(l.T, "RATE_LIMITED", apitest.Decode[contracttest.ErrorBody](l.T, got).Errors[0].Code)
	require.Equal(l.T, fmt.Sprint(wait), got.Header.Get("Retry-After"))
	require.True(l.T, strings.HasPrefix(got.Header.Get("RateLimit-Policy"), `"`+name+`";q=`), got.Header)
	require.Equal(l.T, fmt.Sprintf(`"%s";r=0;t=%d`, name, wait), got.Header.Get("RateLimit"))
	l.mu.Lock()
	defer l.mu.Unlock()
	require.Positive(l.T, l.rejections[name])
}

func TestLimitOfPrincipals(t *testing.T) {
	t.Parallel()
	l := newLimited(t, limit.Limits{PrincipalRate: 4})
	for i := range 8 {
		got := l.Get(200, demo.Alice(), "/tenants")
		if i < 4 {
			require.Empty(t, got.Header.Get("RateLimit"), "nothing is said while there is much left")
			continue
		}
		require.Equal(t, `"principal";q=8;w=2`, got.Header.Get("RateLimit-Policy"))
		require.Equal(t, fmt.Sprintf(`"principal";r=%d`, 7-i), got.Header.Get("RateLimit"))
	}
	before := l.Snapshot()
	for _, base := range []string{apitest.ShapeA, apitest.ShapeB, apitest.AdminAPI} {
		path := map[string]string{apitest.ShapeA: "/processes", apitest.ShapeB: "/processes", apitest.AdminAPI: "/events"}[base]
		l.requireRefused(l.Send(apitest.Request(t, demo.Alice(), http.MethodGet, base+path, "")), "principal", 1)
	}
	l.requireRefused(l.Send(apitest.Request(t, demo.Alice(), http.MethodPost, "/processes",
		`{"processDefinitionId":"`+demo.Loan().String()+`"}`)), "principal", 1)
	require.Equal(t, before, l.Snapshot(), "a refusal changes nothing")
	l.Get(200, demo.Bob(), "/tenants")
	l.pass(250 * time.Millisecond)
	l.Get(200, demo.Alice(), "/tenants")
	l.Get(429, demo.Alice(), "/tenants")
	l.pass(time.Hour)
	for range 8 {
		l.Get(200, demo.Alice(), "/tenants")
	}
	l.Get(429, demo.Alice(), "/tenants")
}

func TestLimitOfTenants(t *testing.T) {
	t.Parallel()
	l := newLimited(t, limit.Limits{TenantRate: 2})
	for range 2 {
		l.Get(200, demo.Alice(), "/tenants")
		l.Get(200, demo.Bob(), "/tenants")
	}
	for _, account := range []demo.Account{demo.Alice(), demo.Bob(), demo.LoanWorker()} {
		l.requireRefused(l.Send(apitest.Request(t, account, http.MethodGet, "/tenants", "")), "tenant", 1)
	}
	l.Get(200, demo.OtherWorker(), "/tenants")
}

// One principal cannot exhaust the service with concurrent requests.
func TestLimitOfConcurrency(t *testing.T) {
	t.Parallel()
	l := newLimited(t, limit.Limits{PrincipalConcurrency: 2})
	server := l.Replica()
	one := apitest.Follow(t, server, demo.Alice(), "", "")
	one.Next()
	two := apitest.Follow(t, server, demo.Alice(), "", "")
	two.Next()
	l.requireRefused(l.Send(apitest.Request(t, demo.Alice(), http.MethodGet, "/tenants", "")), "principal-concurrency", 1)
	l.Get(200, demo.Bob(), "/tenants")
	two.Cancel()
	require.Eventually(t, func() bool {
		got, err := l.Exchange(apitest.Request(t, demo.Alice(), http.MethodGet, "/tenants", ""))
		return err == nil && got.Status == 200
	}, apitest.Patience, 5*time.Millisecond)
}

func TestLimitOfFailedSignIns(t *testing.T) {
	t.Parallel()
	l := newLimited(t, limit.Limits{FailedSignIns: 3}, func(o *api.Options) {
		o.TrustedProxies = httpio.Proxies{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	})
	guess := func() *http.Request {
		r := apitest.Request(t, demo.Alice(), http.MethodGet, "/tenants", "")
		r.Header.Set("Authorization", "Bearer "+uuid.NewString())
		return r
	}
	signedIn := func() *http.Request { return apitest.Request(t, demo.Alice(), http.MethodGet, "/tenants", "") }
	fresh := func() *http.Request { return apitest.Request(t, demo.Bob(), http.MethodGet, "/tenants", "") }

	require.Equal(t, 200, l.from("192.0.2.1:1", signedIn()).Status)
	for range 3 {
		require.Equal(t, 401, l.from("192.0.2.1:1", guess()).Status)
	}
	l.requireRefused(l.from("192.0.2.1:2", guess()), "sign-in", 20)
	l.requireRefused(l.from("192.0.2.1:3", fresh(), "X-Forwarded-For", "192.0.2.9"), "sign-in", 20)
	require.Equal(t, 200, l.from("192.0.2.1:4", signedIn()).Status, "who was let in before is, beside one who guesses")
	require.Equal(t, 200, l.from("192.0.2.2:1", fresh()).Status, "another address")
	none := signedIn()
	none.Header.Del("Authorization")
	require.Equal(t, 401, l.from("192.0.2.1:1", none).Status, "no credentials are no guess")
	l.pass(30 * time.Minute)
	require.Equal(t, 200, l.from("192.0.2.1:5", fresh()).Status, "after a while")

	// In IPv6 a client has a /64, and behind trusted proxies it is the last other address.
	for name, source := range map[string]struct {
		peer  func(i int) string
		chain func(i int) []string
		other []string
	}{
		"IPv6": {
			func(i int) string { return fmt.Sprintf("[2001:db8::%x]:1", i) }, func(int) []string { return nil },
			[]string{"[2001:db8:0:1::1]:1"},
		},
		"proxies": {
			func(i int) string { return fmt.Sprintf("10.0.0.%d:1", i) },
			func(i int) []string {
				return []string{"X-Forwarded-For", fmt.Sprintf("198.51.100.%d, 203.0.113.7:80", i), "X-Forwarded-For", "fd00::1"}
			},
			[]string{"10.0.0.1:1", "X-Forwarded-For", "203.0.113.8"},
		},
	} {
		for i := range 3 {
			require.Equal(t, 401, l.from(source.peer(i), guess(), source.chain(i)...).Status, name)
		}
		l.requireRefused(l.from(source.peer(9), guess(), source.chain(9)...), "sign-in", 20)
		require.Equal(t, 401, l.from(source.other[0], guess(), source.other[1:]...).Status, name)
	}
}

// Requests without credentials are limited by address.
func TestLimitOfOpenDocuments(t *testing.T) {
	t.Parallel()
	l := newLimited(t, limit.Limits{AddressRate: 6})
	open := []string{
		"/openapi", "/openapi/", "/openapi/shape_a.yaml", "/openapi/shape_b.yaml", "/openapi/admin.yaml",
		"/openapi/shape_a.json", "/openapi/shape_b.json", "/openapi/admin.json", "/.well-known/jwks.json",
		"/.well-known/engine-revocations.json", "/schemas/procession/v1/resource.json", "/schemas/procession/v1/Group.json",
	}
	get := func(peer, path string) apitest.Answer {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, apitest.Host+path, nil)
		require.NoError(t, err)
		return l.from(peer, r)
	}
	for _, path := range open {
		require.NotEqual(t, 429, get("192.0.2.1:1", path).Status, path)
	}
	for _, path := range open {
		l.requireRefused(get("192.0.2.1:1", path), "address", 1)
		require.NotEqual(t, 429, get("192.0.2.2:1", path).Status, path)
	}
}

// The oldest entries are evicted, so that memory is bounded.
func TestLimitsForget(t *testing.T) {
	t.Parallel()
	limiter, err := limit.New(limit.Limits{AddressRate: 1}, func() time.Time { return time.Unix(0, 0) })
	require.NoError(t, err)
	address := netip.MustParseAddr("10.0.0.0")
	first := netip.PrefixFrom(address, 32)
	for range 2 {
		require.True(t, limiter.Open(first).Allowed)
	}
	require.False(t, limiter.Open(first).Allowed)
	for range 10_000 {
		address = address.Next()
		require.True(t, limiter.Open(netip.PrefixFrom(address, 32)).Allowed)
	}
	require.True(t, limiter.Open(first).Allowed)
}
