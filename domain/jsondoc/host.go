package jsondoc

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"golang.org/x/net/idna"
)

// hostProfile returns the profile of internationalized host names (RFC 5890 to 5893), with the length limits of the DNS
// after conversion.
var hostProfile = sync.OnceValue(func() *idna.Profile { //nolint:gochecknoglobals // one per process: a value may have many host names
	return idna.New(
		idna.ValidateForRegistration(), idna.StrictDomainName(true), idna.VerifyDNSLength(true), idna.BidiRule(), idna.CheckJoiners(true),
	)
})

// maxHostText limits host names before conversion, in bytes.
const maxHostText = 1024

// convertHost returns the host name in ASCII. Names in ASCII are valid host names with valid A-labels (RFC 5890).
func convertHost(text string) (string, bool) {
	if len(text) > maxHostText {
		return "", false
	}
	for _, other := range []string{"\u3002", "\uff0e", "\uff61"} {
		text = strings.ReplaceAll(text, other, ".")
	}
	if !strings.ContainsFunc(text, func(c rune) bool { return c >= utf8.RuneSelf }) {
		text = strings.ToLower(text)
	}
	profile := hostProfile()
	ascii, err := profile.ToASCII(text)
	if err != nil || !jsonschema.Formats["hostname"](ascii) {
		return "", false
	}
	decoded, err := profile.ToUnicode(ascii)
	if err != nil {
		return "", false
	}
	for label := range strings.SplitSeq(decoded, ".") {
		if !isLabel([]rune(label)) {
			return "", false
		}
	}
	return ascii, true
}

// isLabel applies the rules of RFC 5892 that the library does not have: exceptions and contextual rules (appendix A).
func isLabel(label []rune) bool {
	at := func(i int) rune {
		if i < 0 || i >= len(label) {
			return 0
		}
		return label[i]
	}
	japanese, arabicIndic, extended, middleDot := false, false, false, false
	for i, c := range label {
		valid := true
		switch {
		case strings.ContainsRune("\u0640\u07fa\u302e\u302f\u3031\u3032\u3033\u3034\u3035\u303b", c):
			valid = false
		case c == '\u00b7':
			valid = at(i-1) == 'l' && at(i+1) == 'l'
		case c == '\u0375':
			valid = unicode.Is(unicode.Greek, at(i+1))
		case c == '\u05f3' || c == '\u05f4':
			valid = unicode.Is(unicode.Hebrew, at(i-1))
		case c == '\u30fb':
			middleDot = true
		case c >= '\u0660' && c <= '\u0669':
			arabicIndic = true
		case c >= '\u06f0' && c <= '\u06f9':
			extended = true
		case unicode.In(c, unicode.Hiragana, unicode.Katakana, unicode.Han):
			japanese = true
		case c >= utf8.RuneSelf && c != '\u200c' && c != '\u200d':
			valid = unicode.In(c, unicode.L, unicode.M, unicode.Nd) || strings.ContainsRune("\u06fd\u06fe\u0f0b\u3007", c)
		}
		if !valid {
			return false
		}
	}
	return (!middleDot || japanese) && (!arabicIndic || !extended)
}

// isMailbox reports whether a text is an e-mail address with any letters (RFC 6531).
func isMailbox(text string) bool {
	at := strings.LastIndexByte(text, '@')
	if at < 0 {
		return false
	}
	local, host := text[:at], text[at+1:]
	if !strings.HasPrefix(host, "[") {
		ascii, ok := convertHost(host)
		if !ok {
			return false
		}
		host = ascii
	}
	// Each byte beyond ASCII counts as one for the length limits.
	plain := []byte(local)
	for i, c := range plain {
		if c >= 0x80 {
			plain[i] = 'a'
		}
	}
	return jsonschema.Formats["email"](string(plain) + "@" + host)
}
