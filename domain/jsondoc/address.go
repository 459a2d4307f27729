package jsondoc

import (
	"net/netip"
	"strings"
	"unicode/utf8"
)

const (
	unreserved = "-._~"
	subDelims  = "!$&'()*+,;="
)

// An addressGrammar is the grammar of URIs (RFC 3986) or of IRIs (RFC 3987).
type addressGrammar struct{ international bool }

// isAddress reports whether a text is a URI or an IRI, or with relative a reference.
func (g addressGrammar) isAddress(text string, relative bool) bool {
	text, fragment, _ := strings.Cut(text, "#")
	text, query, _ := strings.Cut(text, "?")
	if !utf8.ValidString(text) || !g.consistsOf(fragment, subDelims+":@/?", false) || !g.consistsOf(query, subDelims+":@/?", true) {
		return false
	}
	scheme, rest, ok := strings.Cut(text, ":")
	switch {
	case ok && isScheme(scheme):
		text = rest
	case !relative, ok && !strings.Contains(scheme, "/"):
		return false // The first segment of a relative path has no colon.
	}
	if authority, after, _ := strings.Cut(strings.TrimPrefix(text, "//"), "/"); strings.HasPrefix(text, "//") {
		return g.isAuthority(authority) && g.consistsOf(after, subDelims+":@/", false)
	}
	return g.consistsOf(text, subDelims+":@/", false)
}

func isScheme(text string) bool {
	for i := range len(text) {
		c := text[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || (c < '0' || c > '9') && strings.IndexByte("+-.", c) < 0) {
			return false
		}
	}
	return text != ""
}

// isAuthority reports whether a text is an authority: a host, with user and port or without.
func (g addressGrammar) isAuthority(text string) bool {
	if at := strings.LastIndexByte(text, '@'); at >= 0 {
		if !g.consistsOf(text[:at], subDelims+":", false) {
			return false
		}
		text = text[at+1:]
	}
	host, port := text, ""
	if colon := strings.LastIndexByte(text, ':'); colon > strings.LastIndexByte(text, ']') {
		host, port = text[:colon], text[colon+1:]
	}
	if strings.Trim(port, "0123456789") != "" {
		return false
	}
	if literal, ok := strings.CutPrefix(host, "["); ok {
		literal, closed := strings.CutSuffix(literal, "]")
		return closed && isAddressLiteral(literal)
	}
	return g.consistsOf(host, subDelims, false)
}

// isAddressLiteral reports whether a text is an IPv6 address without a zone or an address of a future version.
func isAddressLiteral(text string) bool {
	if address, err := netip.ParseAddr(text); err == nil {
		return address.Is6() && address.Zone() == ""
	}
	version, address, ok := strings.Cut(text, ".")
	if !ok || len(version) < 2 || version[0]|0x20 != 'v' || strings.Trim(version[1:], "0123456789abcdefABCDEF") != "" || address == "" {
		return false
	}
	return addressGrammar{}.consistsOf(address, subDelims+":", false) && !strings.Contains(address, "%")
}

// consistsOf reports whether a text consists of unreserved characters, percent-encoded octets and others. Queries of IRIs
// may have characters for private use.
func (g addressGrammar) consistsOf(text, others string, private bool) bool {
	for i, c := range text {
		switch {
		case c == '%':
			if len(text) < i+3 || !isHexadecimal(text[i+1]) || !isHexadecimal(text[i+2]) {
				return false
			}
		case c < utf8.RuneSelf:
			alphanumeric := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
			if !alphanumeric && !strings.ContainsRune(unreserved+others, c) {
				return false
			}
		case !g.international || !isUniversal(c) && (!private || !isPrivate(c)):
			return false
		}
	}
	return true
}

func isHexadecimal(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}

// isUniversal reports whether a character is a ucschar of RFC 3987.
func isUniversal(c rune) bool {
	switch {
	case c < 0x10000:
		return c >= 0xa0 && c <= 0xd7ff || c >= 0xf900 && c <= 0xfdcf || c >= 0xfdf0 && c <= 0xffef
	case c >= 0xe0000:
		return c >= 0xe1000 && c <= 0xefffd
	}
	return c&0xffff <= 0xfffd
}

// isPrivate reports whether a character is an iprivate of RFC 3987.
func isPrivate(c rune) bool {
	return c >= 0xe000 && c <= 0xf8ff || c >= 0xf0000 && c&0xffff <= 0xfffd
}

// isTemplate reports whether a text is a URI template (RFC 6570).
func isTemplate(text string) bool {
	for text != "" {
		literal, rest, ok := strings.Cut(text, "{")
		if !isTemplateLiteral(literal) {
			return false
		}
		if !ok {
			return true
		}
		var expression string
		if expression, text, ok = strings.Cut(rest, "}"); !ok || !isExpression(expression) {
			return false
		}
	}
	return true
}

func isTemplateLiteral(text string) bool {
	for i, c := range text {
		switch {
		case c == '%':
			if len(text) < i+3 || !isHexadecimal(text[i+1]) || !isHexadecimal(text[i+2]) {
				return false
			}
		case c <= ' ' || c == 0x7f || strings.ContainsRune("\"<>\\^`|}", c):
			return false
		case c >= utf8.RuneSelf && !isUniversal(c) && !isPrivate(c):
			return false
		}
	}
	return true
}

// isExpression reports whether a text is an expression of a URI template without its braces.
func isExpression(text string) bool {
	if text != "" && strings.IndexByte("+#./;?&=,!@|", text[0]) >= 0 {
		text = text[1:]
	}
	for variable := range strings.SplitSeq(text, ",") {
		name, length, limited := strings.Cut(strings.TrimSuffix(variable, "*"), ":")
		if limited && (variable[len(variable)-1] == '*' || !isPrefixLength(length)) || !isVariableName(name) {
			return false
		}
	}
	return true
}

// isPrefixLength reports whether a text is a number from 1 to 9999.
func isPrefixLength(text string) bool {
	return text != "" && len(text) <= 4 && text[0] != '0' && strings.Trim(text, "0123456789") == ""
}

func isVariableName(name string) bool {
	for part := range strings.SplitSeq(name, ".") {
		if part == "" || strings.ContainsAny(part, "-~") || !(addressGrammar{}).consistsOf(part, "", false) {
			return false
		}
	}
	return true
}
