package main

import (
	"cmp"
	"net"
	"net/netip"
)

// devHosts returns the hosts that the local stack listens on and the hosts of the configuration. A stack that
// listens on all addresses answers to every address.
func devHosts(c *Config, o *devOptions) *hosts {
	h := cmp.Or(c.hosts(), &hosts{})
	for _, a := range devAddresses(c, o) {
		// checkFree has found the addresses to be valid.
		host, _, _ := net.SplitHostPort(*a.address)
		h.add(host)
		address, err := netip.ParseAddr(host)
		h.anyAddress = h.anyAddress || host == "" || err == nil && address.IsUnspecified()
	}
	return h
}
