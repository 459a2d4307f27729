package locale_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"github.com/procession-dev/procession/form/locale"
)

// hundredTags has locales of all notations of CLDR.
var hundredTags = strings.Fields(`af am ar ar-EG ar-MA as az be bg bn bo br bs ca ccp ckb cs cy da de de-AT de-CH de-LI dz el
	en en-AU en-CA en-DE en-GB en-IE en-IN en-NZ en-ZA eo es es-419 es-AR es-CO es-CR es-MX et eu fa fi fil fo fr fr-BE fr-CA
	fr-CH ga gl gsw gu he hi hr hu hy id is it it-CH ja ka kk km kn ko ky lb lo lt lv mk ml mn mr ms my nb ne nl nn pa pl ps pt
	pt-PT rm ro ru si sk sl sq sr sv sw ta te th tr uk ur uz vi zh zh-Hant zu`)

func generateNumber(r *rand.Rand) string {
	digits := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteByte(byte('0' + r.IntN(10)))
		}
		return b.String()
	}
	text := digits(1 + r.IntN(40))
	if r.IntN(3) == 0 {
		text = digits(1 + r.IntN(7))
	}
	if text = strings.TrimLeft(text, "0"); text == "" {
		text = "0"
	}
	switch r.IntN(4) {
	case 0, 1:
		text += "." + digits(1+r.IntN(30))
	case 2:
		text += "." + digits(1+r.IntN(4))
	}
	if r.IntN(5) == 0 {
		text += []string{"e", "E", "e-", "E+"}[r.IntN(4)] + digits(1+r.IntN(3))
	}
	if r.IntN(3) == 0 {
		text = "-" + text
	}
	return text
}

// hasCandidate reports whether a reading is a number, or a question about it.
func hasCandidate(r locale.Reading, number string) bool {
	for _, c := range r.Candidates {
		if c.Value == number {
			return true
		}
	}
	return r.Value == number
}

func TestFormatThenParseIsTheIdentity(t *testing.T) {
	t.Parallel()
	require.GreaterOrEqual(t, len(hundredTags), 100)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for _, name := range hundredTags {
		r := rand.New(rand.NewPCG(seed, 0))
		n := locale.Of(language.MustParse(name))
		for range 2000 {
			number := generateNumber(r)
			for _, shown := range []string{n.FormatInput(number, true), n.Format(number, false)} {
				if read := n.Parse(shown, locale.Want{}); read.Value != number {
					require.Equal(t, number, read.Value, "%s: %s", name, shown)
				}
			}
			for _, shown := range []string{n.Format(number, true), number} {
				if !hasCandidate(n.Parse(shown, locale.Want{}), number) {
					require.Fail(t, "neither read nor asked about", "%s: %s of %s", name, shown, number)
				}
			}
		}
	}
}

// A text in the notation of another language is read as its number, asked about or refused, unless the reader's own
// notation gives it another value.
func TestParseNeverMisreadsOtherLanguages(t *testing.T) {
	t.Parallel()
	distinct := map[string]locale.Notation{}
	for _, name := range hundredTags {
		n := locale.Of(language.MustParse(name))
		distinct[fmt.Sprint(n)] = n
	}
	r := rand.New(rand.NewPCG(rand.Uint64(), 0))
	for range 500 {
		number := generateNumber(r)
		for _, writer := range distinct {
			for _, grouping := range []bool{true, false} {
				shown := writer.Format(number, grouping)
				for _, reader := range distinct {
					read := reader.Parse(shown, locale.Want{})
					if read.Value == "" && len(read.Candidates) == 0 || hasCandidate(read, number) {
						continue
					}
					if !isOwnSpelling(reader, shown, read.Value) {
						require.Fail(t, "misread", "%q of %v is %s for %v, instead of %s", shown, writer, read.Value, reader, number)
					}
				}
			}
		}
	}
}

// isOwnSpelling reports whether a notation spells a number so. Groups of three, and groups below the limit of Format, are
// common in every language.
func isOwnSpelling(n locale.Notation, shown, number string) bool {
	shown = strings.TrimLeft(strings.TrimLeft(shown, "-−\u200e\u200f\u061c"), "+")
	number = strings.TrimLeft(number, "-")
	own := []string{n.Format(number, true), n.Format(number, false)}
	n.Primary, n.Secondary = 3, 3
	own = append(own, n.Format(number, true))
	if len(number) == 4 {
		own = append(own, number[:1]+n.Group+number[1:])
	}
	for _, text := range own {
		if toASCII(text) == toASCII(shown) {
			return true
		}
	}
	return false
}

// toASCII replaces the digits of all scripts.
func toASCII(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsDigit(r) {
			return r
		}
		value := '0'
		for unicode.IsDigit(r-1) && value < '9' {
			r--
			value++
		}
		return value
	}, text)
}

