package webhook_test

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/events/webhook"
)

func TestCheckURL(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	const (
		notAbsolute = "must be an absolute URL such as https://example.com/events"
		notHTTPS    = "must begin with https://"
		noSpaces    = "must have no spaces, control characters and backslashes"
		noUser      = "must have no user and password: events are signed instead"
		noFragment  = "must have no fragment"
		badPort     = "must have a port from 1 to 65535, or none"
		notDecimal  = "must have an IPv4 address as four decimal numbers, such as 192.0.2.1"
		message     = "has an address that the operator does not allow with --webhook-allow: "
		notName     = "must have the name of a host: "
		badLabel    = notName + "its parts must have 1 to 63 characters"
		hyphen      = notName + "its parts must not begin or end with a hyphen"
		notASCII    = notName + "it must be ASCII, international names in their xn-- form"
	)
	guard, err := webhook.NewGuard(webhook.Policy{Allow: []string{"10.1.0.0/16", "fd00::1", "inside"}}, nil)
	require.NoError(t, err)
	for text, want := range map[string]string{
		"https://example.com":                               "",
		"https://example.com/events?token=a%20b&x=ü":        "",
		"https://EXAMPLE.com.:8443/":                        "",
		"HTTPS://xn--bcher-kva.example/":                    "",
		"https://_a.example.com/":                           "",
		"https://8.8.8.8/":                                  "",
		"https://[2606:4700::1111]:65535/":                  "",
		"https://10.1.2.3/":                                 "",
		"https://inside/":                                   "",
		"http://inside./":                                   "",
		"http://10.1.2.3:80/":                               "",
		"http://[::ffff:10.1.2.3]/":                         "",
		"http://[fd00::1]/":                                 "",
		"":                                                  notAbsolute,
		"example.com":                                       notAbsolute,
		"/events":                                           notAbsolute,
		"//example.com/":                                    notHTTPS,
		"https:example.com":                                 notAbsolute,
		"https://":                                          notAbsolute,
		"https:///events":                                   notAbsolute,
		"https://%zz/":                                      notAbsolute,
		"http://example.com/":                               notHTTPS,
		"http://8.8.8.8/":                                   notHTTPS,
		"ftp://example.com/":                                notHTTPS,
		"javascript://example.com/":                         notHTTPS,
		"https://a:b@example.com/":                          noUser,
		"https://@example.com/":                             noUser,
		"https://example.com/#":                             noFragment,
		"https://example.com/#a":                            noFragment,
		"https://example.com/a b":                           noSpaces,
		" https://example.com/":                             noSpaces,
		"https://example.com/\x00":                          noSpaces,
		"https://example.com\\@a.com/":                      noSpaces,
		"https://example.com:/":                             badPort,
		"https://example.com:0/":                            badPort,
		"https://example.com:65536/":                        badPort,
		"https://example.com:x/":                            notAbsolute,
		"https://:443/":                                     notName + "it must have 1 to 253 characters",
		"https://" + strings.Repeat("a.", 127) + "com/":     notName + "it must have 1 to 253 characters",
		"https://" + strings.Repeat("a", 64) + ".com/":      badLabel,
		"https://a..com/":                                   badLabel,
		"https://example.com../":                            badLabel,
		"https://-a.com/":                                   hyphen,
		"https://a-.com/":                                   hyphen,
		"https://a,b.com/":                                  notName + "it must contain only letters, digits, hyphens, underscores and full stops",
		"https://bücher.example/":                           notASCII,
		"https://１２７.0.0.1.example/":                        notASCII,
		"https://127.1/":                                    notDecimal,
		"https://2130706433/":                               notDecimal,
		"https://0x7f000001/":                               notDecimal,
		"https://0X7F.0.0.0x1/":                             notDecimal,
		"https://0177.0.0.1/":                               notDecimal,
		"https://8.8.8.8./":                                 notDecimal,
		"https://256.256.256.256/":                          notDecimal,
		"https://a.0x/":                                     notDecimal,
		"https://127.0.0.1/":                                message + "loopback",
		"https://[::1]/":                                    message + "loopback",
		"https://[::ffff:7f00:1]/":                          message + "loopback",
		"https://localhost/":                                message + "loopback",
		"https://a.LOCALHOST./":                             message + "loopback",
		"https://169.254.169.254/latest/":                   message + "link-local",
		"https://[2606:4700::1111%25eth0]/":                 message + "link-local",
		"https://10.2.0.1/":                                 message + "private",
		"https://[v1.a]/":                                   notAbsolute,
		"https://[example.com]/":                            notAbsolute,
		"https://[8.8.8.8]/":                                notAbsolute,
		"https://[::1/":                                     notAbsolute,
		"https://example.com/" + strings.Repeat("a", 1981):  "must have at most 2000 bytes",
		"https://example.com/" + strings.Repeat("a", 1980):  "",
		"https://example.com/?a=" + strings.Repeat("%", 10): "",
	} {
		err := guard.CheckURL(text)
		if want == "" {
			require.NoError(t, err, text)
			continue
		}
		var problem *webhook.URLError
		require.ErrorAs(t, err, &problem, text)
		require.Equal(t, want, problem.Problem, text)
		require.EqualError(t, err, "the URL "+want)
	}
}

