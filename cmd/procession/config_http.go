package main

import (
	"fmt"
	"net/netip"

	"github.com/spf13/pflag"

	"github.com/procession-dev/procession/api/httpio"
)

// bindHTTP declares the flags about clients of the REST API.
func (c *Config) bindHTTP(f *pflag.FlagSet) {
	f.Var(&c.TrustedProxies, "trusted-proxies",
		"addresses and prefixes such as 10.1.0.0/16 of proxies that are believed about addresses of clients (X-Forwarded-For)")
}

// proxies are the trusted ones.
func (c *Config) proxies() (httpio.Proxies, error) {
	proxies := make(httpio.Proxies, 0, len(c.TrustedProxies))
	for _, text := range c.TrustedProxies {
		prefix, err := netip.ParsePrefix(text)
		if address, addressErr := netip.ParseAddr(text); addressErr == nil {
			prefix, err = netip.PrefixFrom(address, address.BitLen()), nil
		}
		if err != nil {
			return nil, fmt.Errorf("--trusted-proxies must be a list of addresses and prefixes: %w", err)
		}
		proxies = append(proxies, prefix.Masked())
	}
	return proxies, nil
}
