package webhook

import (
	"fmt"
	"net/netip"
	"strings"
)

// Policy is the operator's configuration of where events may be sent. The zero
// policy allows the public Internet: https to public addresses.
type Policy struct {
	// Allow lists destinations that are allowed although they are not public:
	// prefixes such as 10.1.0.0/16, addresses, and names of hosts. All addresses of
	// a listed name are allowed, so it must be a name that the operator's own DNS
	// answers.
	Allow []string
	// Refuse lists prefixes and addresses that are refused although they are public:
	// parts of the operator's own network. Allow takes precedence.
	Refuse []string
	// AllowHTTP accepts http for all hosts, which exposes events to machines on the
	// way. Destinations in Allow are always accepted over http.
	AllowHTTP bool
}

// destinations is a parsed list of a policy.
type destinations struct {
	prefixes []netip.Prefix
	hosts    map[string]bool
}

// parseDestinations parses a list of prefixes and addresses, and of names where names is
// true.
func parseDestinations(texts []string, names bool) (destinations, error) {
	found := destinations{hosts: map[string]bool{}}
	for _, text := range texts {
		prefix, err := parsePrefix(text)
		switch {
		case err == nil:
			found.prefixes = append(found.prefixes, prefix)
		case !names:
			return destinations{}, fmt.Errorf("%q is neither an address nor a prefix such as 10.1.0.0/16", text)
		case checkName(text) != nil || endsInNumber(text):
			return destinations{}, fmt.Errorf("%q is neither an address, a prefix such as 10.1.0.0/16 nor the name of a host", text)
		default:
			found.hosts[canonicalHost(text)] = true
		}
	}
	return found, nil
}

// parsePrefix parses a prefix, or an address as the prefix of itself. An IPv4
// address mapped into IPv6 is read as IPv4.
func parsePrefix(text string) (netip.Prefix, error) {
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		address, err := netip.ParseAddr(text)
		if err != nil {
			return netip.Prefix{}, err
		}
		// A prefix cannot hold a zone; dropping it would allow more than was
		// configured.
		if address.Zone() != "" {
			return netip.Prefix{}, fmt.Errorf("%q has a zone", text)
		}
		address = address.Unmap()
		return netip.PrefixFrom(address, address.BitLen()), nil
	}
	if address := prefix.Addr(); address.Is4In6() {
		const mapping = 96
		if prefix.Bits() < mapping {
			return netip.Prefix{}, fmt.Errorf("%q covers more than the IPv4 addresses", text)
		}
		prefix = netip.PrefixFrom(address.Unmap(), prefix.Bits()-mapping)
	}
	return prefix.Masked(), nil
}

func (r destinations) hasAddress(address netip.Addr) bool {
	for _, prefix := range r.prefixes {
		if prefix.Contains(address) {
			return true
		}
	}
	return false
}

func (r destinations) hasHost(host string) bool { return r.hosts[canonicalHost(host)] }

// canonicalHost returns the spelling in which names are compared.
func canonicalHost(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }
