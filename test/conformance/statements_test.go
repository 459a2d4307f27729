package conformance_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// A statement is one requirement of the specification, in our own words.
type statement struct {
	// Of is the field or the operation that the statement is about. Fields of
	// one shape only begin with "A." or "B.".
	Of string `yaml:"of"`
	// Says is the text of the statement.
	Says string `yaml:"says"`
	// Tests show it. A test is written package.Function, the package by its
	// folder, and may end in /text for the subtest or the row of a table, which
	// is a string in the tests of the package.
	Tests []string `yaml:"tests"`
	// Settled is the decision record that settles it otherwise.
	Settled string `yaml:"settled"`
}

// statements maps a section of the specification to its statements.
type statements map[string][]statement

// readStatements reads all files of a folder.
func readStatements(files fs.FS) (statements, error) {
	names, err := fs.Glob(files, "*.yaml")
	if err != nil {
		return nil, err
	}
	all := statements{}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		var of statements
		decoder := yaml.NewDecoder(bytes.NewReader(text))
		decoder.KnownFields(true)
		if err := decoder.Decode(&of); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for section, list := range of {
			if _, twice := all[section]; twice {
				return nil, fmt.Errorf("%s: section %s is in another file too", name, section)
			}
			all[section] = list
		}
	}
	return all, nil
}

// faults lists the faults of statements, in the order of their sections.
func (all statements) faults(tests *testIndex, repository fs.FS) []string {
	var faults []string
	sections := make([]string, 0, len(all))
	for section := range all {
		sections = append(sections, section)
	}
	slices.Sort(sections)
	for _, section := range sections {
		seen := map[string]bool{}
		for i, s := range all[section] {
			at := fmt.Sprintf("section %s, statement %d (%s)", section, i+1, strings.TrimSpace(s.Of+" "+s.Says))
			if s.Says == "" {
				faults = append(faults, at+": says nothing")
			}
			if key := s.Of + "\n" + s.Says; seen[key] {
				faults = append(faults, at+": is there twice")
			} else {
				seen[key] = true
			}
			faults = append(faults, s.proofs(at, tests, repository)...)
		}
		faults = append(faults, all.uncovered(section)...)
	}
	return append(faults, all.missingSections()...)
}

// proofs lists the faults of the tests and the record of a statement.
func (s statement) proofs(at string, tests *testIndex, repository fs.FS) []string {
	var faults []string
	if len(s.Tests) == 0 && s.Settled == "" {
		faults = append(faults, at+": has no test")
	}
	for i, test := range s.Tests {
		if slices.Contains(s.Tests[:i], test) {
			faults = append(faults, at+": names "+test+" twice")
		}
		if err := tests.find(test); err != nil {
			faults = append(faults, at+": "+err.Error())
		}
	}
	if s.Settled == "" {
		return faults
	}
	if !strings.HasPrefix(s.Settled, "docs/decisions/") {
		return append(faults, at+": "+s.Settled+" is no decision record")
	}
	if _, err := fs.Stat(repository, path.Clean(s.Settled)); errors.Is(err, fs.ErrNotExist) {
		faults = append(faults, at+": "+s.Settled+" does not exist")
	}
	return faults
}

// uncovered lists the fields or operations of a section that no statement is
// about, and statements about others.
func (all statements) uncovered(section string) []string {
	subjects, ok := subjectsOf()[section]
	if !ok {
		return []string{"section " + section + " is none of the specification"}
	}
	var faults []string
	for _, subject := range subjects {
		if !slices.ContainsFunc(all[section], func(s statement) bool { return s.Of == subject }) {
			faults = append(faults, fmt.Sprintf("section %s: no statement about %s", section, subject))
		}
	}
	for _, s := range all[section] {
		if s.Of != "" && !slices.Contains(subjects, s.Of) {
			faults = append(faults, fmt.Sprintf("section %s has no %s", section, s.Of))
		}
	}
	return faults
}

func (all statements) missingSections() []string {
	var faults []string
	for section := range subjectsOf() {
		if len(all[section]) == 0 {
			faults = append(faults, "section "+section+" has no statements")
		}
	}
	slices.Sort(faults)
	return faults
}

func TestEveryStatementHasATest(t *testing.T) {
	t.Parallel()
	repository := os.DirFS("../..")
	all, err := readStatements(os.DirFS("statements"))
	require.NoError(t, err)
	require.Empty(t, all.faults(newTestIndex(repository), repository))
	n := 0
	for _, list := range all {
		n += len(list)
	}
	t.Logf("%d statements", n)
}