func TestCheckURLByPolicy(t *testing.T) {
	t.Parallel()
	check := func(policy webhook.Policy, text string) error {
		guard, err := webhook.NewGuard(policy, nil)
		require.NoError(t, err)
		return guard.CheckURL(text)
	}
	anyHTTP := webhook.Policy{AllowHTTP: true}
	require.NoError(t, check(anyHTTP, "http://example.com/"))
	require.Error(t, check(anyHTTP, "http://127.0.0.1/"))
	require.Error(t, check(anyHTTP, "ftp://example.com/"))
	for _, loopback := range []string{"127.0.0.1", "127.0.0.0/8", "::1", "localhost"} {
		require.NoError(t, check(webhook.Policy{Allow: []string{loopback}}, "http://localhost:9000/"), loopback)
	}
	require.Error(t, check(webhook.Policy{Allow: []string{"127.0.0.2"}}, "http://localhost:9000/"))
	require.Error(t, check(webhook.Policy{Refuse: []string{"8.8.8.0/24"}}, "https://8.8.8.8/"))
}

// Whatever passes is https to a host, and if the host is an address, to one that
// is not refused.
func FuzzCheckURL(f *testing.F) {
	for _, seed := range hostileURLs("443") {
		if len(seed)%16 == 0 {
			f.Add(seed)
		}
	}
	for _, seed := range []string{"https://example.com/a?b=c", "https://8.8.8.8:1/", "https://[2606:4700::1]/", "https://a.b.:443"} {
		f.Add(seed)
	}
	guard, err := webhook.NewGuard(webhook.Policy{}, nil)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text string) {
		if guard.CheckURL(text) != nil {
			return
		}
		parsed, err := url.Parse(text)
		require.NoError(t, err)
		require.Equal(t, "https", parsed.Scheme)
		require.Nil(t, parsed.User)
		require.Empty(t, parsed.Fragment)
		require.NotEmpty(t, parsed.Hostname())
		if address, err := netip.ParseAddr(parsed.Hostname()); err == nil {
			require.NoError(t, guard.CheckAddress(address))
			return
		}
		last := strings.TrimSuffix(parsed.Hostname(), ".")
		last = last[strings.LastIndexByte(last, '.')+1:]
		require.NotEmpty(t, strings.Trim(last, "0123456789"))
		require.Empty(t, strings.Trim(parsed.Hostname(), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."))
		// Parsers that print their result agree.
		if printed := parsed.String(); len(printed) <= 2000 {
			require.NoError(t, guard.CheckURL(printed))
		}
	})
}
