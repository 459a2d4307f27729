// Command imports checks the imports between the folders of this module against the table of
// folders in docs/architecture.md.
//
// A folder belongs to the innermost row that names it or a folder around it. Its files, tests
// aside, import from the folder of the row and the folders that the row names, and below these.
// A row names no folder without need, and imports between rows form no cycle.
package main

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	document = "docs/architecture.md"
	module   = "github.com/procession-dev/procession/"

	// everything in a row allows imports of all folders.
	everything = "*"
)

var (
	rowPattern  = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([^|]*) \\|[^|]*\\|$")
	codePattern = regexp.MustCompile("`([^`]+)`")
)

func main() {
	if err := checkImports(os.DirFS(".")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// table maps each folder with a row to the folders that it may import.
type table map[string][]string

// innermostRow returns the row that a folder belongs to, "" when there is none.
func (t table) innermostRow(folder string) string {
	for ; folder != "."; folder = path.Dir(folder) {
		if _, found := t[folder]; found {
			return folder
		}
	}
	return ""
}

func checkImports(root fs.FS) error {
	text, err := fs.ReadFile(root, document)
	if err != nil {
		return err
	}
	allowed, imported, graph := table{}, table{}, table{}
	for _, row := range rowPattern.FindAllStringSubmatch(string(text), -1) {
		allowed[row[1]] = nil
		for _, name := range codePattern.FindAllStringSubmatch(row[2], -1) {
			allowed[row[1]] = append(allowed[row[1]], name[1])
		}
	}
	var failures []error
	err = walkFiles(root, func(file string, imports []string) {
		row := allowed.innermostRow(path.Dir(file))
		if row == "" {
			failures = append(failures, fmt.Errorf("%s: its folder has no row in %s", file, document))
		}
		for _, name := range imports {
			imported[row] = append(imported[row], name)
			if target := allowed.innermostRow(name); target != row {
				graph[row] = append(graph[row], target)
			}
			if row != "" && !slices.ContainsFunc(append(allowed[row], row), isWithin(name)) {
				failures = append(failures, fmt.Errorf("%s imports %s, which the row of %s in %s does not allow", file, name, row, document))
			}
		}
	})
	for row, names := range allowed {
		for _, name := range names {
			if name != everything && !slices.ContainsFunc(imported[row], func(target string) bool { return isWithin(target)(name) }) {
				failures = append(failures, fmt.Errorf("%s: the row of %s names %s, which is not imported", document, row, name))
			}
		}
		if slices.Contains(graph.reachableRows(row, table{}), row) {
			failures = append(failures, fmt.Errorf("%s: %s imports itself through other rows", document, row))
		}
	}
	slices.SortFunc(failures, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(append(failures, err)...)
}

// isWithin returns a condition for folders that are, or contain, the given one.
func isWithin(folder string) func(string) bool {
	return func(outer string) bool {
		return outer == folder || outer == everything || strings.HasPrefix(folder, outer+"/")
	}
}

// reachableRows returns the rows that a row imports, directly or through others.
func (t table) reachableRows(row string, seen table) []string {
	var found []string
	for _, name := range t[row] {
		if _, done := seen[name]; !done {
			seen[name] = nil
			found = append(append(found, name), t.reachableRows(name, seen)...)
		}
	}
	return found
}

// walkFiles calls visit with each Go file of the module, tests aside, and the folders of the module that it imports.
func walkFiles(root fs.FS, visit func(file string, imports []string)) error {
	return fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && isForeign(root, name):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			return err
		}
		var folders []string
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if folder, ours := strings.CutPrefix(imported, module); err == nil && ours {
				folders = append(folders, folder)
			}
		}
		visit(name, folders)
		return nil
	})
}

// isForeign reports whether a folder is hidden, is another module, or contains files that are built or fetched.
func isForeign(root fs.FS, folder string) bool {
	base := path.Base(folder)
	if strings.HasPrefix(base, ".") || base == "node_modules" || base == "testdata" || folder == "bin" {
		return true
	}
	_, err := fs.Stat(root, folder+"/go.mod")
	return err == nil
}
