// Command language checks the language of comments and documents, and the names of functions.
//
// It counts constructions that make text hard to read, per 1,000 lines of comments or Markdown, and functions with a name of
// one word. Budgets hold for each top-level folder; a folder below it may have one occurrence of each at least. Generated
// files, code, fixtures and fenced code of Markdown are not counted.
//
// Documents for users must not contain labels of a specification that users do not have.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
)

func main() {
	table := flag.Bool("table", false, "print the counts of each top-level folder")
	list := flag.String("list", "", "print each occurrence and each one-word function below this `folder`")
	flag.Parse()
	if err := run(os.DirFS("."), os.Stdout, *table, *list); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(root fs.FS, out io.Writer, table bool, list string) error {
	p, err := readProject(root)
	if err != nil {
		return err
	}
	if list != "" {
		for _, found := range p.sumBelow(list).found {
			_, _ = fmt.Fprintln(out, found)
		}
		return nil
	}
	if table {
		p.writeTable(out)
		return nil
	}
	return errors.Join(append(p.checkFolders(), p.labels...)...)
}

// checkFolders returns a failure for each exceeded budget.
func (p *project) checkFolders() []error {
	var failures []error
	for _, top := range p.topFolders() {
		failures = append(failures, p.checkTop(top)...)
	}
	return failures
}

// checkTop compares a top-level folder and the folders below it with their budgets.
func (p *project) checkTop(top string) []error {
	all := p.sumBelow(top)
	failures := p.checkBudgets(top, all, 0)
	for _, name := range p.folderNames() {
		if topFolder(name) != top {
			continue
		}
		if p.units[name].lines != all.lines || name != top {
			failures = append(failures, p.checkBudgets(name, p.units[name], 1)...)
		}
		for _, at := range p.units[name].participles {
			failures = append(failures, fmt.Errorf("%s: name the function by a verb instead of a participle", at))
		}
	}
	return failures
}

// checkBudgets compares the counts of a folder with its budgets. atLeast is the smallest budget other than 0.
func (p *project) checkBudgets(name string, u *unit, atLeast int) []error {
	var failures []error
	for i, c := range p.constructions {
		allowed := c.limit * u.lines / 1000
		if c.limit > 0 {
			allowed = max(allowed, atLeast)
		}
		if u.counts[i] > allowed {
			failures = append(failures, fmt.Errorf("%s: %q occurs %d times in %d lines of comments, at most %d are allowed",
				name, c.name, u.counts[i], u.lines, allowed))
		}
	}
	if allowed := max(u.functions/10, atLeast); u.oneWord > allowed {
		failures = append(failures, fmt.Errorf("%s: %d of %d functions have a name of one word, at most %d are allowed",
			name, u.oneWord, u.functions, allowed))
	}
	return failures
}

// writeTable writes a row per top-level folder: lines, occurrences per 1,000 lines, share of one-word names.
func (p *project) writeTable(out io.Writer) {
	_, _ = fmt.Fprintf(out, "%-18s %6s", "folder", "lines")
	for _, c := range p.constructions {
		_, _ = fmt.Fprintf(out, " %13s", c.name)
	}
	_, _ = fmt.Fprintf(out, " %9s %8s\n", "functions", "one word")
	all := p.newUnit()
	for _, name := range p.topFolders() {
		u := p.sumBelow(name)
		all.add(u)
		u.writeRow(out, name)
	}
	all.writeRow(out, "all")
}

func (u *unit) writeRow(out io.Writer, name string) {
	_, _ = fmt.Fprintf(out, "%-18s %6d", name, u.lines)
	for _, n := range u.counts {
		_, _ = fmt.Fprintf(out, " %13.1f", 1000*float64(n)/float64(max(u.lines, 1)))
	}
	_, _ = fmt.Fprintf(out, " %9d %7.1f%%\n", u.functions, 100*float64(u.oneWord)/float64(max(u.functions, 1)))
}
