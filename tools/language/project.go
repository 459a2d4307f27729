package main

import (
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// construction is a wording with its limit per 1,000 lines.
type construction struct {
	name    string
	pattern *regexp.Regexp
	limit   int
}

// listConstructions returns the counted wordings.
func listConstructions() []construction {
	var list []construction
	for _, c := range []struct {
		name, words string
		limit       int
	}{
		{"what", "what", 6},
		{"those/that of", "those of|those that|that of", 2},
		{"whose", "whose", 4},
		{"of which", "of which", 1},
		{"nothing", "nothing", 3},
		{"beside", "beside", 1},
		{"banned", "nobody|whoever|somebody|anew|lest", 0},
	} {
		list = append(list, construction{c.name, regexp.MustCompile(`(?i)\b(` + c.words + `)\b`), c.limit})
	}
	return list
}

// unit contains the counts of a folder without the folders below it.
type unit struct {
	lines       int
	counts      []int // by construction
	functions   int
	oneWord     int
	found       []string
	participles []string
}

func (u *unit) add(other *unit) {
	u.lines += other.lines
	for i, n := range other.counts {
		u.counts[i] += n
	}
	u.functions += other.functions
	u.oneWord += other.oneWord
	u.found = append(u.found, other.found...)
}

// project contains the counts by folder, with "." for files of the root.
type project struct {
	constructions []construction
	patterns      patterns
	units         map[string]*unit
	labels        []error
}

// readProject counts all files of the project.
func readProject(root fs.FS) (*project, error) {
	p := &project{constructions: listConstructions(), patterns: compilePatterns(), units: map[string]*unit{}}
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		base := path.Base(name)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && (strings.HasPrefix(base, ".") || base == "testdata" || base == "node_modules" || name == "bin"):
			return fs.SkipDir
		case entry.IsDir() || !slices.Contains([]string{".go", ".templ", ".sql", ".yaml", ".yml", ".md"}, path.Ext(name)):
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil || p.patterns.generated.Match(text[:min(len(text), 500)]) {
			return err
		}
		return p.readFile(name, string(text))
	})
	return p, err
}

func (p *project) newUnit() *unit { return &unit{counts: make([]int, len(p.constructions))} }

// sumBelow returns the counts of a folder with all folders in it.
func (p *project) sumBelow(folder string) *unit {
	sum := p.newUnit()
	for _, name := range p.folderNames() {
		if name == folder || strings.HasPrefix(name, folder+"/") {
			sum.add(p.units[name])
		}
	}
	return sum
}

func (p *project) folderNames() []string { return slices.Sorted(maps.Keys(p.units)) }

func (p *project) topFolders() []string {
	var names []string
	for _, name := range p.folderNames() {
		names = append(names, topFolder(name))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func topFolder(name string) string {
	top, _, _ := strings.Cut(name, "/")
	return top
}
