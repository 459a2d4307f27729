package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	contracts = "../../api/openapi"
	maxLines  = 600
)

func TestDocumentsAreCurrent(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"shape_a", "shape_b", "admin"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, err := bundleFolder(filepath.Join(contracts, name))
			require.NoError(t, err)
			got, err := os.ReadFile(filepath.Join(contracts, name+".yaml"))
			require.NoError(t, err)
			require.Equal(t, string(want), string(got), "run make generate")
		})
	}
}

func TestFilesOfContractsAreShort(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(contracts + "/*/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.LessOrEqual(t, strings.Count(string(text), "\n"), maxLines, file)
	}
}

func TestBundle(t *testing.T) {
	t.Parallel()
	const root = "openapi: 3.1.0\ntags: [{name: A}]\n"
	for name, c := range map[string]struct{ first, second, want, wrong string }{
		"sections are joined and sorted": {
			first:  "paths:\n  /b: {get: {summary: B}}\ncomponents:\n  schemas:\n    B: {type: string}\n",
			second: "paths:\n  /a: {get: {summary: A}}\ncomponents:\n  schemas:\n    A: {type: string}\n",
			want: "openapi: 3.1.0\ntags: [{name: A}]\npaths:\n  /a: {get: {summary: A}}\n  /b: {get: {summary: B}}\n" +
				"components:\n  schemas:\n    A: {type: string}\n    B: {type: string}\n",
		},
		"a path in two files is an error": {
			first:  "paths:\n  /a: {get: {summary: A}}\n",
			second: "paths:\n  /a: {put: {summary: A}}\n",
			wrong:  "two.yaml: line 2: another file has /paths//a already",
		},
		"a schema in two files is an error": {
			first:  "components: {schemas: {A: {}}}\n",
			second: "components: {schemas: {A: {}}}\n",
			wrong:  "another file has /components/schemas/A already",
		},
		"tags of another file are an error": {first: "tags: []\n", second: "paths: {}\n", wrong: "another file has /tags already"},
		"a list is an error":                {first: "[]\n", second: "paths: {}\n", wrong: "the file must have one mapping"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			for file, text := range map[string]string{rootFile: root, "one.yaml": c.first, "two.yaml": c.second} {
				require.NoError(t, os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600))
			}
			got, err := bundleFolder(folder)
			if c.wrong != "" {
				require.ErrorContains(t, err, c.wrong)
				return
			}
			require.NoError(t, err)
			_, document, _ := strings.Cut(string(got), "DO NOT EDIT.\n")
			require.Equal(t, c.want, document)
		})
	}
}
