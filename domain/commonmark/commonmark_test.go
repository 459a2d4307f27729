package commonmark_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/procession-dev/procession/domain/commonmark"
)

func renderText(tb testing.TB, source string, names commonmark.Names) string {
	tb.Helper()
	out, err := commonmark.Render(source, names)
	require.NoError(tb, err)
	return strings.TrimSpace(out)
}

func TestRender(t *testing.T) {
	t.Parallel()
	process := uuid.MustParse("0190a2b4-0000-7000-8000-000000000001")
	address := "https://procession.example.com/console/processes/" + process.String()
	names := commonmark.Names{
		Mentions: map[string]string{"bob": "Bob <b>", "carol@example.com": "Carol"}, Processes: map[uuid.UUID]string{process: "Loan & more"},
		Base: "https://procession.example.com",
	}
	const rel = ` rel="noopener nofollow noreferrer"`
	for _, c := range []struct{ source, want string }{
		{"a **b** *c* `d`", "<p>a <strong>b</strong> <em>c</em> <code>d</code></p>"},
		{"one\ntwo", "<p>one<br>\ntwo</p>"},
		{"- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"},
		{"# Title", "<p><strong>Title</strong></p>"},
		{"<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"},
		{"a <b onclick=x>b</b>", "<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>"},
		{"[x](javascript:alert(1))", "<p>x</p>"},
		{"[x](//evil.example)", "<p>x</p>"},
		{"[x](https://a.example/?q=\"b)", `<p><a href="https://a.example/?q=%22b"` + rel + ` target="_blank">x</a></p>`},
		{"![cat](https://a.example/cat.png)", `<p><a href="https://a.example/cat.png"` + rel + ` target="_blank">cat</a></p>`},
		{"see https://a.example/b.", `<p>see <a href="https://a.example/b"` + rel + ` target="_blank">https://a.example/b</a>.</p>`},
		{"see " + address, `<p>see <a href="` + address + `"` + rel + `>Loan &amp; more</a></p>`},
		{"hi @Bob, @carol@example.com. @dave x@bob", `<p>hi <span class="mention">@Bob &lt;b&gt;</span>, <span class="mention">@Carol</span>. @dave x@bob</p>`},
		{"`@bob`", "<p><code>@bob</code></p>"},
	} {
		require.Equal(t, c.want, renderText(t, c.source, names), c.source)
	}
	foreign := strings.Replace(address, "procession.example.com", "evil.example", 1)
	require.NotContains(t, renderText(t, foreign, names), "Loan", "only addresses of this service have subjects")
	names.Processes = nil
	require.Contains(t, renderText(t, address, names), ">"+address+"</a>", "the address of a process that the reader may not read")
}

func TestMentions(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"bob", "carol.smith@example.com", "müller"},
		commonmark.Mentions("@Bob and @carol.smith@example.com.\n> @bob @Müller\n\n```\n@nobody\n```\na@b.example `@code`"))
	require.Empty(t, commonmark.Mentions("no one @ all"))
	var many strings.Builder
	for i := range 3 * commonmark.MaxMentions {
		many.WriteString(" @user" + strings.Repeat("x", i))
	}
	require.Len(t, commonmark.Mentions(many.String()), commonmark.MaxMentions)
}

func TestProcessLinks(t *testing.T) {
	t.Parallel()
	a, b := uuid.New(), uuid.New()
	require.Equal(t, []uuid.UUID{a, b}, commonmark.ProcessLinks(
		"/console/processes/"+a.String()+"/messages", "[x](https://a.example/console/processes/"+b.String()+") /console/processes/"+a.String()))
}

