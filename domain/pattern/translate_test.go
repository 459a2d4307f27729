package pattern

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// results are the matches of a pattern in Node, nil for an invalid pattern: with the flag u, and without flags.
type results [2][]bool

// matchInNode matches patterns with texts in Node. It skips the test if there is none.
func matchInNode(t *testing.T, patterns, texts []string) []results {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	var input bytes.Buffer
	encoder := json.NewEncoder(&input)
	for _, text := range patterns {
		require.NoError(t, encoder.Encode([]any{text, texts}))
	}
	command := exec.CommandContext(t.Context(), node, "testdata/match.js")
	command.Stdin = &input
	output, err := command.Output()
	require.NoError(t, err)
	found := make([]results, 0, len(patterns))
	scanner := bufio.NewScanner(bytes.NewReader(output))
	for scanner.Scan() {
		var r results
		require.NoError(t, json.Unmarshal(scanner.Bytes(), &r))
		found = append(found, r)
	}
	require.Len(t, found, len(patterns))
	return found
}

// A generator generates patterns.
type generator struct{ *rand.Rand }

func (g generator) pick(choices ...string) string { return choices[g.IntN(len(choices))] }

func (g generator) alternatives(depth int) string {
	var terms []string
	for range 1 + g.IntN(3) {
		var text strings.Builder
		for range g.IntN(4) {
			text.WriteString(g.term(depth))
			if g.IntN(3) == 0 {
				text.WriteString(g.pick("*", "+", "?", "{0}", "{2}", "{1,}", "{0,3}", "*?", "{2,3}?", "{,2}", "{3,1}"))
			}
		}
		terms = append(terms, text.String())
	}
	return strings.Join(terms, "|")
}

func (g generator) term(depth int) string {
	switch g.IntN(12) {
	case 0:
		return g.pick("^", "$", `\b`, `\B`)
	case 1, 2:
		if depth > 0 {
			return g.pick("(", "(?:", fmt.Sprintf("(?<n%d>", g.IntN(1<<30))) + g.alternatives(depth-1) + ")"
		}
		return "."
	case 3, 4, 5:
		return g.class()
	case 6, 7, 8:
		return g.escape()
	}
	return g.pick("a", "b", "B", "1", " ", "é", "中", "😀", ".", "-", "/", "]", "}", "{", "_", "\n", "\u00a0")
}

func (g generator) escape() string {
	return g.pick(`\d`, `\D`, `\w`, `\W`, `\s`, `\S`, `\t`, `\n`, `\v`, `\f`, `\r`, `\0`, `\cJ`, `\ca`, `\x41`, `\u0061`, `\u4e2d`,
		`\ud83d\ude00`, `\ud83d`, `\u{1F600}`, `\u{61}`, `\p{L}`, `\P{Lu}`, `\p{Letter}`, `\p{Script=Han}`, `\p{sc=Greek}`,
		`\p{Alphabetic}`, `\P{White_Space}`, `\p{gc=Nd}`, `\p{ASCII}`, `\.`, `\*`, `\\`, `\/`, `\-`, `\[`, `\]`, `\^`, `\$`, `\|`, `\{`, `\_`, `\@`,
		`\012`, `\8`, `\1`)
}

func (g generator) class() string {
	var text strings.Builder
	text.WriteString(g.pick("[", "[", "[^"))
	for range g.IntN(4) {
		text.WriteString(g.pick("a", "b-d", "A-Z", "0-9", "-", "_", ".", "^", "$", "(", "|", " -~", "é", "一-龥", "😀", "😀-😎", `\b`, `\-`, "a-\\d", `\w-z`,
			`\u0000-\uffff`, `\ud800-\udfff`, "z-a", "[", g.escape(), g.escape()))
	}
	return text.String() + "]"
}

var sampleTexts = []string{
	"", "a", "b", "B", "ab", "aab", "a1", "1", "11", " ", "é", "中", "😀", "😀😀", "\n", "a\n", "\r", "\u2028", "\u00a0", "\ufeff", "\t", "\v", "-", "_", "]", "}",
	"{", "a b", "A", "z", "Z", "Ω", "!", "\x00", "\b", "a-b_c", "αβ", "/", "\\", "name", "u", "\x1f", "\u200b", "\u3000", "aaaaaaaa",
}

