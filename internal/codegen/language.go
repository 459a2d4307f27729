package codegen

import (
	"fmt"
	"strings"
)

// Language is a programming language that code is written in.
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

// LanguageNames returns the languages as commands name them.
func LanguageNames() []string {
	var names []string
	for _, l := range Languages() {
		names = append(names, string(l))
	}
	return names
}

// Name returns the name of the language in texts.
func (l Language) Name() string {
	c, err := l.conventions()
	if err != nil {
		return string(l)
	}
	return c.name
}

// conventions are the conventions of a language.
type conventions struct {
	name string
	// reserved are names that constants and types cannot have.
	reserved []string
	constant func(constant) string
	write    func(pkg string, f file, n naming) ([]byte, error)

	// The rest is about workers: the package of their program, the files of the definition and of the steps, and the commands
	// that fetch what they need, test and run them.
	Package, DefinitionFile, StepsFile string
	Install, Test, Run                 string
}

// conventions returns the conventions of the language. It fails for one that is none of Languages.
func (l Language) conventions() (conventions, error) {
	switch l {
	case Go:
		return conventions{
			name: "Go", constant: func(c constant) string { return camel(c.prefix + "_" + c.name) }, write: writeGo,
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
	return conventions{}, fmt.Errorf("there is no language %q, but %s", l, strings.Join(LanguageNames(), ", "))
}