// hostile are texts that break renderers of CommonMark: by markup that is executed, or by their cost.
func hostile() []string {
	var texts []string
	for _, markup := range []string{
		"<img src=x onerror=alert(1)>", "<svg/onload=alert(1)>", "<a href=\"javascript:alert(1)\">x</a>", "<iframe src=//evil.example>",
		"<style>*{display:none}</style>", "<!-- x --><script>1</script>", "<?php x ?>", "<![CDATA[<b>]]>", "<base href=//evil.example>",
		"[x](JaVaScRiPt:alert(1))", "[x](java\tscript:alert(1))", "[x](&#106;avascript:alert(1))", "[x](\\javascript:1)", "[x](data:text/html,<script>)",
		"[x](vbscript:1)", "[x](file:///etc/passwd)", "<javascript:alert(1)>", "<data:text/html;base64,x>", "![x](data:image/svg+xml,<svg onload=1>)",
		"![\" onerror=1](x)", "[x](https://a.example \"onclick=alert(1)\")", "[x](<https://a.example/\" onclick=\"1>)", "[a]: javascript:1\n\n[a]",
		"https://a.example/\"onmouseover=alert(1)", "http://a.example/'><script>", "``` \"onclick=1\nx\n```", "@<script>", "@a\"b", "\x00<b>\x00", "\u202eevil",
		"[x](/console/../../evil)", "[x](/\\evil.example)", "[x](https:evil)", "[x](https://)", "[a](b)[c](d", "&lt;script&gt;", "&#x3c;script&#x3e;",
	} {
		texts = append(texts, markup, "> "+markup, "- "+markup, "*"+markup+"*", "# "+markup)
	}
	for _, unit := range []string{
		">", "> ", "- ", "* ", "1. ", "> - ", "[", "![", "](", "[a](", "[]", "*a ", "**a ", "_a ", "*a**", "`", "``a", "<", "<a ", "\\", "&", "@", "@a", "@a@", "~",
		"\t", "    a\n", "#", "a\n=\n", "-\n", "- a\n ", "[a]: b\n", "http://a", "https://a.b/(", "<!--", "<?", "|", "a*b_", "***a", "[a][b]", "\n>",
	} {
		texts = append(texts, strings.Repeat(unit, 100_000/len(unit)), strings.Repeat(unit, 19_000/len(unit)))
	}
	for depth := range 150 {
		texts = append(texts, strings.Repeat("  ", depth)+"- a\n")
	}
	return append(texts, strings.Join(texts[len(texts)-120:], ""), strings.Repeat("[", 9000)+strings.Repeat("](a)", 2500),
		strings.Repeat("*a ", 3000)+strings.Repeat("a*", 3000))
}

// No text leads to other elements or attributes than those of formatted text, and none costs more than a second.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	elements := []string{"p", "br", "strong", "em", "code", "pre", "ul", "ol", "li", "blockquote", "hr", "a", "span"}
	for _, source := range hostile() {
		began := time.Now()
		out := renderText(t, source, commonmark.Names{Base: "https://procession.example.com"})
		commonmark.Mentions(source)
		require.Less(t, time.Since(began), time.Second, "%.40q of %d bytes", source, len(source))
		for z := html.NewTokenizer(strings.NewReader(out)); z.Next() != html.ErrorToken; {
			token := z.Token()
			if token.Type == html.TextToken || token.Type == html.EndTagToken {
				continue
			}
			require.Contains(t, []html.TokenType{html.StartTagToken, html.SelfClosingTagToken}, token.Type, "%.80q: %.80s", source, out)
			require.True(t, slices.Contains(elements, token.Data), "%.80q: <%s>", source, token.Data)
			for _, a := range token.Attr {
				checkAttribute(t, source, token.Data, a)
			}
		}
	}
}

func checkAttribute(t *testing.T, source, element string, a html.Attribute) {
	t.Helper()
	switch element + " " + a.Key {
	case "a href":
		require.Regexp(t, `^(https?://[^/]|mailto:|/console/)`, a.Val, "%.80q", source)
	case "a rel", "a target", "span class", "p class", "code class", "ol start":
	default:
		t.Fatalf("%.80q: <%s %s>", source, element, a.Key)
	}
}
