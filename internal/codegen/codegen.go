package codegen

import (
	"errors"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// Generate returns a source file for resources, with at most one process definition among them. Go and Java use pkg as
// the name of the package; other languages ignore it. It fails if the resources have neither types nor codes, or if a name
// cannot be written in the language.
func Generate(language Language, pkg string, documents []resource.Document) ([]byte, error) {
	c, err := language.conventions()
	if err != nil {
		return nil, err
	}
	f, err := describe(documents)
	if err != nil {
		return nil, err
	}
	return c.write(pkg, f, spellNames(f, c))
}

// file contains the declarations of a source file, in the order of the resources.
type file struct {
	groups []group
	types  []object
	// steps are the tasks, in the order of the definition.
	steps []step
	// taken contains the names of the types.
	taken map[string]bool
}

// step is a task of a process.
type step struct {
	task constant
	// data names the type of its data, "" without a schema.
	data string
}

// group is a list of constants with a heading.
type group struct {
	about     string
	constants []constant
}

// constant names a code.
type constant struct {
	// prefix names the kind of the code, "" if the name contains it.
	prefix, name string
	value        string
	about        string
}

// Errors of Generate and NewWorker.
var (
	ErrNothing = errors.New("the documents describe no process definition, data structure or business artifact definition")
	ErrSeveral = errors.New("the documents describe more than one process definition")
)

// describe collects the declarations for resources.
func describe(documents []resource.Document) (file, error) {
	f := file{taken: map[string]bool{}}
	definitions := 0
	for i := range documents {
		code := documents[i].Metadata.Code
		switch spec := documents[i].Spec.(type) {
		case *resource.ProcessDefinitionSpec:
			if definitions++; definitions > 1 {
				return file{}, ErrSeveral
			}
			f.addDefinition(code, spec)
		case *resource.DataStructureSpec:
			f.addSchema(code, "data of the structure "+code, spec.Schema)
		case *resource.BusinessArtifactDefinitionSpec:
			f.addSchema(code, "the data of a business artifact "+code, spec.DataSchema)
		}
	}
	if len(f.groups)+len(f.types) == 0 {
		return file{}, ErrNothing
	}
	return f, nil
}

// addSchema adds the types of a schema and returns the name of the outermost one, or "" if the schema is absent. about
// describes its values.
func (f *file) addSchema(name, about string, schema []byte) string {
	r := reader{root: schema, prefix: name, named: map[string]string{}, taken: f.taken}
	types := r.readAll("is " + about + ".")
	if len(types) == 0 {
		return ""
	}
	f.types = append(f.types, types...)
	return types[0].name
}

func (f *file) addDefinition(code string, spec *resource.ProcessDefinitionSpec) {
	head := group{about: "The process definition.", constants: []constant{{name: "PROCESS_DEFINITION", value: code, about: spec.Name}}}
	if e := spec.Engine; e != nil {
		head.constants = append(head.constants,
			constant{name: "WORKFLOW_TYPE", value: e.WorkflowType}, constant{name: "TASK_QUEUE", value: e.TaskQueue})
	}
	items, elements := group{about: "Codes of items."}, group{about: "Codes of elements."}
	elements.addElements(spec.Elements)
	f.addSchema("METADATA", "the metadata of a process", spec.MetadataSchema)
	f.addSchema("ENTITY", "the entity of a process", spec.EntitySchema)
	for i := range spec.Items {
		item := &spec.Items[i]
		named := constant{string(item.Type), item.Code, item.Code, item.Name}
		items.constants = append(items.constants, named)
		elements.addElements(item.Elements)
		if item.Type == domain.ItemTask {
			data := f.addSchema(item.Code, "the data of the task "+item.Code, item.DataSchema)
			f.steps = append(f.steps, step{named, data})
			f.addSchema(item.Code+"_CONTEXT", "the context of the task "+item.Code, item.ContextDataSchema)
		}
	}
	actions := group{about: "Codes and workflow types of user actions."}
	for i := range spec.UserActions {
		action := &spec.UserActions[i]
		actions.constants = append(actions.constants, constant{"ACTION", action.Code, action.Code, action.Name})
		if action.WorkflowType != "" {
			actions.constants = append(actions.constants, constant{prefix: "ACTION", name: action.Code + "_WORKFLOW_TYPE", value: action.WorkflowType})
		}
	}
	for _, g := range []group{head, items, elements, actions} {
		if len(g.constants) > 0 {
			f.groups = append(f.groups, g)
		}
	}
}

// addElements adds the codes of elements, each once: several tasks may have elements with the same code.
func (g *group) addElements(specs []resource.ElementSpec) {
	for i := range specs {
		e := constant{"ELEMENT", specs[i].Code, specs[i].Code, specs[i].Name}
		ok := false
		for _, c := range g.constants {
			ok = ok || c.value == e.value
		}
		if !ok {
			g.constants = append(g.constants, e)
		}
	}
}
