package conformance_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"strconv"
)

// A testIndex finds tests in the source of a repository. It reads a folder when
// one of its tests is looked up.
type testIndex struct {
	repository fs.FS
	packages   map[string]*packageTests
}

// packageTests are the test functions of a folder and the strings in its tests.
type packageTests struct {
	functions map[string]bool
	strings   map[string]bool
}

func newTestIndex(repository fs.FS) *testIndex {
	return &testIndex{repository: repository, packages: map[string]*packageTests{}}
}

var testName = regexp.MustCompile(`^([a-z0-9/_-]+)\.((?:Test|Fuzz)\w+)(?:/(.+))?$`)

// find returns an error unless the test exists.
func (x *testIndex) find(test string) error {
	parts := testName.FindStringSubmatch(test)
	if parts == nil {
		return fmt.Errorf("%s is not written package.Test or package.Test/row", test)
	}
	found, err := x.folder(parts[1])
	if err != nil {
		return fmt.Errorf("%s: %w", test, err)
	}
	if !found.functions[parts[2]] {
		return fmt.Errorf("there is no test %s in %s", parts[2], parts[1])
	}
	if parts[3] != "" && !found.strings[parts[3]] {
		return fmt.Errorf("the tests in %s have no %q", parts[1], parts[3])
	}
	return nil
}

func (x *testIndex) folder(name string) (*packageTests, error) {
	if found, ok := x.packages[name]; ok {
		return found, nil
	}
	files, err := fs.Glob(x.repository, path.Join(name, "*_test.go"))
	if err != nil {
		return nil, err
	}
	found := &packageTests{functions: map[string]bool{}, strings: map[string]bool{}}
	for _, file := range files {
		text, err := fs.ReadFile(x.repository, file)
		if err != nil {
			return nil, err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		found.add(parsed)
	}
	x.packages[name] = found
	return found, nil
}

// add adds the tests of a file: functions that take a *testing.T or *testing.F.
func (p *packageTests) add(file *ast.File) {
	for _, declaration := range file.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if !ok || function.Recv != nil || len(function.Type.Params.List) != 1 {
			continue
		}
		if star, ok := function.Type.Params.List[0].Type.(*ast.StarExpr); ok {
			if of, ok := star.X.(*ast.SelectorExpr); ok && (of.Sel.Name == "T" || of.Sel.Name == "F") {
				p.functions[function.Name.Name] = true
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if text, err := strconv.Unquote(literal.Value); err == nil {
				p.strings[text] = true
			}
		}
		return true
	})
}
