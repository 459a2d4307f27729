package main

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// devHosts returns a function that reports whether the local stack answers
// requests whose Host header is host: loopback names and addresses, and the hosts
// it was made to listen on. A browser that was led here by a name in the DNS of an
// attacker sends that name. A stack that listens on all addresses answers to every
// address, which is not a name.
func devHosts(c *Config, o *devOptions) func(host string) bool {
	configured := map[string]bool{}
	anyAddress := false
	for _, a := range devAddresses(c, o) {
		// checkFree has found the addresses to be valid.
		host, _, _ := net.SplitHostPort(*a.address)
		configured[strings.ToLower(host)] = true
		address, err := netip.ParseAddr(host)
		anyAddress = anyAddress || host == "" || err == nil && address.IsUnspecified()
	}
	return func(header string) bool {
		host := header
		if name, _, err := net.SplitHostPort(header); err == nil {
			host = name
		}
		host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
		if loopbackHost(host) || configured[strings.ToLower(host)] {
			return true
		}
		_, err := netip.ParseAddr(host)
		return anyAddress && err == nil
	}
}

// onlyHosts answers 421 to requests for a host that is not allowed. Every host is
// allowed where allowed is nil.
func onlyHosts(allowed func(host string) bool, next http.Handler) http.Handler {
	if allowed == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !allowed(r.Host) {
			http.Error(w, "this host is not served here", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}
