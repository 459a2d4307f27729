package commonmark

import (
	"bytes"
	"html"
	"net/url"
	"strings"

	"github.com/google/uuid"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	render "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
)

// Names are the names of people and processes that a text refers to.
type Names struct {
	// Mentions contains the name of each mentioned person by the keys that Mentions returns. Other mentions are shown as written.
	Mentions map[string]string
	// Processes contains the subjects of the processes that are visible to the reader.
	Processes map[uuid.UUID]string
	// Base is the address of the service, without a slash at its end.
	Base string
}

// Render returns a text as HTML of paragraphs, lists, quotations, code, emphasis and links. Its links do not pass on the address
// of the page.
func Render(source string, names Names) (string, error) {
	document := parse(source)
	if document == nil {
		return `<p class="as-written">` + html.EscapeString(source) + `</p>`, nil
	}
	r := renderer.NewRenderer(renderer.WithNodeRenderers(
		util.Prioritized(render.NewRenderer(render.WithHardWraps()), 1000), util.Prioritized(&nodes{names}, 100),
	))
	var out bytes.Buffer
	err := r.Render(&out, []byte(source), document)
	return out.String(), err
}

// nodes renders the nodes that differ from common HTML.
type nodes struct{ Names }

// RegisterFuncs implements renderer.NodeRenderer.
func (n *nodes) RegisterFuncs(to renderer.NodeRendererFuncRegisterer) {
	to.Register(ast.KindLink, n.renderLink)
	to.Register(ast.KindImage, n.renderImage)
	to.Register(ast.KindAutoLink, n.renderAddress)
	to.Register(ast.KindHeading, n.renderHeading)
	to.Register(kindMention, n.renderMention)
}

func (n *nodes) renderLink(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n.writeAnchor(w, string(node.(*ast.Link).Destination), entering) //nolint:errcheck,forcetypeassert // registered for the kind
	return ast.WalkContinue, nil
}

func (n *nodes) renderImage(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n.writeAnchor(w, string(node.(*ast.Image).Destination), entering) //nolint:errcheck,forcetypeassert // registered for the kind
	return ast.WalkContinue, nil
}

func (n *nodes) renderAddress(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	link := node.(*ast.AutoLink) //nolint:errcheck,forcetypeassert // registered for the kind
	address, label := string(link.URL(source)), string(link.Label(source))
	if link.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(address), "mailto:") {
		address = "mailto:" + address
	}
	if subject := n.subjectOf(address); subject != "" {
		label = subject
	}
	n.writeAnchor(w, address, true)
	_, _ = w.WriteString(html.EscapeString(label))
	n.writeAnchor(w, address, false)
	return ast.WalkContinue, nil
}

// subjectOf returns the subject of the process with an address, "" if it is the address of something else or the process is not
// visible to the reader.
func (n *nodes) subjectOf(address string) string {
	path, own := strings.CutPrefix(address, n.Base)
	if found := processPath.FindStringSubmatchIndex(path); own && found != nil && found[0] == 0 {
		if id, err := uuid.Parse(path[found[2]:found[3]]); err == nil {
			return n.Processes[id]
		}
	}
	return ""
}

// writeAnchor begins or ends a link. Addresses that are not of the web, of a mailbox or of the console are no links.
func (n *nodes) writeAnchor(w util.BufWriter, address string, begin bool) {
	parsed, err := url.Parse(address)
	if err != nil || !isLink(parsed) {
		return
	}
	if !begin {
		_, _ = w.WriteString("</a>")
		return
	}
	_, _ = w.WriteString(`<a href="`)
	_, _ = w.Write(util.EscapeHTML(util.URLEscape([]byte(address), true)))
	_, _ = w.WriteString(`" rel="noopener nofollow noreferrer"`)
	if !strings.HasPrefix(address, "/") && (n.Base == "" || !strings.HasPrefix(address, n.Base+"/")) {
		_, _ = w.WriteString(` target="_blank"`)
	}
	_ = w.WriteByte('>')
}

func isLink(u *url.URL) bool {
	switch u.Scheme {
	case "http", "https":
		return u.Host != ""
	case "mailto":
		return u.Opaque != ""
	case "":
		return u.Host == "" && strings.HasPrefix(u.Path, "/console/")
	default:
		return false
	}
}

func (n *nodes) renderHeading(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString("<p><strong>")
	} else {
		_, _ = w.WriteString("</strong></p>\n")
	}
	return ast.WalkContinue, nil
}

func (n *nodes) renderMention(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	m := node.(*mention) //nolint:errcheck,forcetypeassert // registered for the kind
	name, known := n.Mentions[m.key]
	if !known {
		_, _ = w.WriteString(html.EscapeString(m.written))
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString(`<span class="mention">@` + html.EscapeString(name) + `</span>`)
	return ast.WalkContinue, nil
}