//nolint:funlen // a table
func TestParse(t *testing.T) {
	t.Parallel()
	ask := func(groups, fraction string) string { return groups + " or " + fraction }
	for _, c := range []struct{ tag, text, want string }{
		{"de", "100.000", ask("100000", "100.000")},
		{"de", "1.234", ask("1234", "1.234")},
		{"de", "1.234,56", "1234.56"},
		{"de", "1,234.56", "1234.56"},
		{"de", "12,90", "12.90"},
		{"de", "12.90", "12.90"},
		{"de", "1.5", "1.5"},
		{"de", "0.125", "0.125"},
		{"de", "1234.567", "1234.567"},
		{"de", "1,234", "1.234"},
		{"de", "1,234,567", "1234567"},
		{"de", "1.234.567", "1234567"},
		{"de", "+5", "5"},
		{"de", ".5", "0.5"},
		{"de", ",5", "0.5"},
		{"de", "5,", ""},
		{"de", "1 234 567,8", "1234567.8"},
		{"de", "1’234.5", "1234.5"},
		{"de", "1’234.567", "1234.567"},
		{"de", "1.23.456", ""},
		{"de", "1.2,3.4", ""},
		{"de", "1234.567,8", ""},
		{"de", "0.123.456", ""},
		{"de", "007", "7"},
		{"de", "-0,0", "-0.0"},
		{"de", "1e400", "1e400"},
		{"de", "1.234e5", "1.234e5"},
		{"de", "1.234.567e5", ""},
		{"de", "12 Euro", ""},
		{"de", "NaN", ""},
		{"de", "-", ""},
		{"de", "", ""},
		{"de", "--1", ""},
		{"de", "\u202a 12,5\u00a0\u202c", "12.5"},
		{"de", "1\u202e23", ""},
		{"en", "1,234", "1234"},
		{"en", "1.234", "1.234"},
		{"en", "100,000", "100000"},
		{"en", "0,125", "0.125"},
		{"en", "1,23", "1.23"},
		{"en", "12,34,567", ""},
		{"en-IN", "12,34,567.8", "1234567.8"},
		{"en-IN", "1,234,567.8", "1234567.8"},
		{"de-CH", "1,234", ask("1234", "1.234")},
		{"de-CH", "1’234’567.8", "1234567.8"},
		{"fr", "1 234,5", "1234.5"},
		{"fr", "1\u202f234\u202f567", "1234567"},
		{"sv", "−1\u00a0234,5", "-1234.5"},
		{"ar", "\u061c-١٬٢٣٤٫٥", "-1234.5"},
		{"ar", "1.234", ask("1234", "1.234")},
		{"fa", "\u200e−۱۲٬۳۴۵", "-12345"},
		{"en", "١٢٫٥", "12.5"},
		{"en", "１２．５", "12.5"},
		{"en", "1٢", ""},
		{"en", "𝟗𝟘", ""},
		{"en", "𝟙𝟚.𝟛", "12.3"},
		{"mr", "१२,३४५.६", "12345.6"},
		{"en", strings.Repeat("9", 5000), ""},
	} {
		read := locale.Of(language.MustParse(c.tag)).Parse(c.text, locale.Want{})
		got := read.Value
		if len(read.Candidates) == 2 {
			got = ask(read.Candidates[0].Value, read.Candidates[1].Value)
		}
		require.Equal(t, c.want, got, "%s %q", c.tag, c.text)
	}
}

func TestParseDecidesBySchema(t *testing.T) {
	t.Parallel()
	de := locale.Of(language.German)
	atMost := func(digits int) locale.Want {
		return locale.Want{Accepts: func(number string) bool { return len(number) <= digits }}
	}
	require.Equal(t, "100000", de.Parse("100.000", locale.Want{Integer: true}).Value)
	require.Equal(t, "100000", de.Parse("100.000", atMost(6)).Value)
	require.Len(t, de.Parse("100.000", atMost(7)).Candidates, 2)
	require.Len(t, de.Parse("100.000", atMost(1)).Candidates, 2)
}

func TestFormat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ tag, text, grouped, input string }{
		{"de", "12.90", "12,90", "12,90"},
		{"de", "1234", "1234", "1234"},
		{"de", "12345", "12.345", "12345"},
		{"de", "12345.5", "12.345,5", "12.345,5"},
		{"de", "1234567", "1.234.567", "1.234.567"},
		{"de", "1e400", "1e400", "1e400"},
		{"de", "9007199254740993.10", "9.007.199.254.740.993,10", "9.007.199.254.740.993,10"},
		{"en", "12345", "12,345", "12,345"},
		{"de-CH", "12345", "12’345", "12’345"},
		{"en-IN", "1234567", "12,34,567", "12,34,567"},
		{"hi", "-1234567", "-12,34,567", "-12,34,567"},
		{"sv", "-12345.5", "−12\u00a0345,5", "−12\u00a0345,5"},
		{"ar", "-12345.5", "\u061c-١٢٬٣٤٥٫٥", "\u061c-١٢٬٣٤٥٫٥"},
		{"de", "no number", "no number", "no number"},
		{"de", "01", "01", "01"},
	} {
		n := locale.Of(language.MustParse(c.tag))
		require.Equal(t, c.grouped, n.Format(c.text, true), "%s %s", c.tag, c.text)
		require.Equal(t, c.input, n.FormatInput(c.text, true), "%s %s", c.tag, c.text)
	}
}

func FuzzParseNumber(f *testing.F) {
	for _, text := range []string{"1.234,5", "١٢٫٥", "1e5", "-", "1’234"} {
		f.Add("de", text)
		f.Add("ar", text)
	}
	f.Fuzz(func(t *testing.T, tag, text string) {
		parsed, err := language.Parse(tag)
		if err != nil {
			return
		}
		n := locale.Of(parsed)
		read := n.Parse(text, locale.Want{})
		for _, number := range append([]string{read.Value}, listValues(read)...) {
			if number == "" {
				continue
			}
			require.Regexp(t, `^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`, number)
			require.Equal(t, number, n.Parse(n.FormatInput(number, true), locale.Want{}).Value)
		}
	})
}

func listValues(r locale.Reading) []string {
	var numbers []string
	for _, c := range r.Candidates {
		numbers = append(numbers, c.Value)
	}
	return numbers
}

func BenchmarkParse(b *testing.B) {
	n := locale.Of(language.German)
	for b.Loop() {
		n.Parse("1.234.567,89", locale.Want{})
	}
}
