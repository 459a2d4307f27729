// Command pack builds the assets of the console: it fetches the npm packages of package-lock.json, joins them with
// the files in src, and writes files with a digest in their names, and compressed copies, into dist. It returns at
// once if the sources have not changed.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"

	"github.com/procession-dev/procession/console/assets"
)

// digestLength is the number of digits of a digest in the name of a file.
const digestLength = 12

// bundle is a file that pages load, joined from others. One of modules is a single
// script that imports others. A style sheet names the files of the bundles before it.
type bundle struct {
	name    string
	parts   []string
	modules bool
}

func bundleNames() []bundle {
	return []bundle{
		{name: "inter.woff2", parts: []string{"node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2"}},
		{name: "console.css", parts: []string{
			"node_modules/@tabler/core/dist/css/tabler.min.css", "src/tokens.css", "src/console.css", "src/screens.css",
			"src/work.css", "src/task.css", "src/definitions.css", "src/run.css", "src/print.css",
		}},
		{name: "console.js", parts: []string{
			"node_modules/htmx.org/dist/htmx.min.js", "src/console.js", "src/bell.js", "src/form-rows.js",
			"src/form.js", "src/form-combobox.js", "src/form-finder.js", "src/form-files.js", "src/form-json.js",
		}},
		{name: "editor.js", parts: []string{"src/editor.js"}, modules: true},
		{name: "theme.js", parts: []string{"src/theme.js"}},
		{name: "favicon.svg", parts: []string{"src/favicon.svg"}},
		{name: "licenses.txt", parts: []string{
			"node_modules/htmx.org/LICENSE", "node_modules/@tabler/icons/LICENSE", "node_modules/@codemirror/view/LICENSE",
			"node_modules/@lezer/common/LICENSE", "node_modules/style-mod/LICENSE", "src/licenses.txt",
			"node_modules/@fontsource-variable/inter/LICENSE",
		}},
	}
}

func main() {
	dir := flag.String("dir", "console/assets", "the folder of the assets")
	flag.Parse()
	if err := packAll(*dir); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func packAll(dir string) error {
	source, err := fileDigest(dir)
	if err != nil {
		return err
	}
	if isCurrent(dir) == source {
		return nil
	}
	if err := fetchPackages(dir); err != nil {
		return err
	}
	dist := filepath.Join(dir, "dist")
	if err := emptyFolder(dist); err != nil {
		return err
	}
	manifest := assets.Manifest{Source: source, Files: map[string]string{}, Icons: map[string]string{}}
	for _, b := range bundleNames() {
		content, err := b.join(dir)
		if err != nil {
			return err
		}
		for name, packed := range manifest.Files {
			content = bytes.ReplaceAll(content, []byte(`url("`+name+`")`), []byte(`url("`+packed+`")`))
		}
		if manifest.Files[b.name], err = writeAsset(dist, b.name, content); err != nil {
			return err
		}
	}
	for _, name := range assets.Icons() {
		if manifest.Icons[name], err = readIcon(dir, name); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(manifest, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dist, assets.ManifestName), text, 0o644) //nolint:gosec // read by the build
}

// fileDigest returns a digest of all that the assets are made from.
func fileDigest(dir string) (string, error) {
	names, err := filepath.Glob(filepath.Join(dir, "src", "*"))
	if err != nil {
		return "", err
	}
	names = append(names, filepath.Join(dir, "package-lock.json"))
	slices.Sort(names)
	sum := sha256.New()
	for _, name := range names {
		content, err := os.ReadFile(name) //nolint:gosec // our own files
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%s %d\n%s", filepath.Base(name), len(content), content)
	}
	words, err := usedWords(dir)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(sum, "%v %v %v", bundleNames(), assets.Icons(), slices.Sorted(maps.Keys(words)))
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// isCurrent returns the digest of the sources of dist, "" if dist is empty.
func isCurrent(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, "dist", assets.ManifestName)) //nolint:gosec // our own file
	if err != nil {
		return ""
	}
	var manifest assets.Manifest
	if json.Unmarshal(text, &manifest) != nil {
		return ""
	}
	return manifest.Source
}

