package assistance_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/assistance"
)

func TestPassages(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text          string
		size, overlap int
		want          []string
	}{
		"nothing":          {" \n ", 10, 0, nil},
		"all of it":        {" One. Two. ", 100, 10, []string{"One. Two."}},
		"at sentences":     {"One is here. Two is there. Three.", 14, 0, []string{"One is here.", "Two is there.", "Three."}},
		"with overlap":     {"Aaaa. Bbbb. Cccc. Dddd.", 12, 5, []string{"Aaaa. Bbbb.", "Bbbb. Cccc.", "Cccc. Dddd."}},
		"a long word":      {"abcdefghij klm", 5, 0, []string{"abcde", "fghij", "klm"}},
		"a long sentence":  {"one two three four", 9, 3, []string{"one two", "three", "four"}},
		"abbreviations":    {"See J. Doe, z.B. Nr. 5 and e.g. this. Next.", 38, 0, []string{"See J. Doe, z.B. Nr. 5 and e.g. this.", "Next."}},
		"decimals":         {"It is 3.5 per cent. Good!", 20, 0, []string{"It is 3.5 per cent.", "Good!"}},
		"empty lines":      {"Title\n\nText", 8, 0, []string{"Title", "Text"}},
		"quotes":           {`He said "no." Then (yes.) So?`, 14, 0, []string{`He said "no."`, "Then (yes.)", "So?"}},
		"other scripts":    {"一二三。四五六！七", 12, 0, []string{"一二三。", "四五六！", "七"}},
		"whole characters": {"ääääää", 5, 0, []string{"ää", "ää", "ää"}},
		"a size of none":   {"abcdefgh", 0, 0, []string{"abcd", "efgh"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, assistance.Passages(test.text, assistance.Splitting{Size: test.size, Overlap: test.overlap}))
		})
	}
}

// FuzzPassages checks that only white space is lost, that no passage is too
// long, and that no character is split.
func FuzzPassages(f *testing.F) {
	f.Add("One. Two is it! Three?\n\nFour…", 10, 4)
	f.Add("\x80\x80\x80\x80\x80\x80\x80\x80", 4, 0)
	f.Add("ää. öö\u00a0\u2028x", 5, 100)
	f.Fuzz(func(t *testing.T, text string, size, overlap int) {
		passages := assistance.Passages(text, assistance.Splitting{Size: size, Overlap: overlap})
		text = strings.ToValidUTF8(text, "\ufffd")
		at := 0
		for _, passage := range passages {
			require.LessOrEqual(t, len(passage), max(size, utf8.UTFMax))
			require.True(t, utf8.ValidString(passage))
			require.Equal(t, strings.TrimSpace(passage), passage)
			require.NotEmpty(t, passage)
		}
		if overlap <= 0 {
			for _, passage := range passages {
				found := strings.Index(text[at:], passage)
				require.GreaterOrEqual(t, found, 0)
				require.Empty(t, strings.TrimSpace(text[at:at+found]))
				at += found + len(passage)
			}
			require.Empty(t, strings.TrimSpace(text[at:]))
		}
	})
}