// Translations match the same texts as the patterns in Node. With the flag u that holds for every pattern; for patterns
// that are only valid without it, a character is a code point nevertheless.
func TestTranslateAgreesWithNode(t *testing.T) {
	t.Parallel()
	g := generator{rand.New(rand.NewPCG(3, uint64(time.Now().UnixNano())))}
	patterns := make([]string, 6000)
	for i := range patterns {
		patterns[i] = g.alternatives(2)
	}
	unicodeCases, legacyCases, untranslatable := 0, 0, 0
	for i, node := range matchInNode(t, patterns, sampleTexts) {
		text := patterns[i]
		p := translator{text: text, groups: countGroups(text)}
		translated, err := p.translate()
		if err != nil {
			untranslatable++
			var reason *Error
			isError := errors.As(err, &reason)
			require.True(t, node[0] == nil || isError && reason.Unsupported, "%q is refused: %v", text, err)
			continue
		}
		expression, err := regexp.Compile(translated)
		require.NoErrorf(t, err, "%q: %q", text, translated)
		want := node[0]
		if want == nil {
			want = node[1]
			if strings.Contains(text, `\p`) || strings.Contains(text, `\P`) || strings.Contains(text, `\u{`) || strings.Contains(text, `\ud83d`) || strings.Contains(text, "😀") {
				continue
			}
			require.NotNilf(t, want, "%q is accepted", text)
			legacyCases++
		} else {
			unicodeCases++
		}
		for j, sample := range sampleTexts {
			if node[0] == nil && strings.Contains(sample, "😀") {
				continue
			}
			require.Equalf(t, want[j], expression.MatchString(sample), "pattern %q as %q, text %q", text, translated, sample)
		}
	}
	t.Logf("%d with the flag u, %d without, %d refused", unicodeCases, legacyCases, untranslatable)
	require.Greater(t, unicodeCases, 1000)
	require.Greater(t, legacyCases, 100)
}

// Recorded results of Node 20 for constructs that RE2 does not have or reads differently.
func TestTranslate(t *testing.T) {
	t.Parallel()
	for text, c := range map[string]struct{ matches, others []string }{
		`^[\u4e00-\u9fa5]+$`:            {[]string{"王小明"}, []string{"", "Wang", "王a"}},
		`^\u{1F600}$`:                   {[]string{"😀"}, []string{"😁", ""}},
		`^\ud83d\ude00$`:                {[]string{"😀"}, []string{"😁"}},
		`^[\ud83d\ude00-\ud83d\ude4f]$`: {[]string{"😀", "🙏"}, []string{"a"}},
		`^\cC$`:                         {[]string{"\x03"}, []string{"C", `\cC`}},
		`^\s$`:                          {[]string{" ", "\t", "\v", "\u00a0", "\ufeff", "\u2029", "\u3000"}, []string{"", "\u200b", "a"}},
		`^\S$`:                          {[]string{"a", "\u200b", "😀"}, []string{" ", "\u00a0", "\v"}},
		`^\d$`:                          {[]string{"0"}, []string{"߀", "०"}},
		`^\w$`:                          {[]string{"a", "_"}, []string{"é"}},
		`^.$`:                           {[]string{"a", "😀", "\v"}, []string{"\n", "\r", "\u2028", "\u2029"}},
		`^abc$`:                         {[]string{"abc"}, []string{"abc\n", "\nabc"}},
		`^[^]$`:                         {[]string{"\n", "a"}, []string{""}},
		`a[]`:                           {nil, []string{"", "a", "a]", "[]"}},
		`^\p{Letter}+$`:                 {[]string{"Zoë", "王"}, []string{"1"}},
		`^\p{Script=Cyrillic}+$`:        {[]string{"Борис"}, []string{"Boris"}},
		`^\P{L}$`:                       {[]string{"1"}, []string{"a"}},
		`^(?<year>\d{4})-(?<m>\d\d)$`:   {[]string{"2026-11"}, []string{"2026-1"}},
		`^.{0,2000}$`:                   {[]string{"", strings.Repeat("x", 2000)}, []string{strings.Repeat("x", 2001)}},
		`^a{1200,2500}$`:                {[]string{strings.Repeat("a", 1200), strings.Repeat("a", 2500)}, []string{strings.Repeat("a", 1199), strings.Repeat("a", 2501)}},
		`^(?:a{2}){1100,}$`:             {[]string{strings.Repeat("a", 2200)}, []string{strings.Repeat("a", 2198), strings.Repeat("a", 2201)}},
		`^[\w-.]+$`:                     {[]string{"a-b.c"}, []string{"a b"}},
		`^a{,2}$`:                       {[]string{"a{,2}"}, []string{"aa"}},
		`^\12$`:                         {[]string{"\n"}, nil},
		// RE2 only.
		`(?i)^abc$`:         {[]string{"ABC"}, []string{"abd"}},
		`\Aab\z`:            {[]string{"ab"}, []string{"Aabz"}},
		`^[[:alpha:]]+$`:    {[]string{"ab"}, []string{":]", "a1"}},
		`^[]a]+$`:           {[]string{"]a"}, []string{"b"}},
		`^\pL$`:             {[]string{"a"}, []string{"pL"}},
		`^\p{Greek}$`:       {[]string{"α"}, []string{"a"}},
		`^\x{4e2d}$`:        {[]string{"中"}, []string{"x"}},
		`^\Q(?=\E(?P<a>b)$`: {[]string{"(?=b"}, nil},
		`^(?s:.)$`:          {[]string{"\n"}, nil},
	} {
		translated, err := Translate(text)
		require.NoError(t, err, text)
		expression, err := regexp.Compile(translated)
		require.NoError(t, err, text)
		for _, sample := range c.matches {
			require.Truef(t, expression.MatchString(sample), "%q as %q, text %q", text, translated, sample)
		}
		for _, sample := range c.others {
			require.Falsef(t, expression.MatchString(sample), "%q as %q, text %q", text, translated, sample)
		}
	}
}