// fetchPackages installs the packages of package-lock.json without running their scripts. npm checks their
// digests. It returns at once if they are there.
func fetchPackages(dir string) error {
	lock, err := os.ReadFile(filepath.Join(dir, "package-lock.json")) //nolint:gosec // our own file
	if err != nil {
		return err
	}
	mark := filepath.Join(dir, "node_modules", ".fetched")
	if fetched, err := os.ReadFile(mark); err == nil && bytes.Equal(fetched, lock) { //nolint:gosec // our own file
		return nil
	}
	npm := exec.CommandContext(context.Background(), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	npm.Dir = dir
	output, err := npm.CombinedOutput()
	if err != nil {
		return fmt.Errorf("npm ci: %w\n%s", err, output)
	}
	return os.WriteFile(mark, lock, 0o600) //nolint:gosec // below the folder of this program
}

func emptyFolder(dist string) error {
	entries, err := os.ReadDir(dist)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.Name() == ".gitignore" {
			continue
		}
		if err := os.Remove(filepath.Join(dist, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

// sourceMap is the comment by which debuggers find a file that is not packed.
var sourceMap = regexp.MustCompile(`(?m)^(//|/\*)[#@] sourceMappingURL=.*$`)

func (b bundle) join(dir string) ([]byte, error) {
	if b.modules {
		return bundleSource(filepath.Join(dir, b.parts[0]))
	}
	if filepath.Ext(b.name) == ".woff2" {
		return os.ReadFile(filepath.Join(dir, b.parts[0])) //nolint:gosec // our own list
	}
	var joined, foreign bytes.Buffer
	for _, part := range b.parts {
		content, err := os.ReadFile(filepath.Join(dir, part)) //nolint:gosec // our own list
		if err != nil {
			return nil, err
		}
		to := &joined
		if filepath.Ext(b.name) == ".css" && strings.HasPrefix(part, "node_modules/") {
			to = &foreign
		}
		to.Write(bytes.TrimSpace(sourceMap.ReplaceAll(content, nil)))
		to.WriteByte('\n')
	}
	if foreign.Len() == 0 {
		return joined.Bytes(), nil
	}
	words, err := usedWords(dir)
	if err != nil {
		return nil, err
	}
	purged, err := purgeSheet(foreign.Bytes(), words, joined.Bytes())
	return append(append(purged, '\n'), joined.Bytes()...), err
}

// bundleSource returns a script with all that it imports, as the version of esbuild makes it
// that tools/esbuild pins.
func bundleSource(script string) ([]byte, error) {
	script, err := filepath.Abs(script)
	if err != nil {
		return nil, err
	}
	esbuild := exec.CommandContext(context.Background(), "go", "run", "-C", "tools/esbuild", //nolint:gosec // our own file
		"github.com/evanw/esbuild/cmd/esbuild", script, "--bundle", "--minify", "--format=iife", "--target=es2022",
		"--legal-comments=none", "--log-level=warning")
	var made, complaints bytes.Buffer
	esbuild.Stdout, esbuild.Stderr = &made, &complaints
	if err := esbuild.Run(); err != nil {
		return nil, fmt.Errorf("esbuild: %w\n%s", err, complaints.Bytes())
	}
	return made.Bytes(), nil
}

// writeAsset writes a file with its digest in its name, and its compressed forms, and
// returns its name.
func writeAsset(dist, name string, content []byte) (string, error) {
	sum := sha256.Sum256(content)
	extension := filepath.Ext(name)
	packed := strings.TrimSuffix(name, extension) + "." + hex.EncodeToString(sum[:])[:digestLength] + extension
	gz, err := compressFile(content, func(w io.Writer) io.WriteCloser {
		z, _ := gzip.NewWriterLevel(w, gzip.BestCompression)
		return z
	})
	if err != nil {
		return "", err
	}
	br, err := compressFile(content, func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, brotli.BestCompression) })
	if err != nil {
		return "", err
	}
	for suffix, bytes := range map[string][]byte{"": content, ".gz": gz, ".br": br} {
		if err := os.WriteFile(filepath.Join(dist, packed+suffix), bytes, 0o644); err != nil { //nolint:gosec // read by the build
			return "", err
		}
	}
	return packed, nil
}

func compressFile(content []byte, to func(io.Writer) io.WriteCloser) ([]byte, error) {
	var compressed bytes.Buffer
	w := to(&compressed)
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return compressed.Bytes(), nil
}

var (
	svgElement = regexp.MustCompile(`(?s)^.*?<svg[^>]*>(.*)</svg>\s*$`)
	svgFrame   = regexp.MustCompile(`<path stroke="none" d="M0 0h24v24H0z" fill="none" ?/>`)
	svgSpace   = regexp.MustCompile(`\s*\n\s*`)
)

// readIcon returns the content of the svg element of an icon.
func readIcon(dir, name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, "node_modules/@tabler/icons/icons/outline", name+".svg")) //nolint:gosec // our own list
	if err != nil {
		return "", err
	}
	found := svgElement.FindSubmatch(text)
	if found == nil {
		return "", fmt.Errorf("the icon %s is not one svg element", name)
	}
	content := svgFrame.ReplaceAllString(string(found[1]), "")
	return strings.ReplaceAll(svgSpace.ReplaceAllString(strings.TrimSpace(content), ""), " />", "/>"), nil
}
