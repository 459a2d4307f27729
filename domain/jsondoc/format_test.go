package jsondoc_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Texts by format. The sources are RFC 3986, section 1.1.2 and 5.4, RFC 3987, RFC 6570, RFC 5892, appendix A, and RFC 6531.
func TestFormatsFollowTheirStandards(t *testing.T) {
	t.Parallel()
	label := strings.Repeat("a", 63)
	for format, c := range map[string]struct{ valid, invalid []string }{
		"uri": {
			[]string{
				"http://example.org", "https://a.b/c%20d?x=1&y=/?#f?/", "ftp://ftp.is.co.za/rfc/rfc1808.txt", "ldap://[2001:db8::7]/c=GB?objectClass?one",
				"mailto:John.Doe@example.com", "news:comp.infosystems.www.servers.unix", "tel:+1-816-555-1212", "telnet://192.0.2.16:80/",
				"urn:oasis:names:specification:docbook:dtd:xml:4.1.2", "http://u:p@h:8080/;p=1,2", "http://[v1.a:b]/", "a+b-c.1:", "file:///etc/hosts", "http://a:/", "x://",
				"http://a/b//c", "http://-.~_!$&'()*+,;=:%40:80%2f::::::@example.com",
			},
			[]string{
				"https://a.b/c d", "http://exämple.de", "//a/b", "/a", "", "a", "1a:b", ":a", "http://a/%", "http://a/%2", "http://a/%zz", "http://a/<b>", `http://a/"`,
				"http://a/{b}", "http://a\\b", "http://a/^", "http://a/|", "http://a/`", "http://a#b#c", "http://[::1", "http://[1.2.3.4]/", "http://[fe80::1%25en]/",
				"http://a:b/", "http://[v.a]/", "http://a\n", "http://a]b/", "\u00e0:b", "http://a/?\u00e9",
			},
		},
		"uri-reference": {
			[]string{"", "a", "./a:b", "/a:b", "//a/b", "?q", "#f", "../..", "g;x=1/./y", "http:g", "a/b:c", "a%20b"},
			[]string{"not a uri", "a b", "1:b", "ä", "\\", "%", "#a#", "//[a]"},
		},
		"iri": {
			[]string{"http://exämple.de/ü?q=ö#ß", "http://例え.jp/道", "http://a/?\ue000", "http://a/\U0001F600", "http://a"},
			[]string{"http://a/ü ö", "/ü", "ü:a", "http://a/\ue000", "http://a/\ufdd0", "http://a/\u0080", "http://a/<ü>"},
		},
		"iri-reference": {[]string{"", "ü", "//ü/ö", "#ü"}, []string{"ü ö", "\\ü", "ü:a"}},
		"uri-template": {
			[]string{"", "http://a/{b}", "/{+path,x}/here", "{#x:3}", "{/list*}", "{?x,y,empty}", "{;x*,y:9999}", "{a.b_1}", "{%41}", "ü/{x}", "a%20b"},
			[]string{"{", "}", "{}", "{a", "a}", "{a b}", "{a:0}", "{a:10000}", "{a:1*}", "{a*:1}", "{.}", "{a..b}", "{-a}", "{a,}", "a b", "%", "<", "{a}}", "{{a}}"},
		},
		"hostname": {
			[]string{"a", "EXAMPLE.org", "1a.2b", "a-b.c", "xn--mnchen-3ya.de", label + ".de", "localhost"},
			[]string{"", "-a", "a-", "a.-b", "a..b", ".a", "a_b", "a b", "münchen.de", label + "a.de", strings.Repeat(label+".", 4) + "de", "xn--x", "a--b--.c", "ab--cd"},
		},
		"idn-hostname": {
			[]string{
				"münchen.de", "実例.例", "例。jp", "faß.de", "l·l", "α\u0375β", "א\u05f3ב", "ァ・", "ب\u0660", "क\u094d\u200dष", "a.b", "xn--mnchen-3ya.de", "한국.kr",
			},
			[]string{
				"", "a b.de", "l·a", "·l", "α\u0375S", "a\u05f3", "def・abc", "ب\u0660\u06f0", "\u302e실례", "क\u200dष", "ü_.de", "-ü.de", "aü--b-.de", "ab--ü", "\u0300ab",
				strings.Repeat("ü", 60) + ".de", "ÜB.de", "\U0001F600.de", "אa1.de", strings.Repeat("ü.", 400),
			},
		},
		"idn-email": {
			[]string{"müller@münchen.de", "用户@例子.广告", "a.b+c@example.org", `"a b"@example.org`, "ü@[127.0.0.1]"},
			[]string{"", "a", "@a", "a@", "a@b c", "ü ö@a.de", "a@ü_.de", "a..ü@b.de", strings.Repeat("ü", 33) + "@a.de", "a@" + strings.Repeat("ü", 60) + ".de"},
		},
	} {
		schema := compile(t, `{"additionalProperties":{"format":"`+format+`"}}`)
		for valid, texts := range map[bool][]string{true: c.valid, false: c.invalid} {
			for _, text := range texts {
				document, err := json.Marshal(map[string]string{"a": text})
				require.NoError(t, err)
				result, err := schema.Validate(document)
				require.NoError(t, err)
				if result.Valid != valid {
					t.Errorf("%s %q: want %t", format, text, valid)
				}
			}
		}
	}
}
