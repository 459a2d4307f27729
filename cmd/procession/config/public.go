package config

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// PublicNames configures the names of the service.
type PublicNames struct {
	PublicURL    string
	AllowedHosts textList
}

// bindFlags declares the flags of the names of the service.
func (c *PublicNames) bindFlags(f *pflag.FlagSet) {
	f.StringVar(&c.PublicURL, "public-url", "",
		"URL of the service for browsers, such as https://procession.example.com; other hosts than its host and --allowed-hosts are refused")
	f.Var(&c.AllowedHosts, "allowed-hosts",
		"further host names and addresses, without a port, that requests may name besides the host of --public-url")
}

// checkSettings validates the settings.
func (c *PublicNames) checkSettings() error {
	var wrong faults
	wrong.require(c.PublicURL == "" || publicHost(c.PublicURL) != "",
		"public-url", "must be a URL such as https://procession.example.com, without a path")
	wrong.require(len(c.AllowedHosts) == 0 || c.PublicURL != "", "allowed-hosts", "needs --public-url; without it every host is allowed")
	wrong.require(!slices.ContainsFunc(c.AllowedHosts, func(host string) bool {
		return host == "" || host != HostOf(host) || strings.ContainsAny(host, "/*@ ")
	}), "allowed-hosts", "must be a list of names and addresses such as procession.internal, without ports")
	return wrong.join()
}

// requirePublicURL checks that the redirect URIs of sign-ins do not depend on the Host header of a request.
func (c *Config) requirePublicURL() error {
	for _, issuer := range c.OIDCIssuers {
		if issuer.ClientID != "" && c.PublicURL == "" {
			return UsageError{Err: errors.New("--oidc-issuers with a client-id need --public-url: " +
				"it is the beginning of the redirect URI that is registered with the issuer")}
		}
	}
	return nil
}

// BaseURL returns --public-url without a slash at its end.
func (c *PublicNames) BaseURL() string { return strings.TrimSuffix(c.PublicURL, "/") }

// publicHost returns the host of a URL without user, path and query, "" for any other text.
func publicHost(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || strings.Trim(u.Path, "/") != "" ||
		u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return ""
	}
	return u.Hostname()
}

// Hosts contains the hosts that requests may name in addition to loopback hosts. A browser that was led here by
// a name in the DNS of an attacker sends that name.
type Hosts struct {
	names map[string]bool
	// AnyAddress allows all addresses, which are not names.
	AnyAddress bool
}

// Hosts returns the allowed hosts, nil if every host is allowed.
func (c *PublicNames) Hosts() *Hosts {
	if c.PublicURL == "" {
		return nil
	}
	h := &Hosts{}
	h.Add(publicHost(c.PublicURL))
	for _, host := range c.AllowedHosts {
		h.Add(host)
	}
	return h
}

// Add allows a host.
func (h *Hosts) Add(host string) {
	if h.names == nil {
		h.names = map[string]bool{}
	}
	h.names[strings.ToLower(host)] = true
}

// Allow reports whether requests with a Host header are answered. A nil value allows all.
func (h *Hosts) Allow(header string) bool {
	if h == nil {
		return true
	}
	host := HostOf(header)
	if IsLoopback(host) || h.names[strings.ToLower(host)] || h.names[strings.ToLower(strings.TrimSuffix(host, "."))] {
		return true
	}
	_, err := netip.ParseAddr(host)
	return h.AnyAddress && err == nil
}

// HostOf returns the host of a Host header, without port and brackets.
func HostOf(header string) string {
	name, _, err := net.SplitHostPort(header)
	if err != nil {
		name = header
	}
	return strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
}

// IsLoopback reports whether a host, without a port, is localhost or a loopback
// address.
func IsLoopback(host string) bool {
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}
