package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/events/webhook"
)

// attempts is how many ways in each of the two campaigns tries at least.
const attempts = 2000

// newGuard returns a guard that allows the one address of a mine and accepts http
// everywhere, so that no URL is refused for its scheme.
func newGuard(t *testing.T, look answers, allow ...string) *webhook.Guard {
	t.Helper()
	guard, err := webhook.NewGuard(webhook.Policy{Allow: allow, AllowHTTP: true}, newResolver(t, look))
	require.NoError(t, err)
	return guard
}

func newClient(t *testing.T, config webhook.ClientConfig) *webhook.Client {
	t.Helper()
	config.Clock = time.Now
	client := webhook.NewClient(config)
	t.Cleanup(client.Close)
	return client
}

func deliveryTo(t *testing.T, address string) webhook.Delivery {
	t.Helper()
	secret, _ := secretOf(t, []byte(strings.Repeat("k", 32)))
	return webhook.Delivery{URL: address, ID: "id", Body: []byte(`{}`), Secrets: []webhook.Secret{secret}}
}

// hostileURLs returns all spellings of all hostile addresses.
func hostileURLs(port string) []string {
	var urls []string
	for _, address := range hostile4() {
		urls = append(urls, spellings4(address, port)...)
	}
	for _, address := range hostile6() {
		urls = append(urls, spellings6(address, port)...)
	}
	return urls
}

// The client refuses all spellings, by the check of the URL or by the dial.
func TestClientReachesNothingHostile(t *testing.T) {
	t.Parallel()
	m := newMine(t)
	client := newClient(t, webhook.ClientConfig{Guard: newGuard(t, hostileNames, listed)})
	urls := hostileURLs(m.port)
	require.Greater(t, len(urls), attempts)
	byDial := 0
	for _, address := range urls {
		result, err := client.Send(t.Context(), deliveryTo(t, address))
		require.NoError(t, err)
		require.Equal(t, webhook.FailureRefused, result.Failure, "%s: %+v", address, result)
		if strings.HasPrefix(result.Detail, "the address is refused: ") {
			byDial++
		}
	}
	require.NotZero(t, byDial)
	require.Zero(t, m.touched.Load())
	t.Logf("%d attempts refused, %d of them at the dial", len(urls), byDial)
}

// outcome is the result of an attempt of a client without any checks of URLs.
type outcome string

const (
	wasRefused  outcome = "refused"
	wasListed   outcome = "reached the listed address"
	wasNoURL    outcome = "no URL"
	wasNoName   outcome = "no such name"
	wasDialled  outcome = "was dialled"
	wasAnswered outcome = "was answered by a stranger"
)

// A visitor is a client that trusts all URLs and follows all redirects. Only the
// guard's dial restricts it.
type visitor struct {
	client *http.Client
	// dialled counts dials.
	dialled atomic.Int64
}

func newVisitor(t *testing.T, guard *webhook.Guard) *visitor {
	t.Helper()
	v := &visitor{}
	transport := &http.Transport{DisableKeepAlives: true}
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		v.dialled.Add(1)
		return guard.DialContext(ctx, network, address)
	}
	t.Cleanup(transport.CloseIdleConnections)
	v.client = &http.Client{Transport: transport, Timeout: 5 * time.Second}
	return v
}

// visit opens a URL and follows where it leads.
func (v *visitor) visit(ctx context.Context, address string) outcome {
	before := v.dialled.Load()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader("{}"))
	if err != nil {
		return wasNoURL
	}
	response, err := v.client.Do(request)
	if err == nil {
		_ = response.Body.Close()
		if response.StatusCode == http.StatusNoContent {
			return wasListed
		}
		return wasAnswered
	}
	var refusedErr *webhook.RefusedError
	var dns *net.DNSError
	switch {
	case errors.As(err, &refusedErr):
		return wasRefused
	case errors.As(err, &dns) && dns.IsNotFound:
		return wasNoName
	case v.dialled.Load() == before:
		return wasNoURL
	default:
		return wasDialled
	}
}

// The dial alone is enough: it does not depend on the check of URLs.
func TestDialReachesNothingHostile(t *testing.T) {
	t.Parallel()
	m := newMine(t)
	client := newVisitor(t, newGuard(t, hostileNames, listed))
	seen := map[outcome]int{}
	for _, address := range hostileURLs(m.port) {
		got := client.visit(t.Context(), address)
		require.NotContains(t, []outcome{wasDialled, wasAnswered}, got, address)
		seen[got]++
	}
	require.Greater(t, seen[wasRefused], attempts, "%v", seen)
	require.Zero(t, m.touched.Load())
	t.Logf("%v", seen)
}

// Redirects from a receiver that may be reached are not followed, and if they were
// the dial would refuse where they lead.
func TestRedirectsReachNothingHostile(t *testing.T) {
	t.Parallel()
	m := newMine(t)
	guard := newGuard(t, hostileNames, listed)
	client, follower := newClient(t, webhook.ClientConfig{Guard: guard}), newVisitor(t, guard)
	var targets []string
	for _, address := range append(hostile4(), hostile6()...) {
		authority := netip.AddrPortFrom(address, port(t, m)).String()
		targets = append(targets, "http://"+authority+"/", "//"+authority+"/", "https://"+authority+"/")
	}
	for _, address := range hostile4() {
		targets = append(targets, "http://"+strings.ReplaceAll(address.String(), ".", "-")+".v4.test:"+m.port+"/")
	}
	tried := 0
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, target := range targets {
			before := m.reached.Load()
			result, err := client.Send(t.Context(), deliveryTo(t, m.redirect(status, target)))
			require.NoError(t, err)
			require.Equal(t, webhook.FailureStatus, result.Failure, target)
			require.Equal(t, status, result.Status)
			require.Equal(t, before+1, m.reached.Load())

			require.Equal(t, wasRefused, follower.visit(t.Context(), m.redirect(status, target)), target)
			tried += 2
		}
	}
	require.Zero(t, m.touched.Load())
	t.Logf("%d redirects", tried)
}

