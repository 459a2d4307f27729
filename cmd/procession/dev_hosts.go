package main

import (
	"cmp"
	"net"
	"net/netip"
)

// devHosts returns the allowed hosts: the configured hosts and the hosts that the local stack listens on, every
// address if it listens on all of them.
func devHosts(c *Config, o *devOptions) *hosts {
	h := cmp.Or(c.allowedHosts(), &hosts{})
	for _, a := range devAddresses(c, o) {
		// checkFree has found the addresses to be valid.
		host, _, _ := net.SplitHostPort(*a.address)
		h.add(host)
		address, err := netip.ParseAddr(host)
		h.anyAddress = h.anyAddress || host == "" || err == nil && address.IsUnspecified()
	}
	return h
}
