package main

import (
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestTableMatchesImports(t *testing.T) {
	t.Parallel()
	require.NoError(t, checkImports(os.DirFS("../..")))
}

func TestRun(t *testing.T) {
	t.Parallel()
	const (
		rows  = "| `app` | `domain` | operations |\n| `app/storage` | – | transactions |\n| `domain` | – | rules |\n"
		table = " in docs/architecture.md"
	)
	type files map[string][]string // imports by file
	for name, test := range map[string]struct {
		rows  string
		files files
		want  string
	}{
		"allowed":               {rows, files{"app/app.go": {"domain"}}, ""},
		"below what is allowed": {rows, files{"app/app.go": {"domain/state"}}, ""},
		"below the folder":      {rows, files{"app/app.go": {"domain", "app/storage"}}, ""},
		"tests":                 {rows, files{"app/app.go": {"domain"}, "app/app_test.go": {"other"}}, ""},
		"another module":        {rows, files{"app/app.go": {"domain"}, "other/other.go": {"app"}}, ""},
		"forbidden": {
			rows,
			files{"app/app.go": {"domain"}, "app/storage/write.go": {"domain"}},
			"app/storage/write.go imports domain, which the row of app/storage" + table + " does not allow",
		},
		"not imported": {rows, files{"app/app.go": nil}, "docs/architecture.md: the row of app names domain, which is not imported"},
		"no row": {
			rows,
			files{"app/app.go": {"domain"}, "feed/feed.go": nil},
			"feed/feed.go: its folder has no row" + table,
		},
		"cycle": {
			"| `app` | – | |\n| `app/form` | `app` | |\n",
			files{"app/app.go": {"app/form"}, "app/form/form.go": {"app"}},
			"docs/architecture.md: app imports itself through other rows\ndocs/architecture.md: app/form imports itself through other rows",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := fstest.MapFS{document: {Data: []byte(test.rows)}, "other/go.mod": {}}
			for file, imports := range test.files {
				text := "package x\n"
				for _, folder := range imports {
					text += "import _ \"" + module + folder + "\"\n"
				}
				root[file] = &fstest.MapFile{Data: []byte(text)}
			}
			err := checkImports(root)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, test.want)
		})
	}
}
