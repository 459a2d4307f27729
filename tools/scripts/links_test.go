package scripts_test

import (
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Every link in a document to a file of the project leads to an existing file and heading. Each document for
// users can be reached from the README.
func TestLinksOfDocuments(t *testing.T) {
	t.Parallel()
	documents := map[string]page{}
	require.NoError(t, filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != "../.." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules" || entry.Name() == "bin") {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		raw, err := os.ReadFile(path)
		documents[path] = pageOf(raw)
		return err
	}))
	require.Contains(t, documents, "../../README.md")
	for from, page := range documents {
		for _, link := range page.links {
			require.NoError(t, followed(documents, from, link), "%s: %s", from, link)
		}
	}
	require.Empty(t, unreached(documents, "../../README.md"), "no page that the README leads to names them")
}

// page contains the links of a document and its link targets.
type page struct {
	links    []string
	headings map[string]bool
}

func pageOf(raw []byte) page {
	read := page{headings: map[string]bool{}}
	document := parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(),
			util.Prioritized(extension.NewTableParagraphTransformer(), 200))...),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
		parser.WithAutoHeadingID(),
	).Parse(text.NewReader(raw))
	_ = ast.Walk(document, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := node.(type) {
		case *ast.Heading:
			id, _ := n.AttributeString("id")
			if name, ok := id.([]byte); ok {
				read.headings[string(name)] = true
			}
		case *ast.Link:
			if entering {
				read.links = append(read.links, string(n.Destination))
			}
		case *ast.Image:
			if entering {
				read.links = append(read.links, string(n.Destination))
			}
		}
		return ast.WalkContinue, nil
	})
	return read
}

// followed returns why a link leads nowhere. Links to other hosts are not followed.
func followed(documents map[string]page, from, link string) error {
	target, err := url.Parse(link)
	if err != nil || target.IsAbs() {
		return err
	}
	path := from
	if target.Path != "" {
		path = filepath.Join(filepath.Dir(from), target.Path)
	}
	if _, err := os.Stat(path); err != nil {
		return err
	}
	if target.Fragment != "" && !documents[path].headings[target.Fragment] {
		return fs.ErrNotExist
	}
	return nil
}

// unreached lists the documents that no chain of links leads to.
func unreached(documents map[string]page, start string) []string {
	reached, next := map[string]bool{start: true}, []string{start}
	for len(next) > 0 {
		from := next[0]
		next = next[1:]
		for _, link := range documents[from].links {
			target, err := url.Parse(link)
			if err != nil || target.IsAbs() || target.Path == "" {
				continue
			}
			path := filepath.Join(filepath.Dir(from), target.Path)
			if _, isDocument := documents[path]; isDocument && !reached[path] {
				reached[path] = true
				next = append(next, path)
			}
		}
	}
	var missing []string
	for path := range documents {
		if !reached[path] {
			missing = append(missing, path)
		}
	}
	return missing
}
