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

// Guard refuses deliveries to addresses that a subscriber could not reach without the
// service. It looks at the address of every connection just before it
// is opened, after names were resolved, so neither the spelling of a URL nor DNS
// rebinding gets around it.
//
// All ports of an allowed address are allowed. A subscriber can reach them from
// anywhere, and over https its data is sent only after a handshake; a policy that
// allows http everywhere gives up the latter.
type Guard struct {
	allow     destinations
	refuse    destinations
	special   *ssrf.Guardian
	named     []namedRange
	allowHTTP bool

	guarded, open net.Dialer
}

// NewGuard returns the guard of a policy, or an error when the policy is invalid.
// The resolver resolves names; nil means Go's own. The C library's resolver accepts
// numbers in many spellings as addresses, and unresponsive DNS servers of a few
// subscribers can exhaust its threads.
func NewGuard(policy Policy, resolver *net.Resolver) (*Guard, error) {
	allow, err := parseDestinations(policy.Allow, true)
	if err != nil {
		return nil, fmt.Errorf("invalid allowed webhook destination: %w", err)
	}
	refuse, err := parseDestinations(policy.Refuse, false)
	if err != nil {
		return nil, fmt.Errorf("invalid refused webhook destination: %w", err)
	}
	if resolver == nil {
		resolver = &net.Resolver{PreferGo: true}
	}
	g := &Guard{allow: allow, refuse: refuse, special: ssrf.New(ssrf.WithAnyPort()), named: namedRanges(), allowHTTP: policy.AllowHTTP}
	g.open = net.Dialer{Timeout: dialTimeout, Resolver: resolver}
	g.guarded = net.Dialer{Timeout: dialTimeout, Resolver: resolver, ControlContext: g.checkSocket}
	return g, nil
}

// RefusedError reports a refused address. It does not contain the address, so that it
// cannot be used to resolve names.
type RefusedError struct {
	// Kind describes the kind of the address.
	Kind string
}

// Error implements error.
func (e *RefusedError) Error() string { return "the address is refused: " + e.Kind }

// CheckAddress returns a RefusedError for a refused address.
func (g *Guard) CheckAddress(address netip.Addr) error {
	if kind := g.refusalReason(address); kind != "" {
		return &RefusedError{Kind: kind}
	}
	return nil
}

// refusalReason returns the reason why an address is refused, or "".
func (g *Guard) refusalReason(address netip.Addr) string {
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
			return named.description
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

// checkSocket checks the address of a socket that is about to connect.
func (g *Guard) checkSocket(_ context.Context, network, address string, _ syscall.RawConn) error {
	if network != "tcp4" && network != "tcp6" {
		return &RefusedError{Kind: "not TCP"}
	}
	parsed, err := netip.ParseAddrPort(address)
	if err != nil {
		return &RefusedError{Kind: "not an address"}
	}
	return g.CheckAddress(parsed.Addr())
}