func TestTranslateRefusesWithPosition(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`^(?=.*[A-Z])(?=.*\d).{8,}$`: "uses a look-ahead (`(?=`) at position 2, which is not supported",
		`é\((?!b)`:                   "uses a negative look-ahead (`(?!`) at position 4, which is not supported",
		`(?<=a)b`:                    "uses a look-behind (`(?<=`) at position 1, which is not supported",
		`b(?<!a)`:                    "uses a negative look-behind (`(?<!`) at position 2, which is not supported",
		`(a)\1`:                      "uses a back-reference (`\\1`) at position 4, which is not supported",
		`(?<n>a)\k<n>`:               "uses a back-reference (`\\k<n>`) at position 8, which is not supported",
		`\2(a)(b)`:                   "uses a back-reference (`\\2`) at position 1, which is not supported",
		`a)`:                         "has an unmatched `)` at position 2",
		`(a`:                         "has an unmatched `(` at position 1",
		`[a`:                         "has an unmatched `[` at position 1",
		`a**`:                        "has nothing to repeat before `*` at position 3",
		`{2}`:                        "has nothing to repeat before `{` at position 1",
		`a{2,1}`:                     "has a repetition with its numbers out of order at position 2",
		`[z-a]`:                      "has a range with its characters out of order at position 2",
		`a\`:                         "ends with a backslash at position 2",
		`a\Z`:                        "has an escape that is not known (`\\Z`) at position 2",
		`\p{Foo}`:                    "has a Unicode property that is not known (`Foo`) at position 1",
		`(?<a-b>a)`:                  "has a group with an invalid name at position 1",
		`(?>a)`:                      "has an unknown kind of group at position 1",
		`a{6000}`:                    "is too complex",
		`((a{100}){100})`:            "is too complex",
		"\xff":                       "is not UTF-8",
	} {
		_, err := Translate(text)
		require.EqualError(t, err, want, text)
	}
}

// Translations stay small, whatever the pattern.
func TestTranslationsAreSmall(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"dots": strings.Repeat(".", 250_000), "spaces": strings.Repeat(`\S`, 100_000), "classes": "[" + strings.Repeat(`\S\P{Alpha}`, 20_000) + "]",
		"properties": strings.Repeat(`\p{Alpha}`, 20_000), "groups": strings.Repeat("(", 100_000), "bars": strings.Repeat("|", 250_000),
		"repeats": strings.Repeat("(", 50) + "a" + strings.Repeat("{9})", 50), "nested": strings.Repeat("(?:", 190) + strings.Repeat(`[\S]`, 4000) + strings.Repeat(")", 190),
		"ranges": strings.Repeat("(?:", 10) + strings.Repeat(`[\S\W\D]`, 20) + strings.Repeat("){1,2}", 7) + strings.Repeat(")", 3),
	} {
		started := time.Now()
		translated, err := Translate(text)
		if err == nil {
			require.LessOrEqual(t, len(translated), MaxText, name)
		}
		require.Less(t, time.Since(started), 5*time.Second, name)
	}
}

// FuzzTranslate checks that every translation compiles within the bounds.
func FuzzTranslate(f *testing.F) {
	for _, seed := range []string{`^(?=a)\1[^]\u{61}\ud83d\ude00$`, `(?<n>[\w-a]{2,}?|\p{Script=Han}{3})`, `a{999}(?:b{0,2000}){2}`, `[]\]\cA\x4z`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		translated, err := Translate(text)
		var fault *Error
		if err != nil {
			require.ErrorAs(t, err, &fault)
			_, err = syntax.Parse(text, syntax.Perl)
			require.Error(t, err, "RE2 has the pattern")
			return
		}
		require.LessOrEqual(t, len(translated), max(MaxText, len(text)))
		_, err = regexp.Compile(translated)
		require.NoErrorf(t, err, "%q as %q", text, translated)
	})
}
