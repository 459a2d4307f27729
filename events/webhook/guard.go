package webhook

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// dialTimeout bounds the search for an address that answers.
const dialTimeout = 10 * time.Second

// Guard keeps deliveries away from addresses that a subscriber could not reach
// without the service. It looks at the address of every connection just before it
// is opened, after names were resolved, so neither the spelling of a URL nor DNS
// rebinding gets around it.
//
// All ports of an allowed address are allowed. A subscriber can reach them from
// anywhere, and over https nothing that it can choose is sent before a handshake;
// a policy that allows http everywhere gives up the latter.
type Guard struct {
	allow     reach
	refuse    reach
	special   *ssrf.Guardian
	named     []namedRange
	allowHTTP bool

	guarded, open net.Dialer
}

// NewGuard returns the guard of a policy, or an error when the policy is invalid.
// Names are resolved by the resolver; nil is Go's own, because that of the C
// library reads numbers as addresses in many spellings and has a limited number
// of threads, which dead DNS servers of few subscribers can fill.
func NewGuard(policy Policy, resolver *net.Resolver) (*Guard, error) {
	allow, err := parseReach(policy.Allow, true)
	if err != nil {
		return nil, fmt.Errorf("invalid allowed webhook destination: %w", err)
	}
	refuse, err := parseReach(policy.Refuse, false)
	if err != nil {
		return nil, fmt.Errorf("invalid refused webhook destination: %w", err)
	}
	if resolver == nil {
		resolver = &net.Resolver{PreferGo: true}
	}
	g := &Guard{allow: allow, refuse: refuse, special: ssrf.New(ssrf.WithAnyPort()), named: namedRanges(), allowHTTP: policy.AllowHTTP}
	g.open = net.Dialer{Timeout: dialTimeout, Resolver: resolver}
	g.guarded = net.Dialer{Timeout: dialTimeout, Resolver: resolver, ControlContext: g.control}
	return g, nil
}

// RefusedError reports that events may not be sent to an address. It does not
// contain the address, so that it cannot be used to resolve names.
type RefusedError struct {
	// What describes the kind of the address.
	What string
}

// Error implements error.
func (e *RefusedError) Error() string { return "the address is refused: " + e.What }

// CheckAddress returns a RefusedError for an address that events may not be sent
// to.
func (g *Guard) CheckAddress(address netip.Addr) error {
	if what := g.refusal(address); what != "" {
		return &RefusedError{What: what}
	}
	return nil
}

// refusal returns the reason why an address is refused, or "".
func (g *Guard) refusal(address netip.Addr) string {
	address = address.Unmap()
	switch {
	case !address.IsValid():
		return "not an address"
	case address.Zone() != "":
		return "link-local"
	case g.allow.hasAddress(address):
		return ""
	case g.refuse.hasAddress(address):
		return "closed by the operator"
	}
	for _, named := range g.named {
		if named.prefix.Contains(address) {
			return named.what
		}
	}
	if g.special.SafeAddr(address) != nil {
		return "not public"
	}
	return ""
}

// DialContext opens a TCP connection to host:port. It returns a RefusedError when
// all addresses of the host are refused, and skips refused addresses otherwise.
func (g *Guard) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("dialling a receiver: %w", err)
	}
	dialer := &g.guarded
	if g.allow.hasHost(host) {
		dialer = &g.open
	}
	return dialer.DialContext(ctx, network, address)
}

// control checks the address of a socket that is about to connect.
func (g *Guard) control(_ context.Context, network, address string, _ syscall.RawConn) error {
	if network != "tcp4" && network != "tcp6" {
		return &RefusedError{What: "not TCP"}
	}
	parsed, err := netip.ParseAddrPort(address)
	if err != nil {
		return &RefusedError{What: "not an address"}
	}
	return g.CheckAddress(parsed.Addr())
}
