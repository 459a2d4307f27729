// Command walls writes the import rules of .golangci.yml from the table of folders in
// docs/architecture.md: a folder imports, of this module, itself and what its row
// names. It fails when a folder with Go files has no row. With -check it changes
// nothing and fails when the rules are not those of the table.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

const (
	table  = "docs/architecture.md"
	config = ".golangci.yml"
	module = "github.com/procession-dev/procession"

	begin = "        # Written by cmd/walls from the table of folders in docs/architecture.md.\n"
	end   = "        # End of what cmd/walls writes.\n"

	// everything allows all folders of the module.
	everything = "*"
)

func main() {
	check := flag.Bool("check", false, "change nothing; fail when the rules are not current")
	flag.Parse()
	if err := run(os.DirFS("."), *check); err != nil {
		fmt.Fprintln(os.Stderr, "walls:", err)
		os.Exit(1)
	}
}

func run(root fs.FS, check bool) error {
	text, err := fs.ReadFile(root, table)
	if err != nil {
		return err
	}
	rows := read(string(text))
	if err := covered(root, rows); err != nil {
		return err
	}
	before, err := fs.ReadFile(root, config)
	if err != nil {
		return err
	}
	after, err := replaced(before, rules(rows))
	switch {
	case err != nil:
		return err
	case bytes.Equal(before, after):
		return nil
	case check:
		return fmt.Errorf("the import rules of %s are not those of %s: run go run ./cmd/walls", config, table)
	}
	return os.WriteFile(config, after, 0o644) //nolint:gosec // as it was
}

// row is a folder and what it may import.
type row struct {
	folder string
	allows []string
}

var (
	rowPattern  = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([^|]*) \\|[^|]*\\|$")
	codePattern = regexp.MustCompile("`([^`]+)`")
)

// read returns the rows of the table of folders: those of three columns that begin
// with a folder.
func read(text string) []row {
	var rows []row
	for _, found := range rowPattern.FindAllStringSubmatch(text, -1) {
		r := row{folder: found[1]}
		for _, allowed := range codePattern.FindAllStringSubmatch(found[2], -1) {
			r.allows = append(r.allows, allowed[1])
		}
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a.folder, b.folder) })
	return rows
}

// within reports whether a folder is another one or in it.
func within(folder, of string) bool { return folder == of || strings.HasPrefix(folder, of+"/") }

// covered reports the folders with Go files that no row is about, and the names in
// rows that are no folders.
func covered(root fs.FS, rows []row) error {
	var wrong []error
	for _, r := range rows {
		for _, folder := range append([]string{r.folder}, r.allows...) {
			if info, err := fs.Stat(root, folder); folder != everything && (err != nil || !info.IsDir()) {
				wrong = append(wrong, fmt.Errorf("%s names %s, which is not a folder", table, folder))
			}
		}
	}
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && (strings.HasPrefix(entry.Name(), ".") || foreign(root, name)):
			return fs.SkipDir
		case path.Ext(name) != ".go" || entry.IsDir():
			return nil
		}
		if !slices.ContainsFunc(rows, func(r row) bool { return within(path.Dir(name), r.folder) }) {
			wrong = append(wrong, fmt.Errorf("%s has no row in %s", path.Dir(name), table))
		}
		return nil
	})
	return errors.Join(append(wrong, err)...)
}

// foreign reports whether a folder is another module, or none of ours.
func foreign(root fs.FS, folder string) bool {
	if folder == "bin" || path.Base(folder) == "node_modules" {
		return true
	}
	_, err := fs.Stat(root, folder+"/go.mod")
	return err == nil
}

// rules returns the rules of depguard for the rows. Of two rows the one about the
// folder farther in counts.
func rules(rows []row) string {
	var b strings.Builder
	for _, r := range rows {
		if slices.Contains(r.allows, everything) {
			continue
		}
		fmt.Fprintf(&b, "        %s:\n          list-mode: lax\n          files: [\"${base-path}/%s/**\", ", strings.ReplaceAll(r.folder, "/", "-"), r.folder)
		for _, inner := range rows {
			if inner.folder != r.folder && within(inner.folder, r.folder) {
				fmt.Fprintf(&b, "\"!${base-path}/%s/**\", ", inner.folder)
			}
		}
		b.WriteString("\"!$test\"]\n          allow: [\n")
		for _, allowed := range append([]string{r.folder}, r.allows...) {
			fmt.Fprintf(&b, "            %[1]s/%[2]s$, %[1]s/%[2]s/,\n", module, allowed)
		}
		fmt.Fprintf(&b, "          ]\n          deny:\n            - {pkg: %s, desc: \"not among the imports of %s in %s\"}\n", module, r.folder, table)
	}
	return b.String()
}

// replaced returns the configuration with other rules between the two marks.
func replaced(text []byte, rules string) ([]byte, error) {
	before, rest, opened := bytes.Cut(text, []byte(begin))
	_, after, closed := bytes.Cut(rest, []byte(end))
	if !opened || !closed {
		return nil, fmt.Errorf("%s has no place for the import rules", config)
	}
	return slices.Concat(before, []byte(begin), []byte(rules), []byte(end), after), nil
}
