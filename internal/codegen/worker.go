package codegen

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"text/template"

	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/domain/shell"
)

//go:embed all:skeletons
var skeletons embed.FS

// File is a file of a new worker. Its path is relative and has slashes.
type File struct {
	Path    string
	Content []byte
}

// Surroundings describes the project for which a new worker is generated.
type Surroundings struct {
	// Manifest is the path of the documents, as the worker's README names it.
	Manifest string
	// SDK is the folder of the SDK for Go, "" for the published module. Other languages need none.
	SDK string
}

// Errors of NewWorker.
var (
	ErrNoWorkflow = errors.New("the documents describe no process definition with an engine, so there is no workflow for a worker to run")
	ErrNoTasks    = errors.New("the process definition has no tasks for a worker to create")
)

// NewWorker returns the files of a worker for the process definition among the resources: a program that creates each
// task in turn, its test, the output of Generate, and files to build and run it.
func NewWorker(language Language, documents []resource.Document, s Surroundings) ([]File, error) {
	c, err := language.conventions()
	if err != nil {
		return nil, err
	}
	f, err := describe(documents)
	if err != nil {
		return nil, err
	}
	w := &worker{conventions: c, Surroundings: s, Language: language}
	n := spellNames(f, c)
	if err := w.addSteps(documents, f, n); err != nil {
		return nil, err
	}
	files, err := w.renderFiles()
	if err != nil {
		return nil, err
	}
	code, err := c.write(c.Package, f, n)
	return append(files, File{c.DefinitionFile, code}), err
}

// worker contains the data of the skeletons.
type worker struct {
	conventions
	Surroundings

	Language Language
	// Program is the name of the worker, Code the code of the definition.
	Program, Code string
	// Runner is the application that runs the worker.
	Runner string
	Steps  []workerStep
}

// workerStep is a task in a skeleton.
type workerStep struct {
	// Type is "" without a schema.
	Constant, Type, Variable, About string
}

func (w *worker) addSteps(documents []resource.Document, f file, n naming) error {
	for i := range documents {
		if spec, ok := documents[i].Spec.(*resource.ProcessDefinitionSpec); ok && spec.Engine != nil {
			w.Code, w.Runner = documents[i].Metadata.Code, spec.Engine.Runner
		}
	}
	if w.Code == "" {
		return ErrNoWorkflow
	}
	if len(f.steps) == 0 {
		return ErrNoTasks
	}
	w.Program = strings.ToLower(strings.Join(splitWords(w.Code), "-"))
	for _, s := range f.steps {
		w.Steps = append(w.Steps, workerStep{
			Constant: n.constants[s.task], Type: n.types[s.data], About: singleLine(s.task.about),
			Variable: strings.ToLower(strings.Join(splitWords("task_"+s.task.name), "_")),
		})
	}
	return nil
}

// Constants returns the constants of the steps as the elements of a list.
func (w *worker) Constants() string {
	constants := make([]string, len(w.Steps))
	for i, s := range w.Steps {
		constants[i] = s.Constant
	}
	return strings.Join(constants, ", ")
}

// Types returns the types of the steps.
func (w *worker) Types() []string {
	var types []string
	for _, s := range w.Steps {
		if s.Type != "" {
			types = append(types, s.Type)
		}
	}
	return types
}

// renderFiles renders the skeleton of the language and the files that all workers have.
func (w *worker) renderFiles() ([]File, error) {
	var files []File
	for _, folder := range []string{"all", string(w.Language)} {
		root := path.Join("skeletons", folder)
		err := fs.WalkDir(skeletons, root, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			parsed, err := template.New(path.Base(name)).Funcs(template.FuncMap{"quoted": quoteJSON, "word": shell.Word}).ParseFS(skeletons, name)
			if err != nil {
				return fmt.Errorf("reading %s: %w", name, err)
			}
			var content bytes.Buffer
			if err := parsed.Execute(&content, w); err != nil {
				return fmt.Errorf("writing %s: %w", name, err)
			}
			files = append(files, File{strings.TrimSuffix(strings.TrimPrefix(name, root+"/"), ".tmpl"), content.Bytes()})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}
