package webhook

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// maxURLLength is the maximum length of the document of a subscription, in bytes.
const maxURLLength = 2000

// URLError is returned by CheckURL for a refused URL. It does not quote the URL, which
// may contain a token.
type URLError struct {
	// Problem continues a sentence that begins with "the URL": "must have no
	// fragment".
	Problem string
}

// Error implements error.
func (e *URLError) Error() string { return "the URL " + e.Problem }

// CheckURL parses a URL and returns a URLError when the guard refuses it.
// It refuses other schemes than https (http where the policy accepts it), user
// and password, a fragment, and a host that is neither a valid name nor an
// allowed address. It resolves no names: a name that passes may still have an
// address that is refused when it is dialled.
func (g *Guard) CheckURL(text string) error {
	_, err := g.parseURL(text)
	return err
}

func (g *Guard) parseURL(text string) (*url.URL, error) {
	if len(text) > maxURLLength {
		return nil, &URLError{Problem: fmt.Sprintf("must have at most %d bytes", maxURLLength)}
	}
	// Parsers disagree about these characters.
	if strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c == 0x7f || c == '\\' }) {
		return nil, &URLError{Problem: "must have no spaces, control characters and backslashes"}
	}
	parsed, err := url.Parse(text)
	if err != nil || parsed.Host == "" || parsed.Opaque != "" {
		return nil, &URLError{Problem: "must be an absolute URL such as https://example.com/events"}
	}
	switch {
	case parsed.Scheme != "https" && parsed.Scheme != "http":
		return nil, &URLError{Problem: "must begin with https://"}
	case parsed.User != nil:
		return nil, &URLError{Problem: "must have no user and password: events are signed instead"}
	case strings.Contains(text, "#"):
		return nil, &URLError{Problem: "must have no fragment"}
	}
	if err := checkPort(parsed); err != nil {
		return nil, err
	}
	listed, err := g.checkHost(parsed)
	if err != nil {
		return nil, err
	}
	if parsed.Scheme == "http" && !g.allowHTTP && !listed {
		return nil, &URLError{Problem: "must begin with https://"}
	}
	return parsed, nil
}

func checkPort(u *url.URL) error {
	port := u.Port()
	if port == "" && !strings.HasSuffix(u.Host, ":") {
		return nil
	}
	if number, err := strconv.ParseUint(port, 10, 16); err != nil || number == 0 {
		return &URLError{Problem: "must have a port from 1 to 65535, or none"}
	}
	return nil
}

// checkHost returns a URLError for an invalid or refused host, and reports
// whether the operator allowed the host by name or address.
func (g *Guard) checkHost(u *url.URL) (bool, error) {
	host := u.Hostname()
	if address, err := netip.ParseAddr(host); err == nil {
		return g.checkLiteral(address)
	}
	if endsInNumber(host) {
		return false, &URLError{Problem: "must have an IPv4 address as four decimal numbers, such as 192.0.2.1"}
	}
	if err := checkName(host); err != nil {
		return false, &URLError{Problem: "must have the name of a host: " + err.Error()}
	}
	if g.allow.hasHost(host) {
		return true, nil
	}
	if name := canonicalHost(host); name == "localhost" || strings.HasSuffix(name, ".localhost") {
		if _, err := g.checkLiteral(netip.AddrFrom4([4]byte{127, 0, 0, 1})); err == nil {
			return true, nil
		}
		return g.checkLiteral(netip.IPv6Loopback())
	}
	return false, nil
}

func (g *Guard) checkLiteral(address netip.Addr) (bool, error) {
	if reason := g.refusalReason(address); reason != "" {
		return false, &URLError{Problem: "has an address that the operator does not allow with --webhook-allow: " + reason}
	}
	return g.allow.hasAddress(address.Unmap()), nil
}

// checkName checks that all resolvers read the name in the same way: ASCII labels
// of letters, digits, hyphens and underscores. One full stop may end it.
func checkName(name string) error {
	const maxName, maxLabel = 253, 63
	name = strings.TrimSuffix(name, ".")
	if name == "" || len(name) > maxName {
		return fmt.Errorf("it must have 1 to %d characters", maxName)
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > maxLabel {
			return fmt.Errorf("its parts must have 1 to %d characters", maxLabel)
		}
		if strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") {
			return errors.New("its parts must not begin or end with a hyphen")
		}
		for _, c := range label {
			if c > '~' {
				return errors.New("it must be ASCII, international names in their xn-- form")
			}
			if !isNameCharacter(c) {
				return errors.New("it must contain only letters, digits, hyphens, underscores and full stops")
			}
		}
	}
	return nil
}

func isNameCharacter(c rune) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_'
}

// endsInNumber reports whether a parser could read the host as an IPv4 address:
// its last part is a decimal, octal or hexadecimal number.
func endsInNumber(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	last := host[strings.LastIndexByte(host, '.')+1:]
	if digits, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(digits, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}
