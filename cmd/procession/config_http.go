package main

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"time"

	"github.com/spf13/pflag"

	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/api/limit"
	"github.com/procession-dev/procession/authn"
)

// bindHTTP declares the flags about clients of the REST API.
func (c *Config) bindHTTP(f *pflag.FlagSet) {
	f.StringVar(&c.ListenAdministration, "listen-administration", "",
		"address of /admin/v1, over HTTPS if there is --tls-cert; empty for the addresses of the rest of the API")
	f.DurationVar(&c.HSTSMaxAge, "hsts-max-age", 365*24*time.Hour,
		"how long browsers must use HTTPS only (Strict-Transport-Security of HTTPS listeners); 0 to send no such header")
	f.BoolVar(&c.HSTSSubdomains, "hsts-include-subdomains", false,
		"browsers must use HTTPS for all subdomains of the service's host too (includeSubDomains)")
	f.IntVar(&c.MaxConnections, "max-connections", 10_000, "maximum number of open connections of each listener")
	f.IntVar(&c.AddressConnections, "address-connections", 0,
		"maximum number of open connections of one client address to each listener, and of its concurrent requests; "+
			"0 for a tenth of --max-connections, but 100 at least")
	f.Var(&c.TrustedProxies, "trusted-proxies",
		"addresses and prefixes such as 10.1.0.0/16 of proxies that are believed about addresses of clients (X-Forwarded-For)")
	f.Var(&c.CORSOrigins, "cors-origins",
		"origins such as https://desk.example.com of web pages whose programs may use the REST API, with credentials of their own")
	f.IntVar(&c.PrincipalRate, "principal-rate", 2000,
		"requests per second of one principal at this replica, with bursts of twice that; 0 for no limit")
	f.IntVar(&c.PrincipalConcurrency, "principal-concurrency", 256,
		"requests of one principal that this replica handles at once; 0 for no limit")
	f.IntVar(&c.TenantRate, "tenant-rate", 5000,
		"requests per second of all principals of a tenant at this replica, with bursts of twice that; 0 for no limit")
	f.IntVar(&c.AddressRate, "address-rate", 200,
		"requests per second of one client address that need no credentials, with bursts of twice that; 0 for no limit")
	f.IntVar(&c.FailedSignIns, "failed-sign-ins", 300,
		"failed sign-ins per minute of one client address before it gets 429; 0 for no limit")
	f.DurationVar(&c.SessionIdle, "session-idle", authn.DefaultSessionIdle,
		"how long a browser stays signed in to the console without being used")
	f.DurationVar(&c.SessionLifetime, "session-lifetime", authn.DefaultSessionLifetime,
		"how long a browser stays signed in to the console at most")
	f.DurationVar(&c.SignInMaxAge, "sign-in-max-age", authn.DefaultSignInMaxAge,
		"maximum age of a sign-in before the console changes secrets or rights; 0 for no maximum")
}

// checkHTTP reports what is wrong with the settings of bindHTTP.
func (c *Config) checkHTTP() error {
	var wrong []error
	if min(c.PrincipalRate, c.PrincipalConcurrency, c.TenantRate, c.AddressRate, c.FailedSignIns) < 0 {
		wrong = append(wrong, errors.New("--principal-rate, --principal-concurrency, --tenant-rate, --address-rate and "+
			"--failed-sign-ins must not be negative"))
	}
	if c.MaxConnections < 1 || c.HSTSMaxAge < 0 {
		wrong = append(wrong, errors.New("--max-connections must be positive and --hsts-max-age must not be negative"))
	}
	if c.AddressConnections < 0 || c.AddressConnections > c.MaxConnections {
		wrong = append(wrong, errors.New("--address-connections must be 0 to --max-connections"))
	}
	if c.SignInMaxAge < 0 {
		wrong = append(wrong, errors.New("--sign-in-max-age must not be negative"))
	}
	if c.SessionIdle <= 0 || c.SessionLifetime <= 0 {
		wrong = append(wrong, errors.New("--session-idle and --session-lifetime must be positive"))
	}
	for _, origin := range c.CORSOrigins {
		if err := http.NewCrossOriginProtection().AddTrustedOrigin(origin); err != nil {
			wrong = append(wrong, fmt.Errorf("--cors-origins must be a list of origins such as https://desk.example.com: %w", err))
		}
	}
	_, err := c.proxies()
	return errors.Join(append(wrong, err)...)
}

// addressShare returns how many connections, and concurrent requests, an address may have.
func (c *Config) addressShare() int {
	return min(cmp.Or(c.AddressConnections, max(c.MaxConnections/10, 100)), c.MaxConnections)
}

// limits returns what callers may ask for.
func (c *Config) limits() limit.Limits {
	return limit.Limits{
		PrincipalRate: c.PrincipalRate, PrincipalConcurrency: c.PrincipalConcurrency, TenantRate: c.TenantRate,
		AddressRate: c.AddressRate, AddressConcurrency: c.addressShare(), FailedSignIns: c.FailedSignIns,
	}
}

// proxies returns the trusted proxies.
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
