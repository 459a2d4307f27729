// Package review finds probable mistakes in manifests that are valid.
package review

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// Code identifies the kind of a warning.
type Code string

// The kinds of warnings.
const (
	NoCandidates        Code = "NO_CANDIDATES"
	NoSchema            Code = "NO_SCHEMA"
	UnusedLayout        Code = "UNUSED_LAYOUT"
	UnknownElement      Code = "UNKNOWN_LAYOUT_ELEMENT"
	ControlWithoutScope Code = "CONTROL_WITHOUT_SCOPE"
	UnknownProperty     Code = "UNKNOWN_PROPERTY"
	UnknownFormat       Code = "UNKNOWN_FORMAT"
	SharedQueue         Code = "SHARED_TASK_QUEUE"
	EditedAsJSON        Code = "EDITED_AS_JSON"
	UnknownTranslation  Code = "UNKNOWN_TRANSLATION"
)

// Warning is a probable mistake. Path is a JSON Pointer into the request of the documents, such as /documents/0/spec/items/1, or
// empty for a warning about all documents.
type Warning struct {
	Code          Code
	Message, Path string
}

// reviewer collects the warnings of documents.
type reviewer struct {
	// runners are the first to name the task queues of tenants.
	runners map[string]string
	found   []Warning
	// fallbacks is the number of values that forms edit as JSON.
	fallbacks int
}

// Documents returns the warnings about valid documents, in their order.
func Documents(ctx context.Context, documents []resource.Document) []Warning {
	w := reviewer{runners: map[string]string{}}
	for i := range documents {
		d := &documents[i]
		at := fmt.Sprintf("/documents/%d", d.Place)
		if spec, ok := d.Spec.(*resource.ProcessDefinitionSpec); ok {
			w.checkDefinition(at, d.TenantCode(), spec)
		}
		w.checkForms(ctx, at+"/spec", d)
		for _, unknown := range resource.UnknownKeys(d.Translatables()) {
			w.add(UnknownTranslation, at+unknown.Pointer, "%s is not the key of a text: no text is translated with it", unknown.Key)
		}
	}
	return w.found
}

func (w *reviewer) add(code Code, path, format string, args ...any) {
	w.found = append(w.found, Warning{Code: code, Message: fmt.Sprintf(format, args...), Path: path})
}

func (w *reviewer) checkDefinition(at, tenant string, spec *resource.ProcessDefinitionSpec) {
	if e := spec.Engine; e != nil {
		queue := tenant + "/" + e.TaskQueue
		if runner, ok := w.runners[queue]; ok && runner != e.Runner {
			w.add(SharedQueue, at+"/spec/engine/runner", "%s is served for another definition by %s: workers of both get the tasks of either", e.TaskQueue, runner)
		} else {
			w.runners[queue] = e.Runner
		}
	}
	for i := range spec.Items {
		w.checkItem(fmt.Sprintf("%s/spec/items/%d", at, i), &spec.Items[i])
	}
	w.checkLayout(at+"/spec/metadataUiSchema", spec.MetadataUISchema, spec.MetadataSchema)
	w.checkLayout(at+"/spec/entityUiSchema", spec.EntityUISchema, spec.EntitySchema)
}

func (w *reviewer) checkItem(at string, item *resource.ItemSpec) {
	if item.Type == domain.ItemTask && len(item.Candidates) == 0 {
		w.add(NoCandidates, at, "the task %s has no candidates: it can be assigned, but not claimed", item.Code)
	}
	if item.RequireValidDataOnComplete && item.DataSchema == nil {
		w.add(NoSchema, at+"/requireValidDataOnComplete", "there is no dataSchema: all data is valid")
	}
	if item.UISchema != nil && !item.Form {
		w.add(UnusedLayout, at+"/uiSchema", "the task is not filled in as a form: form is not true")
	}
	w.checkLayout(at+"/uiSchema", item.UISchema, item.DataSchema)
	w.checkFormats(at+"/dataSchema", item.DataSchema)
}

// element is an element of a layout of JSON Forms.
type element struct {
	Type     string            `json:"type"`
	Scope    *string           `json:"scope"`
	Elements []json.RawMessage `json:"elements"`
}

// layoutTypes returns the types of elements that forms are laid out with.
func layoutTypes() []string {
	return []string{"VerticalLayout", "HorizontalLayout", "Group", "Categorization", "Category", "Control", "Label"}
}

// checkLayout warns of elements that forms leave out.
func (w *reviewer) checkLayout(at string, text, schema json.RawMessage) {
	var e element
	if len(text) == 0 || json.Unmarshal(text, &e) != nil {
		return
	}
	if e.Type != "" && !slices.Contains(layoutTypes(), e.Type) {
		w.add(UnknownElement, at+"/type", "%s is not a type of element that the service knows%s", e.Type, resource.DidYouMean(e.Type, layoutTypes(), ""))
	}
	switch {
	case e.Type == "Control" && e.Scope == nil:
		w.add(ControlWithoutScope, at, "a Control without a scope has no effect")
	case e.Scope != nil && !hasScope(schema, *e.Scope):
		w.add(UnknownProperty, at+"/scope", "%s is not a property of the schema", *e.Scope)
	}
	for i, inner := range e.Elements {
		w.checkLayout(fmt.Sprintf("%s/elements/%d", at, i), inner, schema)
	}
}

// hasScope reports whether a schema describes the property of a scope. It accepts schemas
// that it does not evaluate, such as references.
func hasScope(schema json.RawMessage, scope string) bool {
	rest, ok := strings.CutPrefix(scope, "#")
	if !ok || len(schema) == 0 {
		return true
	}
	for rest != "" {
		var s struct {
			Properties map[string]json.RawMessage `json:"properties"`
		}
		name, found := strings.CutPrefix(rest, "/properties/")
		if !found || json.Unmarshal(schema, &s) != nil || s.Properties == nil {
			return true
		}
		name, rest, _ = strings.Cut(name, "/")
		if rest != "" {
			rest = "/" + rest
		}
		if schema, found = s.Properties[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]; !found {
			return false
		}
	}
	return true
}

// knownFormats returns the formats of JSON Schema. Formats of references begin with kuflow-.
func knownFormats() []string {
	return []string{
		"date", "date-time", "duration", "email", "hostname", "idn-email", "idn-hostname", "ipv4", "ipv6", "iri",
		"iri-reference", "json-pointer", "regex", "relative-json-pointer", "time", "uri", "uri-reference", "uri-template", "uuid",
	}
}

// checkFormats warns of unknown formats, which are not checked.
func (w *reviewer) checkFormats(at string, schema json.RawMessage) {
	var s struct {
		Format     string                     `json:"format"`
		Properties map[string]json.RawMessage `json:"properties"`
		Items      json.RawMessage            `json:"items"`
	}
	if len(schema) == 0 || json.Unmarshal(schema, &s) != nil {
		return
	}
	if s.Format != "" && !strings.HasPrefix(s.Format, "kuflow-") && !slices.Contains(knownFormats(), s.Format) {
		w.add(UnknownFormat, at+"/format", "%s is not a format that is checked%s", s.Format, resource.DidYouMean(s.Format, knownFormats(), ""))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		w.checkFormats(at+"/properties/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name), s.Properties[name])
	}
	w.checkFormats(at+"/items", s.Items)
}
