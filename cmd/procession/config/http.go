package config

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"time"

	"github.com/spf13/pflag"

	"github.com/procession-dev/procession/api"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/authn"
)

// DefaultListen is the default address of the REST API.
const DefaultListen = "127.0.0.1:8080"

// HTTP configures the listeners, the limits of clients and the sessions of browsers.
type HTTP struct {
	Listen               string
	ListenTLS            string
	TLSCert              string
	TLSKey               string
	ListenHealth         string
	HealthProfiles       bool
	ListenAdministration string
	HSTSMaxAge           time.Duration
	HSTSSubdomains       bool
	MaxConnections       int
	AddressConnections   int
	TrustedProxies       textList
	CORSOrigins          textList
	PrincipalRate        int
	PrincipalConcurrency int
	TenantRate           int
	AddressRate          int
	FailedSignIns        int
	SessionIdle          time.Duration
	SessionLifetime      time.Duration
	SignInMaxAge         time.Duration
	MaxBodyBytes         int64
	DrainDelay           time.Duration
	DrainTimeout         time.Duration
	ShapeADeprecated     string
	ShapeASunset         string
}

// bindFlags declares the flags of listeners and of the limits of clients.
func (c *HTTP) bindFlags(f *pflag.FlagSet) {
	f.StringVar(&c.Listen, "listen", DefaultListen, "address of the REST API over HTTP; empty for none")
	f.StringVar(&c.ListenTLS, "listen-tls", "", "address of the REST API over HTTPS; empty for none")
	f.StringVar(&c.TLSCert, "tls-cert", "", "certificate of the HTTPS listeners (PEM file), reloaded when it changes")
	f.StringVar(&c.TLSKey, "tls-key", "", "private key of the HTTPS listeners (PEM file), reloaded when it changes")
	f.StringVar(&c.ListenHealth, "listen-health", "127.0.0.1:9090",
		"address of /livez, /readyz and /metrics, without authentication; empty for none")
	f.BoolVar(&c.HealthProfiles, "health-profiles", false,
		"serve /debug/pprof/ on --listen-health even if that is not a loopback address")
	f.Int64Var(&c.MaxBodyBytes, "max-body-bytes", 1<<20, "largest JSON request body, in bytes")
	f.StringVar(&c.ShapeADeprecated, "shape-a-deprecated", "2024-06-14",
		"date since which API version 2022-10-08 is deprecated, sent in the Deprecation header; empty for none")
	f.StringVar(&c.ShapeASunset, "shape-a-sunset", "", "date on which API version 2022-10-08 will be removed, sent in the Sunset header; empty for none")
	f.DurationVar(&c.DrainDelay, "drain-delay", 5*time.Second,
		"on shutdown, how long /readyz answers 503 and each answer closes its connection, before new connections are refused")
	f.DurationVar(&c.DrainTimeout, "drain-timeout", 20*time.Second, "on shutdown, how long requests in progress may take")
	f.StringVar(&c.ListenAdministration, "listen-administration", "",
		"address of /admin/v1, over HTTPS if there is --tls-cert; empty for the addresses of the rest of the API")
	f.DurationVar(&c.HSTSMaxAge, "hsts-max-age", 365*24*time.Hour,
		"how long browsers must use HTTPS only (Strict-Transport-Security of HTTPS listeners); 0 to send no such header")
	f.BoolVar(&c.HSTSSubdomains, "hsts-include-subdomains", false,
		"browsers must use HTTPS for all subdomains of the service's host too (includeSubDomains)")
	f.IntVar(&c.MaxConnections, "max-connections", 10_000, "maximum number of open connections of each listener")
	f.IntVar(&c.AddressConnections, "address-connections", 0,
		"maximum number of open connections of one client address to each listener, and of its concurrent requests; "+
			"0 for a tenth of --max-connections, at least 100")
	f.Var(&c.TrustedProxies, "trusted-proxies",
		"addresses and prefixes such as 10.1.0.0/16 of proxies that are trusted to send addresses of clients (X-Forwarded-For)")
	f.Var(&c.CORSOrigins, "cors-origins",
		"origins such as https://desk.example.com of web pages that may use the REST API with their own credentials")
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

// checkSettings validates the settings.
func (c *HTTP) checkSettings() error {
	var wrong faults
	for setting, address := range map[string]string{
		"listen": c.Listen, "listen-tls": c.ListenTLS, "listen-health": c.ListenHealth, "listen-administration": c.ListenAdministration,
	} {
		wrong.require(address == "" || isAddress(address), setting, "must be host:port such as 127.0.0.1:8080, or :8080 for all addresses")
	}
	wrong.require(c.Listen != "" || c.ListenTLS != "", "listen", "or --listen-tls is required")
	for setting, limit := range map[string]int{
		"principal-rate": c.PrincipalRate, "principal-concurrency": c.PrincipalConcurrency, "tenant-rate": c.TenantRate,
		"address-rate": c.AddressRate, "failed-sign-ins": c.FailedSignIns,
	} {
		wrong.require(limit >= 0, setting, "must not be negative")
	}
	for setting, d := range map[string]time.Duration{
		"hsts-max-age": c.HSTSMaxAge, "sign-in-max-age": c.SignInMaxAge, "drain-delay": c.DrainDelay, "drain-timeout": c.DrainTimeout,
	} {
		wrong.require(d >= 0, setting, "must not be negative")
	}
	wrong.require(c.SessionIdle > 0, "session-idle", "must be positive")
	wrong.require(c.SessionLifetime > 0, "session-lifetime", "must be positive")
	wrong.require(c.MaxConnections > 0, "max-connections", "must be positive")
	wrong.require(c.AddressConnections >= 0 && (c.MaxConnections < 1 || c.AddressConnections <= c.MaxConnections),
		"address-connections", "must be 0 to --max-connections")
	wrong.require(c.MaxBodyBytes >= 1024, "max-body-bytes", "must be 1024 or more")
	for _, origin := range c.CORSOrigins {
		if err := http.NewCrossOriginProtection().AddTrustedOrigin(origin); err != nil {
			wrong.add("cors-origins", fmt.Errorf("must be a list of origins such as https://desk.example.com: %w", err))
		}
	}
	for setting, day := range map[string]string{"shape-a-deprecated": c.ShapeADeprecated, "shape-a-sunset": c.ShapeASunset} {
		_, err := parseDay(day)
		wrong.require(err == nil, setting, "must be a day such as 2027-01-31")
	}
	_, err := c.Proxies()
	wrong.add("trusted-proxies", err)
	return wrong.join()
}

// AddressShare returns the maximum number of connections, and of concurrent requests, of a client address.
func (c *HTTP) AddressShare() int {
	return min(cmp.Or(c.AddressConnections, max(c.MaxConnections/10, 100)), c.MaxConnections)
}

// Proxies returns the trusted proxies.
func (c *HTTP) Proxies() (httpio.Proxies, error) {
	proxies := make(httpio.Proxies, 0, len(c.TrustedProxies))
	for _, text := range c.TrustedProxies {
		prefix, err := netip.ParsePrefix(text)
		if address, addressErr := netip.ParseAddr(text); addressErr == nil {
			prefix, err = netip.PrefixFrom(address, address.BitLen()), nil
		}
		if err != nil {
			return nil, fmt.Errorf("must be a list of addresses and prefixes: %w", err)
		}
		proxies = append(proxies, prefix.Masked())
	}
	return proxies, nil
}

// Deprecation returns the deprecation headers for clients of API version
// 2022-10-08. Days begin in UTC.
func (c *HTTP) Deprecation() (api.Deprecation, error) {
	since, err := parseDay(c.ShapeADeprecated)
	sunset, sunsetErr := parseDay(c.ShapeASunset)
	return api.Deprecation{Since: since, Sunset: sunset}, errors.Join(err, sunsetErr)
}

// parseDay returns the beginning of a day such as 2027-01-31, the zero time for an empty text.
func parseDay(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	return time.Parse(time.DateOnly, text)
}

func (c *HTTP) requireTLSFiles() error {
	if c.ListenTLS != "" && (c.TLSCert == "" || c.TLSKey == "") {
		return UsageError{Err: errors.New("--listen-tls needs --tls-cert and --tls-key")}
	}
	if (c.TLSCert == "") != (c.TLSKey == "") {
		return UsageError{Err: errors.New("--tls-cert and --tls-key need each other")}
	}
	return nil
}
