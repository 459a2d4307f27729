package forms

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/form"
)

// sniffLength is the number of bytes from which http.DetectContentType tells a type.
const sniffLength = 512

// A fileKind is a kind of file that is told by its extension, its media type and its content.
type fileKind struct {
	name       string
	extensions []string
	mediaType  string
	// content is the type that http.DetectContentType tells, "" for kinds without a signature.
	content string
}

// fileKinds returns the kinds of files that forms name and check.
func fileKinds() []fileKind {
	const zip, office, open = "application/zip", "application/vnd.openxmlformats-officedocument.", "application/vnd.oasis.opendocument."
	return []fileKind{
		{"PDF", []string{".pdf"}, "application/pdf", "application/pdf"},
		{"PNG", []string{".png"}, "image/png", "image/png"},
		{"JPEG", []string{".jpg", ".jpeg"}, "image/jpeg", "image/jpeg"},
		{"GIF", []string{".gif"}, "image/gif", "image/gif"},
		{"WebP", []string{".webp"}, "image/webp", "image/webp"},
		{"SVG", []string{".svg"}, "image/svg+xml", ""},
		{"ZIP", []string{".zip"}, zip, zip},
		{"Word", []string{".docx"}, office + "wordprocessingml.document", zip},
		{"Excel", []string{".xlsx"}, office + "spreadsheetml.sheet", zip},
		{"PowerPoint", []string{".pptx"}, office + "presentationml.presentation", zip},
		{"ODT", []string{".odt"}, open + "text", zip},
		{"ODS", []string{".ods"}, open + "spreadsheet", zip},
		{"ODP", []string{".odp"}, open + "presentation", zip},
		{"CSV", []string{".csv"}, "text/csv", ""},
		{"TXT", []string{".txt"}, "text/plain", ""},
	}
}

// acceptText returns the accepted kinds of files in words, as in "PDF or PNG".
func acceptText(ctx context.Context, accept []string) string {
	var names []string
	for _, entry := range accept {
		name := strings.TrimPrefix(entry, ".")
		for _, kind := range fileKinds() {
			if kind.mediaType == entry || slices.Contains(kind.extensions, entry) {
				name = kind.name
			}
		}
		if entry == "image/*" {
			name = ui.T(ctx, "images")
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return ui.T(ctx, "%s or %s", strings.Join(names[:last], ", "), names[last])
}

// checkFile returns the file, or an error if it is empty, not of an accepted kind, or has other content than its
// type says.
func checkFile(ctx context.Context, n *form.Node, file File) (File, error) {
	refuse := func(text string, args ...any) (File, error) {
		return file, &domain.Error{Kind: domain.KindInvalid, Code: domain.CodeValidation, Message: ui.T(ctx, text, args...)}
	}
	if !jsondoc.Accepts(n.Bounds.Accept, file.Name, file.ContentType) {
		return refuse("%s is not one of the accepted kinds: %s.", file.Name, acceptText(ctx, n.Bounds.Accept))
	}
	content := bufio.NewReaderSize(file.Content, sniffLength)
	start, err := content.Peek(sniffLength)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return file, err
	case len(start) == 0:
		return refuse("%s is empty.", file.Name)
	case !hasContentOf(file, start):
		return refuse("The content of %s does not fit its name.", file.Name)
	}
	file.Content = content
	return file, nil
}

// hasContentOf reports whether the first bytes of a file can be of the kind that its name or else its type says.
func hasContentOf(file File, start []byte) bool {
	extension, content := strings.ToLower(path.Ext(file.Name)), ""
	for _, kind := range fileKinds() {
		if slices.Contains(kind.extensions, extension) {
			content = kind.content
			break
		}
		if kind.mediaType == file.ContentType {
			content = kind.content
		}
	}
	return content == "" || content == http.DetectContentType(start)
}

func (p *page) hasFiles() bool {
	found := false
	form.Walk(p.editor.Nodes, func(n *form.Node) bool {
		found = found || n.Kind == form.KindFile || n.Kind == form.KindFiles
		return !found
	})
	return found
}
