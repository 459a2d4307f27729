package blobstore

import (
	"math/rand/v2"
	"mime"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestFileName(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 200)
	for raw, clean := range map[string]string{
		"report.pdf":                    "report.pdf",
		"Informe año 2026 (último).pdf": "Informe año 2026 (último).pdf",
		"見積書.xlsx":                      "見積書.xlsx",
		".gitignore":                    ".gitignore",
		"50% off; a=b, 'c'.txt":         "50% off; a=b, 'c'.txt",
		"":                              "document",
		".":                             "document",
		"..":                            "document",
		"...":                           "document",
		" . ":                           "document",
		"/":                             "document",
		"../../etc/passwd":              "passwd",
		`C:\Users\me\a.txt`:             "a.txt",
		`..\..\a.txt`:                   "a.txt",
		"dir/":                          "dir",
		"a/..":                          "document",
		"a\x00b\r\nSet-Cookie: x\x7f":   "abSet-Cookie_ x",
		"a\u0085b\u2028c\u2029d":        "abcd",
		"a\u202egnp.exe":                "agnp.exe",
		"\u2066a\u2069\u200e\ufeff.txt": "a.txt",
		"می\u200cخواهم.txt":             "می\u200cخواهم.txt",
		"a\xff\xfeb":                    "a_b",
		"\xed\xa0\x80.txt":              "_.txt",
		`say "hi" <b>|*?.txt`:           "say _hi_ _b____.txt",
		"file.txt:stream":               "file.txt_stream",
		"name.txt. . ":                  "name.txt",
		"  lead.txt":                    "lead.txt",
		"CON":                           "_CON",
		"con.tar.gz":                    "_con.tar.gz",
		"Lpt1 .txt":                     "_Lpt1 .txt",
		"COM¹":                          "_COM¹",
		"COM0":                          "COM0",
		"COM10":                         "COM10",
		"console.log":                   "console.log",
		long + ".pdf":                   strings.Repeat("é", 125) + ".pdf",
		long:                            strings.Repeat("é", 127),
		long + "." + long:               strings.Repeat("é", 127),
		strings.Repeat(".", 300) + "x":  ".x",
		"CON" + strings.Repeat(" ", 300) + strings.Repeat("x", 40): "_CON",
	} {
		require.Equal(t, clean, FileName(raw), "%q", raw)
	}
}

func TestContentDisposition(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]string{
		"report.pdf":    `attachment; filename="report.pdf"; filename*=UTF-8''report.pdf`,
		"a b.pdf":       `attachment; filename="a b.pdf"; filename*=UTF-8''a%20b.pdf`,
		"año €.pdf":     `attachment; filename="a_o _.pdf"; filename*=UTF-8''a%C3%B1o%20%E2%82%AC.pdf`,
		`x"; y="z`:      `attachment; filename="x_; y=_z"; filename*=UTF-8''x_%3B%20y%3D_z`,
		"50%25 100%.md": `attachment; filename="50_25 100%.md"; filename*=UTF-8''50%2525%20100%25.md`,
		"":              `attachment; filename="document"; filename*=UTF-8''document`,
	} {
		require.Equal(t, header, ContentDisposition(name))
	}
}

func TestContentType(t *testing.T) {
	t.Parallel()
	for raw, clean := range map[string]string{
		"application/pdf":                  "application/pdf",
		"Text/HTML; Charset=UTF-8":         "text/html; charset=UTF-8",
		`multipart/mixed; boundary="a b"`:  `multipart/mixed; boundary="a b"`,
		"":                                 defaultContentType,
		"pdf":                              defaultContentType,
		"a/b/c":                            defaultContentType,
		"*/*":                              defaultContentType,
		"image/*":                          defaultContentType,
		"text/plain\r\nSet-Cookie: x":      defaultContentType,
		"text/plain; a=b\r\nSet-Cookie: x": "text/plain",
		"text/plain; =":                    "text/plain",
		"tëxt/plain":                       defaultContentType,
		"text/plain; a=\"\u20ac\"":         "text/plain; a*=utf-8''%E2%82%AC",
		"text/plain; a=" + strings.Repeat("x", 300):    "text/plain",
		"text/" + strings.Repeat("x", 300) + "; a=b":   defaultContentType,
		strings.Repeat("; a=b", 100000) + "text/plain": defaultContentType,
	} {
		require.Equal(t, clean, ContentType(raw), "%.60q", raw)
	}
}

