package codegen

import (
	"fmt"
	"strings"
)

// Language is a programming language of generated code.
type Language string

// The languages.
const (
	Go         Language = "go"
	TypeScript Language = "typescript"
	Python     Language = "python"
	Java       Language = "java"
)

// Languages returns the languages in the order of their documentation.
func Languages() []Language { return []Language{Go, TypeScript, Python, Java} }

// LanguageNames returns the values of the flag --language.
func LanguageNames() []string {
	var names []string
	for _, l := range Languages() {
		names = append(names, string(l))
	}
	return names
}

// Name returns the name of the language for people.
func (l Language) Name() string {
	c, err := l.conventions()
	if err != nil {
		return string(l)
	}
	return c.name
}

// conventions configures the code of a language.
type conventions struct {
	name string
	// reserved are names that constants and types cannot have.
	reserved []string
	constant func(constant) string
	write    func(pkg string, f file, n naming) ([]byte, error)

	// The following fields describe a worker: the package of its program, the files with the definition and the steps, and
	// the commands that fetch its dependencies, test it and run it.
	Package, DefinitionFile, StepsFile string
	Install, Test, Run                 string
}

// conventions returns the conventions of the language, or an error if it is not one of Languages.
func (l Language) conventions() (conventions, error) {
	switch l {
	case Go:
		return conventions{
			name: "Go", constant: func(c constant) string { return camelCase(c.prefix + "_" + c.name) }, write: writeGo,
			Package: "main", DefinitionFile: "definition.gen.go", StepsFile: "workflow.go",
			Install: "go mod tidy", Test: "go test ./...", Run: "go run .",
		}, nil
	case TypeScript:
		return conventions{
			name: "TypeScript", reserved: []string{"Array", "Record"}, constant: constantName, write: writeTypeScript,
			DefinitionFile: "src/definition.ts", StepsFile: "src/steps.ts",
			Install: "npm install", Test: "npm test", Run: "npm start",
		}, nil
	case Python:
		return conventions{
			name: "Python", reserved: []string{"Any", "Literal", "NotRequired", "TypedDict"}, constant: constantName, write: writePython,
			DefinitionFile: "definition.py", StepsFile: "steps.py",
			Install: "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt",
			Test:    ".venv/bin/pytest", Run: ".venv/bin/python worker.py",
		}, nil
	case Java:
		return conventions{
			name: "Java", reserved: []string{
				"Definition", "JsonIgnoreProperties", "JsonInclude", "JsonProperty", "List", "Long", "Map", "Object", "Boolean",
				"Record", "String", "Flow", "Main", "Service", "Steps",
			},
			constant: constantName, write: writeJava,
			Package: "worker", DefinitionFile: "src/main/java/worker/Definition.java", StepsFile: "src/main/java/worker/Steps.java",
			Install: "mvn dependency:go-offline", Test: "mvn test", Run: "mvn compile exec:java",
		}, nil
	}
	return conventions{}, fmt.Errorf("unknown language %q: must be one of %s", l, strings.Join(LanguageNames(), ", "))
}
