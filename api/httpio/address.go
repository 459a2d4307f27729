package httpio

import (
	"net/http"
	"net/netip"
	"strings"
)

// maxHops bounds how many proxies a request may have come through.
const maxHops = 16

// Proxies are the prefixes of addresses from which X-Forwarded-For is believed.
type Proxies []netip.Prefix

// Peer returns the address that the request's connection comes from, or the zero Addr
// when there is no connection.
func Peer(r *http.Request) netip.Addr { return PeerOf(r.RemoteAddr) }

// PeerOf returns the address in the text of an address and a port, or the zero Addr for
// another text.
func PeerOf(text string) netip.Addr {
	peer, err := netip.ParseAddrPort(text)
	if err != nil {
		return netip.Addr{}
	}
	return peer.Addr().Unmap().WithZone("")
}

// Client returns the address of the client: the peer's, or if that is a trusted
// proxy the last address in X-Forwarded-For that is not one. Addresses before
// that were written by the client and are ignored.
func (p Proxies) Client(r *http.Request) netip.Addr {
	client := Peer(r)
	if !p.Trust(client) {
		return client
	}
	rest := strings.Join(r.Header.Values("X-Forwarded-For"), ",")
	for range maxHops {
		i := strings.LastIndexByte(rest, ',')
		hop, err := parseHop(rest[i+1:])
		if err != nil {
			break
		}
		client = hop
		if i < 0 || !p.Trust(client) {
			break
		}
		rest = rest[:i]
	}
	return client
}

// Trust reports whether an address is one of the proxies.
func (p Proxies) Trust(address netip.Addr) bool {
	for _, prefix := range p {
		if prefix.Contains(address) {
			return true
		}
	}
	return false
}

// parseHop reads an address, which some proxies write with a port.
func parseHop(text string) (netip.Addr, error) {
	text = strings.TrimSpace(text)
	if withPort, err := netip.ParseAddrPort(text); err == nil {
		return withPort.Addr().Unmap().WithZone(""), nil
	}
	address, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	return address.Unmap().WithZone(""), err
}

// Network returns the prefix of addresses that one client is taken to have: the address
// itself in IPv4, the /64 in IPv6.
func Network(client netip.Addr) netip.Prefix {
	bits := 64
	if client.Is4() {
		bits = 32
	}
	// The zero Addr has the zero Prefix.
	network, _ := client.Prefix(bits)
	return network
}
