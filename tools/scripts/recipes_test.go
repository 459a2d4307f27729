package scripts_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The files that a recipe names exist, and every file that lists all operations, kinds, event types, screens or settings is
// named by its recipe.
func TestRecipesNameTheFiles(t *testing.T) {
	t.Parallel()
	texts := map[string][]byte{}
	handWritten(t, `\.(go|json|md|ya?ml)$`, func(path string, text []byte) { texts[path] = text })
	const setting = `Var\(&c\.[\w.]+, "([\w-]+)"`
	for _, c := range []struct {
		// from lists things, which the expression finds.
		recipe, from, expression string
		// limit is how many files the recipe may name, 0 for any number.
		limit int
	}{
		{"Add a kind of manifest", "../../domain/resource/kind.go", `\bKind\w+ +Kind = "(\w+)"`, 10},
		{"Add an operation", "../../api/openapi/shape_a.yaml", `operationId: (\w+)`, 0},
		{"Add an operation", "../../api/openapi/shape_b.yaml", `operationId: (\w+)`, 0},
		{"Add an operation", "../../api/openapi/admin.yaml", `operationId: (\w+)`, 0},
		{"Add an event type", "../../domain/event_type.go", `\bEvent(\w+) +EventType = "`, 0},
		{"Add an event type", "../../domain/event_public.go", `NameB: "([\w.]+)"`, 0},
		{"Add a screen", "../../console/routes.go", `web[.]Get[(]"([a-z][a-z/-]+)"`, 0},
		{"Add a screen", "../../console/routes_administration.go", `web[.]Get[(]"([a-z][a-z/-]+)"`, 0},
		{"Add a setting", "../../cmd/procession/config/http.go", setting, 0},
		{"Add a setting", "../../cmd/procession/config/database.go", setting, 0},
		{"Add a setting", "../../cmd/procession/config/features.go", setting, 0},
	} {
		t.Run(c.recipe+" "+filepath.Base(c.from), func(t *testing.T) {
			t.Parallel()
			named := filesOfRecipe(t, c.recipe)
			if c.limit > 0 {
				require.LessOrEqual(t, len(named), c.limit, named)
			}
			for _, pattern := range named {
				found, err := filepath.Glob("../../" + pattern)
				require.NoError(t, err)
				require.NotEmpty(t, found, pattern)
			}
			text, err := os.ReadFile(c.from)
			require.NoError(t, err)
			var things []*regexp.Regexp
			for _, match := range regexp.MustCompile(c.expression).FindAllStringSubmatch(string(text), -1) {
				things = append(things, regexp.MustCompile(`\b(Kind|Event)?`+match[1]+`\b`))
			}
			require.NotEmpty(t, things)
			for _, path := range listing(texts, things) {
				require.Condition(t, func() bool {
					for _, pattern := range named {
						if matched, _ := filepath.Match(pattern, path); matched {
							return true
						}
					}
					return false
				}, "%s lists every one of %s, and the recipe for %s does not name it", path, c.from, c.recipe)
			}
		})
	}
}

// The first files of common tasks exist.
func TestFirstFilesExist(t *testing.T) {
	t.Parallel()
	named := filesOfRecipe(t, "First files of common tasks")
	require.NotEmpty(t, named)
	for _, path := range named {
		require.FileExists(t, "../../"+path)
	}
}

// Every kind of manifest is in each file that the recipe for a kind names. Only kinds with rows have a file for
// them.
func TestFilesOfAKind(t *testing.T) {
	t.Parallel()
	kinds, err := os.ReadFile("../../domain/resource/kind.go")
	require.NoError(t, err)
	for _, pattern := range filesOfRecipe(t, "Add a kind of manifest") {
		if pattern == "app/administration/configuration_*.go" || strings.HasPrefix(pattern, "console/lang/") {
			continue
		}
		paths, err := filepath.Glob("../../" + pattern)
		require.NoError(t, err)
		var joined strings.Builder
		for _, path := range paths {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			joined.Write(text)
		}
		for _, match := range regexp.MustCompile(`\bKind\w+ +Kind = "(\w+)"`).FindAllStringSubmatch(string(kinds), -1) {
			require.Regexp(t, `\b(Kind)?`+match[1]+`(Spec)?\b`, joined.String(), "%s lacks the kind %s", pattern, match[1])
		}
	}
}

// filesOfRecipe returns the files that a section of docs/contributing/recipes.md names, with an asterisk for variable parts.
func filesOfRecipe(t *testing.T, recipe string) []string {
	t.Helper()
	text, err := os.ReadFile("../../docs/contributing/recipes.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "\n## "+recipe)
	require.True(t, found, recipe)
	section, _, _ = strings.Cut(section, "\n## ")
	var files []string
	existing := map[string]bool{}
	for _, match := range regexp.MustCompile("`([\\w./<>-]*/[\\w<>-]+[.]\\w+)`").FindAllStringSubmatch(section, -1) {
		pattern := regexp.MustCompile(`<\w+>|NNNNN_\w+`).ReplaceAllString(match[1], "*")
		if !existing[pattern] {
			existing[pattern] = true
			files = append(files, pattern)
		}
	}
	return files
}

// listing returns the files that match every expression.
func listing(texts map[string][]byte, things []*regexp.Regexp) []string {
	var files []string
	for path, text := range texts {
		if !slices.ContainsFunc(things, func(thing *regexp.Regexp) bool { return !thing.Match(text) }) {
			files = append(files, path)
		}
	}
	return files
}

// handWritten calls see for each matching file that is neither generated nor a decision record.
func handWritten(t *testing.T, name string, see func(path string, text []byte)) {
	t.Helper()
	matching, generated := regexp.MustCompile(name), regexp.MustCompile(`gen\.go$|_templ\.go$|^(persistence|test/bench/scripts)/schema\.sql$|^CHANGELOG\.md$|^api/openapi/\w+\.yaml$`)
	skipped := regexp.MustCompile(`(^|/)(\.[^/]+|bin|testdata|node_modules)$|^docs/decisions$|^persistence/migrations$`)
	require.NoError(t, filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		path = strings.TrimPrefix(filepath.ToSlash(path), "../../")
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "../.." && skipped.MatchString(path):
			return fs.SkipDir
		case entry.IsDir(), !matching.MatchString(path), generated.MatchString(path):
			return nil
		}
		text, err := os.ReadFile("../../" + path)
		see(path, text)
		return err
	}))
}