func port(t *testing.T, m *mine) uint16 {
	t.Helper()
	return netip.MustParseAddrPort(net.JoinHostPort(listed, m.port)).Port()
}

// A name server with changing answers reaches no further address: the guard checks the
// dialled address.
func TestRebindingReachesNothingHostile(t *testing.T) {
	t.Parallel()
	m := newMine(t)
	good := netip.MustParseAddr(listed)
	var queries atomic.Int64
	// The first label is the hostile address. Every question finds the answer changed.
	rebinding := func(name string, ipv6 bool) ([]netip.Addr, bool) {
		hostile, ok := fromHex(strings.TrimSuffix(name, ".rebind.test"))
		if !ok {
			return nil, false
		}
		turn := queries.Add(1)
		if hostile.Is6() != ipv6 {
			return only(good, !ipv6 && turn%2 == 0), true
		}
		switch turn % 4 {
		case 0:
			return []netip.Addr{hostile}, true
		case 1:
			return only(good, !ipv6), true
		case 2:
			return append([]netip.Addr{hostile}, only(good, !ipv6)...), true
		default:
			return append(only(good, !ipv6), hostile), true
		}
	}
	client := newClient(t, webhook.ClientConfig{Guard: newGuard(t, rebinding, listed)})
	seen := map[webhook.Failure]int{}
	for _, address := range append(hostile4(), hostile6()...) {
		name := fmt.Sprintf("%x.rebind.test", address.AsSlice())
		for range 8 {
			result, err := client.Send(t.Context(), deliveryTo(t, "http://"+name+":"+m.port+"/"))
			require.NoError(t, err)
			require.True(t, result.Delivered() || result.Failure == webhook.FailureRefused ||
				result.Failure == webhook.FailureConnection && result.Detail == "the name of the receiver is not known" ||
				result.Failure == webhook.FailureConnection && result.Detail == "the name of the receiver could not be resolved",
				"%s: %+v", name, result)
			seen[result.Failure]++
			// The next attempt asks for the name again.
			client.Close()
		}
	}
	require.NotZero(t, seen[""], "some attempts reach the listed address")
	require.NotZero(t, seen[webhook.FailureRefused])
	require.Equal(t, int64(seen[""]), m.reached.Load())
	require.Zero(t, m.touched.Load())
	t.Logf("%v", seen)
}

// Destinations that the operator listed are reached by address, by prefix and by name.
func TestListedIsReached(t *testing.T) {
	t.Parallel()
	m := newMine(t)
	look := func(_ string, ipv6 bool) ([]netip.Addr, bool) {
		return only(netip.MustParseAddr(listed), !ipv6), true
	}
	for _, example := range []struct{ allow, host string }{
		{listed, listed},
		{"127.0.0.2/31", listed},
		{"127.0.0.0/8", listed},
		{"::ffff:127.0.0.2", listed},
		{"::ffff:127.0.0.0/104", "[::ffff:127.0.0.2]"},
		{listed, "receiver.test"},
		{"receiver.test", "Receiver.TEST."},
		{"Receiver.test.", "receiver.test"},
	} {
		guard, err := webhook.NewGuard(webhook.Policy{Allow: []string{example.allow}, AllowHTTP: true}, newResolver(t, look))
		require.NoError(t, err)
		client := newClient(t, webhook.ClientConfig{Guard: guard})
		result, err := client.Send(t.Context(), deliveryTo(t, "http://"+example.host+":"+m.port+"/"))
		require.NoError(t, err)
		require.True(t, result.Delivered(), "%+v: %+v", example, result)
	}
	// A listed name allows neither its subdomains nor its addresses.
	client := newClient(t, webhook.ClientConfig{Guard: newGuard(t, look, "receiver.test")})
	for _, host := range []string{"a.receiver.test", "receiver.test.example", "xreceiver.test", listed} {
		result, err := client.Send(t.Context(), deliveryTo(t, "http://"+host+":"+m.port+"/"))
		require.NoError(t, err)
		require.Equal(t, webhook.FailureRefused, result.Failure, host)
	}
}

// The canaries of the tests above would report a connection.
func TestCanariesReportConnections(t *testing.T) {
	t.Parallel()
	m := newMine(t)
	client := newClient(t, webhook.ClientConfig{Guard: newGuard(t, hostileNames, "127.0.0.0/8")})
	for _, address := range []string{"127.0.0.1", "127-127-127-127.v4.test", "[::ffff:127.0.0.3]"} {
		before := m.touched.Load()
		result, err := client.Send(t.Context(), deliveryTo(t, "http://"+address+":"+m.port+"/"))
		require.NoError(t, err)
		require.Equal(t, webhook.FailureConnection, result.Failure, "%+v", result)
		require.Greater(t, m.touched.Load(), before)
	}
}
