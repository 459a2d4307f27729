package codegen_test

import (
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/internal/codegen"
	"github.com/procession-dev/procession/internal/manifest"
)

var update = flag.Bool("update", false, "write what is generated to testdata instead of comparing")

// documents reads the documents of a text.
func documents(t *testing.T, text string) []resource.Document {
	t.Helper()
	sources, err := manifest.Parse("request.yaml", []byte(text))
	require.NoError(t, err)
	texts := make([]json.RawMessage, len(sources))
	for i := range sources {
		texts[i] = sources[i].JSON
	}
	decoded, violations := resource.Decode(texts)
	require.Empty(t, violations)
	return decoded
}

func request(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/request.yaml")
	require.NoError(t, err)
	return string(text)
}

func TestGeneratedCode(t *testing.T) {
	t.Parallel()
	for language, file := range map[codegen.Language]string{
		codegen.Go: "request.go.txt", codegen.TypeScript: "request.ts", codegen.Python: "request.py",
		codegen.Java: "Definition.java",
	} {
		t.Run(string(language), func(t *testing.T) {
			t.Parallel()
			code, err := codegen.Generate(language, "request", documents(t, request(t)))
			require.NoError(t, err)
			path := filepath.Join("testdata", file)
			if *update {
				require.NoError(t, os.WriteFile(path, code, 0o600))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(want), string(code))
		})
	}
}

// worker is code that uses the generated code for REQUEST.
const worker = `package request

import "encoding/json"

var (
	_ = Review{
		Approved: true, Notify: new(bool), Count: 3, Amount: json.RawMessage("1.50"), Price: "2.10", Priority: ReviewPriorityHigh,
		Reviewer: ReviewPerson{Name: "", Deputy: &ReviewPerson{}}, Address: ReviewAddress{Street: "", Zip: new(string)},
		Lines: []ReviewLinesItem{{Article: "", Kind: ReviewLinesItemKindUsed}}, Limits: map[string]int64{"": 1},
	}
	_, _ = TaskReview, TaskQueue2
)
`

// jsonOnly is an importer with the parts of encoding/json in generated code.
type jsonOnly struct{}

func (jsonOnly) Import(path string) (*types.Package, error) {
	files := token.NewFileSet()
	source, err := parser.ParseFile(files, "json.go", "package json\ntype RawMessage []byte\ntype Number string", 0)
	if err != nil {
		return nil, err
	}
	return new(types.Config).Check(path, files, []*ast.File{source}, nil)
}

func TestRenamedMemberIsACompileError(t *testing.T) {
	t.Parallel()
	compile := func(manifest string) error {
		generated, err := codegen.Generate(codegen.Go, "request", documents(t, manifest))
		require.NoError(t, err)
		files := token.NewFileSet()
		var parsed []*ast.File
		for name, source := range map[string]string{"request.go": string(generated), "worker.go": worker} {
			file, err := parser.ParseFile(files, name, source, 0)
			require.NoError(t, err)
			parsed = append(parsed, file)
		}
		config := types.Config{Importer: jsonOnly{}, GoVersion: "go1.26"}
		_, err = config.Check("request", files, parsed, nil)
		return err
	}
	require.NoError(t, compile(request(t)))
	require.ErrorContains(t, compile(strings.ReplaceAll(request(t), "COUNT", "NUMBER")), "unknown field Count in struct literal")
	require.ErrorContains(t, compile(strings.Replace(request(t), "code: REVIEW", "code: CHECK", 1)), "undefined: Review")
}

func TestDocumentsWithoutCode(t *testing.T) {
	t.Parallel()
	group := "apiVersion: procession/v1\nkind: Group\nmetadata: { code: G, tenant: demo }\nspec: { name: G }\n"
	_, err := codegen.Generate(codegen.Go, "request", documents(t, group))
	require.ErrorIs(t, err, codegen.ErrNothing)
	_, err = codegen.Generate(codegen.Go, "request", documents(t, request(t)+"---\n"+strings.SplitN(strings.Replace(request(t), "code: REQUEST", "code: OTHER", 1), "---", 2)[0]))
	require.ErrorIs(t, err, codegen.ErrSeveral)
	_, err = codegen.Generate(codegen.Go, "not a name", documents(t, request(t)))
	require.ErrorContains(t, err, `"not a name" cannot be the name of a package`)
	_, err = codegen.Generate(codegen.Go, "request", documents(t, strings.Replace(request(t), "COUNT: {", `"A,B": {`, 1)))
	require.ErrorContains(t, err, `the member "A,B" of REVIEW cannot be named in a field's tag`)
}
