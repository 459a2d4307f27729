package main

import (
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestRulesAreThoseOfTheTable(t *testing.T) {
	t.Parallel()
	require.NoError(t, run(os.DirFS("../.."), true))
}

func TestRun(t *testing.T) {
	t.Parallel()
	const rows = "| `app` | `domain` | what can be done |\n| `app/storage` | `domain` | transactions |\n| `domain` | – | what is true |\n"
	const empty = "rules:\n" + begin + end
	tree := func(table, config string, files ...string) fstest.MapFS {
		root := fstest.MapFS{
			"docs/architecture.md": {Data: []byte(table)}, ".golangci.yml": {Data: []byte(config)},
			"app/app.go": {}, "app/storage/work.go": {}, "domain/domain.go": {}, "other/go.mod": {}, "other/other.go": {},
		}
		for _, name := range files {
			root[name] = &fstest.MapFile{}
		}
		return root
	}
	for name, test := range map[string]struct {
		root fstest.MapFS
		want string
	}{
		"current": {tree(rows, "rules:\n"+begin+rules(read(rows))+end), ""},
		"stale": {
			tree(rows, empty),
			"the import rules of .golangci.yml are not those of docs/architecture.md: run go run ./cmd/walls",
		},
		"no marks":         {tree(rows, "rules:\n"), ".golangci.yml has no place for the import rules"},
		"folder of no row": {tree(rows, empty, "feed/feed.go"), "feed has no row in docs/architecture.md"},
		"row of no folder": {
			tree(rows+"| `gone` | – | |\n", empty), "docs/architecture.md names gone, which is not a folder",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := run(test.root, true)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, test.want)
		})
	}
}

func TestRulesExceptInnerFolders(t *testing.T) {
	t.Parallel()
	require.Contains(t, rules(read("| `app` | `domain` | a |\n| `app/storage` | – | b |\n")),
		`files: ["${base-path}/app/**", "!${base-path}/app/storage/**", "!$test"]`)
}