func TestHostileFileNames(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"..", "/", `\`, ".", " ", "\r\n", "\n", "\r", "\x00", `"`, `\"`, "';", "; filename=evil", "%0d%0a", "%", "%2", "%2f", "*=UTF-8''", "=?utf-8?q?x?=",
		"\u202e", "\u2066", "\u200f", "\u200d", "\ufeff", "\u2028", "\u0085", "\u00a0", "\u3000", "\xff", "\xc0\xaf", "\xed\xa0\x80", "\ufffd", "\uffff", "\U000e0041",
		"CON", "nul", "com1", "LPT¹", ":", "|", "?", "*", "<", ">", "~", "$(x)", "`x`", "-rf", "é", "e\u0301", "漢字", "😀", "👩\u200d👩", "\u0600", "ß",
		"Set-Cookie: a=b", "Content-Length: 0", strings.Repeat("a", 100), strings.Repeat("€", 90), strings.Repeat(" ", 200), ".pdf", ".tar.gz",
	}
	random := rand.New(rand.NewPCG(6266, 8187))
	for range 10_000 {
		var raw strings.Builder
		for range random.IntN(12) {
			if random.IntN(4) == 0 {
				raw.WriteByte(byte(random.UintN(256)))
				continue
			}
			raw.WriteString(pieces[random.IntN(len(pieces))])
		}
		requireHarmless(t, raw.String())
	}
}

func FuzzFileName(f *testing.F) {
	for _, seed := range []string{"a.txt", "../x", "a\r\nb", `"`, "\u202e", "CON", "\xff", strings.Repeat("é", 200) + ".x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) { requireHarmless(t, raw) })
}

func FuzzContentType(f *testing.F) {
	for _, seed := range []string{"text/plain; charset=utf-8", "a/b; c*=utf-8''%0d", "a/b;c*0=x;c*1=y", "*/*", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		clean := ContentType(raw)
		require.Equal(t, clean, ContentType(clean))
		require.LessOrEqual(t, len(clean), maxContentType)
		requireHeaderSafe(t, clean)
		_, _, err := mime.ParseMediaType(clean)
		require.NoError(t, err)
	})
}

// requireHarmless shows everything that is promised of a file name and its header.
func requireHarmless(t *testing.T, raw string) {
	t.Helper()
	name := FileName(raw)
	require.NotEmpty(t, name)
	require.Equal(t, name, FileName(name), "%q", raw)
	require.True(t, utf8.ValidString(name))
	require.LessOrEqual(t, len(name), maxFileName)
	require.True(t, filepath.IsLocal(name))
	require.Equal(t, name, filepath.Base(name))
	require.NotContains(t, []string{".", ".."}, name)
	require.False(t, strings.ContainsAny(name, "/\\\"<>:|?*"), "%q", name)
	for _, r := range name {
		require.False(t, unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r), "%q", name)
	}

	header := ContentDisposition(raw)
	require.Equal(t, header, ContentDisposition(name))
	requireHeaderSafe(t, header)
	require.Equal(t, 2, strings.Count(header, `"`))
	require.NotContains(t, header, `\`)
	disposition, params, err := mime.ParseMediaType(header)
	require.NoError(t, err)
	require.Equal(t, "attachment", disposition)
	require.Equal(t, map[string]string{"filename": name}, params)
}

// requireHeaderSafe shows that a client gets the value as the only line it is.
func requireHeaderSafe(t *testing.T, value string) {
	t.Helper()
	for _, b := range []byte(value) {
		require.True(t, ' ' <= b && b <= '~', "%q", value)
	}
	w := httptest.NewRecorder()
	w.Header().Set("X-Value", value)
	var wire strings.Builder
	require.NoError(t, w.Header().Write(&wire))
	require.Equal(t, "X-Value: "+value+"\r\n", wire.String())
	require.Equal(t, http.Header{"X-Value": {value}}, w.Header())
}
