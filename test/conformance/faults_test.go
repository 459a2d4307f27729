package conformance_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// Each fault of a list is reported once.
func TestFaultsAreReported(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	repository := fstest.MapFS{
		"a/b/x_test.go":           {Data: []byte("package b\nfunc TestX(t *testing.T) { t.Run(\"row one\", nil) }\nfunc helper(t *testing.T) {}\n")},
		"docs/decisions/0001.md":  {},
		"nested/inner/y_test.go":  {Data: []byte("package inner\nfunc FuzzY(f *testing.F) {}\nfunc TestOf(s string) {}\n")},
		"docs/architecture.md":    {},
		"broken/broken_test.go":   {Data: []byte("package")},
		"nested/go.mod":           {},
		"a/b/TestOnlyInName_x.go": {},
	}
	whole := statements{}
	for section, subjects := range subjectsOf() {
		whole[section] = []statement{{Says: "something", Tests: []string{"a/b.TestX"}}}
		for _, subject := range subjects {
			whole[section] = append(whole[section], statement{Of: subject, Says: "something", Tests: []string{"nested/inner.FuzzY"}})
		}
	}
	require.Empty(t, whole.faults(newTestIndex(repository), repository))

	for name, c := range map[string]struct {
		section string
		added   statement
		fault   string
	}{
		"no test":              {"1", statement{Says: "s"}, "has no test"},
		"nothing":              {"1", statement{Tests: []string{"a/b.TestX"}}, "says nothing"},
		"twice":                {"1", statement{Says: "something", Tests: []string{"a/b.TestX"}}, "is there twice"},
		"test named twice":     {"1", statement{Says: "s", Tests: []string{"a/b.TestX", "a/b.TestX"}}, "names a/b.TestX twice"},
		"unknown test":         {"1", statement{Says: "s", Tests: []string{"a/b.TestZ"}}, "there is no test TestZ in a/b"},
		"unknown package":      {"1", statement{Says: "s", Tests: []string{"c.TestX"}}, "there is no test TestX in c"},
		"no test function":     {"1", statement{Says: "s", Tests: []string{"nested/inner.TestOf"}}, "there is no test TestOf in nested/inner"},
		"helper":               {"1", statement{Says: "s", Tests: []string{"a/b.helper"}}, "a/b.helper is not written package.Test"},
		"package that is none": {"1", statement{Says: "s", Tests: []string{"broken.TestX"}}, "broken.TestX: broken/broken_test.go:"},
		"unknown row":          {"1", statement{Says: "s", Tests: []string{"a/b.TestX/row two"}}, `the tests in a/b have no "row two"`},
		"unknown record":       {"1", statement{Says: "s", Settled: "docs/decisions/0002.md"}, "docs/decisions/0002.md does not exist"},
		"no record":            {"1", statement{Says: "s", Settled: "docs/architecture.md"}, "docs/architecture.md is no decision record"},
		"unknown field":        {"2.4", statement{Of: "colour", Says: "s", Tests: []string{"a/b.TestX"}}, "section 2.4 has no colour"},
		"unknown section":      {"10", statement{Says: "s", Tests: []string{"a/b.TestX"}}, "section 10 is none of the specification"},
	} {
		all := statements{}
		for section, list := range whole {
			all[section] = list
		}
		all[c.section] = append(append([]statement{}, all[c.section]...), c.added)
		faults := all.faults(newTestIndex(repository), repository)
		require.Len(t, faults, 1, name)
		require.Contains(t, faults[0], c.fault, name)
	}
	for name, good := range map[string]statement{
		"row": {Says: "s", Tests: []string{"a/b.TestX/row one"}}, "record": {Says: "s", Settled: "docs/decisions/0001.md"},
	} {
		all := statements{"1": {good}}
		for _, fault := range all.faults(newTestIndex(repository), repository) {
			require.NotContains(t, fault, "section 1,", name)
		}
	}

	whole["4.2"] = whole["4.2"][:len(whole["4.2"])-1]
	delete(whole, "8")
	require.Equal(t, []string{"section 4.2: no statement about A39", "section 8 has no statements"},
		whole.faults(newTestIndex(repository), repository))
}

func TestStatementsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"1": [{sayz: a}]`: "field sayz not found",
		`- says: a`:        "cannot unmarshal",
	} {
		_, err := readStatements(fstest.MapFS{"a.yaml": {Data: []byte(text)}})
		require.ErrorContains(t, err, want)
	}
	_, err := readStatements(fstest.MapFS{"a.yaml": {Data: []byte(`"1": []`)}, "b.yaml": {Data: []byte(strings.Repeat(" ", 2) + `"1": []`)}})
	require.ErrorContains(t, err, "section 1 is in another file too")
}
