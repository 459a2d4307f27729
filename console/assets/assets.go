package assets

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

//go:embed all:dist
var embedded embed.FS

// ManifestName is the file in dist that lists the other files.
const ManifestName = "manifest.json"

// Manifest lists the packed files.
type Manifest struct {
	// Source is the digest of all that the files were made from.
	Source string `json:"source"`
	// Files are the names of the packed files, by the names that pages know.
	Files map[string]string `json:"files"`
	// Icons are the contents of the icons' svg elements.
	Icons map[string]string `json:"icons"`
}

// Set is the packed files. It is safe for concurrent use.
type Set struct {
	files    fs.FS
	prefix   string
	manifest Manifest
	names    map[string]bool
}

// Load returns the embedded files, to be served under the path prefix. A Set
// without files is not an error.
func Load(prefix string) (*Set, error) {
	files, err := fs.Sub(embedded, "dist")
	if err != nil {
		return nil, fmt.Errorf("opening the assets: %w", err)
	}
	return loadSet(files, prefix)
}

func loadSet(files fs.FS, prefix string) (*Set, error) {
	s := &Set{files: files, prefix: strings.TrimSuffix(prefix, "/") + "/", names: map[string]bool{}}
	text, err := fs.ReadFile(files, ManifestName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case err != nil:
		return nil, fmt.Errorf("reading the assets: %w", err)
	}
	if err := json.Unmarshal(text, &s.manifest); err != nil {
		return nil, fmt.Errorf("reading the manifest of the assets: %w", err)
	}
	for _, name := range s.manifest.Files {
		s.names[name] = true
	}
	return s, nil
}

// Missing reports whether the binary was built without assets.
func (s *Set) Missing() bool { return len(s.manifest.Files) == 0 }

// URL returns the path of a file by the name that pages know, "" where there is
// none.
func (s *Set) URL(name string) string {
	packed, ok := s.manifest.Files[name]
	if !ok {
		return ""
	}
	return s.prefix + packed
}

// Icon returns the content of the svg element of an icon, "" where there is none.
func (s *Set) Icon(name string) template.HTML {
	return template.HTML(s.manifest.Icons[name]) //nolint:gosec // from a package that is pinned by its digest
}

// ServeHTTP serves a file by its name. The name contains a digest, so the file is cached forever. Compressed files
// are preferred.
func (s *Set) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, s.prefix)
	if !s.names[name] {
		http.NotFound(w, r)
		return
	}
	header := w.Header()
	header.Set("Content-Type", mediaType(name))
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	header.Add("Vary", "Accept-Encoding")
	accepted := r.Header.Get("Accept-Encoding")
	for _, encoding := range []struct{ token, suffix string }{{"br", ".br"}, {"gzip", ".gz"}} {
		if !acceptsEncoding(accepted, encoding.token) {
			continue
		}
		if _, err := fs.Stat(s.files, name+encoding.suffix); err == nil {
			header.Set("Content-Encoding", encoding.token)
			name += encoding.suffix
			break
		}
	}
	http.ServeFileFS(w, r, s.files, name) //nolint:gosec // one of the known names
}

// acceptsEncoding reports whether the value of an Accept-Encoding header names an encoding
// without refusing it (RFC 9110, section 12.5.3).
func acceptsEncoding(header, encoding string) bool {
	for part := range strings.SplitSeq(header, ",") {
		token, weight, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.EqualFold(strings.TrimSpace(token), encoding) {
			return strings.ReplaceAll(weight, " ", "") != "q=0"
		}
	}
	return false
}

func mediaType(name string) string {
	switch path.Ext(name) {
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".woff2":
		return "font/woff2"
	default:
		return "text/plain; charset=utf-8"
	}
}
