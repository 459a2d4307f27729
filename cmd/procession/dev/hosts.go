package dev

import (
	"cmp"
	"net"
	"net/netip"

	"github.com/procession-dev/procession/cmd/procession/config"
)

// allowedHosts returns the allowed hosts: the configured hosts and the hosts that the local stack listens on, every
// address if it listens on all of them.
func allowedHosts(c *config.Config, o *Options) *config.Hosts {
	h := cmp.Or(c.Hosts(), &config.Hosts{})
	for _, a := range listenAddresses(c, o) {
		// checkFree has found the addresses to be valid.
		host, _, _ := net.SplitHostPort(*a.address)
		h.Add(host)
		address, err := netip.ParseAddr(host)
		h.AnyAddress = h.AnyAddress || host == "" || err == nil && address.IsUnspecified()
	}
	return h
}

// localURL returns the URL of the local stack, "" if its port is chosen when it listens.
func localURL(c config.HTTP) string {
	scheme := "http://"
	if c.Listen == "" {
		scheme = "https://"
	}
	address := hostPort(cmp.Or(c.Listen, c.ListenTLS))
	if _, port, err := net.SplitHostPort(address); err != nil || port == "0" || port == "" {
		return ""
	}
	return scheme + address
}

// hostPort returns address with a host that a client can connect to.
func hostPort(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil || host != "" && host != "0.0.0.0" && host != "::" {
		return address
	}
	return net.JoinHostPort("127.0.0.1", port)
}
