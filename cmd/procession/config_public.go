package main

import (
	"cmp"
	"errors"
	"net"
	"net/netip"
	"net/url"
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

// check validates the settings.
func (c *PublicNames) check() error {
	var wrong []error
	if c.PublicURL != "" && publicHost(c.PublicURL) == "" {
		wrong = append(wrong, errors.New("--public-url must be a URL such as https://procession.example.com, without a path"))
	}
	if len(c.AllowedHosts) > 0 && c.PublicURL == "" {
		wrong = append(wrong, errors.New("--allowed-hosts needs --public-url; without it every host is allowed"))
	}
	for _, host := range c.AllowedHosts {
		if host == "" || host != hostOf(host) || strings.ContainsAny(host, "/*@ ") {
			wrong = append(wrong, errors.New("--allowed-hosts must be a list of names and addresses such as procession.internal, without ports"))
			break
		}
	}
	return errors.Join(wrong...)
}

// requirePublicURL checks that the redirect URIs of sign-ins do not depend on the Host header of a request.
func (c *Config) requirePublicURL() error {
	for _, issuer := range c.OIDCIssuers {
		if issuer.ClientID != "" && c.PublicURL == "" {
			return usageError{errors.New("--oidc-issuers with a client-id need --public-url: " +
				"it is the beginning of the redirect URI that is registered with the issuer")}
		}
	}
	return nil
}

// baseURL returns --public-url without a slash at its end.
func (c *PublicNames) baseURL() string { return strings.TrimSuffix(c.PublicURL, "/") }

// publicHost returns the host of a URL without user, path and query, "" for any other text.
func publicHost(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || strings.Trim(u.Path, "/") != "" ||
		u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return ""
	}
	return u.Hostname()
}

// hosts contains the hosts that requests may name in addition to loopback hosts. A browser that was led here by
// a name in the DNS of an attacker sends that name.
type hosts struct {
	names map[string]bool
	// anyAddress allows all addresses, which are not names.
	anyAddress bool
}

// allowedHosts returns the allowed hosts, nil if every host is allowed.
func (c *PublicNames) allowedHosts() *hosts {
	if c.PublicURL == "" {
		return nil
	}
	h := &hosts{}
	h.add(publicHost(c.PublicURL))
	for _, host := range c.AllowedHosts {
		h.add(host)
	}
	return h
}

func (h *hosts) add(host string) {
	if h.names == nil {
		h.names = map[string]bool{}
	}
	h.names[strings.ToLower(host)] = true
}

// allow reports whether requests with a Host header are answered. A nil value allows all.
func (h *hosts) allow(header string) bool {
	if h == nil {
		return true
	}
	host := hostOf(header)
	if loopbackHost(host) || h.names[strings.ToLower(host)] || h.names[strings.ToLower(strings.TrimSuffix(host, "."))] {
		return true
	}
	_, err := netip.ParseAddr(host)
	return h.anyAddress && err == nil
}

// hostOf returns the host of a Host header, without port and brackets.
func hostOf(header string) string {
	name, _, err := net.SplitHostPort(header)
	if err != nil {
		name = header
	}
	return strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
}

// devURL returns the URL of the local stack, "" if its port is chosen when it listens.
func (c *HTTP) devURL() string {
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
