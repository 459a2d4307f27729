package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/internal/manifest"
)

// warnings collects probable mistakes in valid manifests.
type warnings struct {
	sources []manifest.Source
	// runners are the first to name the task queues of tenants.
	runners map[string]string
	found   []string
	// fallbacks is the number of values that forms edit as JSON.
	fallbacks int
	// coverage are lines with the share of translated texts of definitions.
	coverage []string
}

// warnAbout writes a line on standard error for everything in documents that can be applied
// but is hardly meant.
func warnAbout(cmd *cobra.Command, sources []manifest.Source) {
	w := warnings{sources: sources, runners: map[string]string{}}
	for i, source := range sources {
		var document struct {
			Kind resource.Kind   `json:"kind"`
			Spec json.RawMessage `json:"spec"`
		}
		if json.Unmarshal(source.JSON, &document) != nil {
			continue
		}
		at := fmt.Sprintf("/documents/%d", i)
		var spec resource.ProcessDefinitionSpec
		if document.Kind == resource.KindProcessDefinition && json.Unmarshal(document.Spec, &spec) == nil {
			w.checkDefinition(at, headOf(source).tenantCode(), &spec)
		}
		w.checkForms(cmd.Context(), at+"/spec", document.Kind, document.Spec)
	}
	// The places of documents in the request are the indexes of their sources.
	documents, _ := resource.Decode(manifestTexts(sources))
	for i := range documents {
		w.checkTranslations(fmt.Sprintf("/documents/%d", documents[i].Place), &documents[i])
	}
	for _, line := range w.found {
		cmd.PrintErrln("warning:", line)
	}
	for _, line := range w.coverage {
		cmd.PrintErrln("translated:", line)
	}
}

func (w *warnings) add(location, format string, args ...any) {
	w.found = append(w.found, placeOf(w.sources, location)+": "+fmt.Sprintf(format, args...))
}

func (w *warnings) checkDefinition(at, tenant string, spec *resource.ProcessDefinitionSpec) {
	if e := spec.Engine; e != nil {
		queue := tenant + "/" + e.TaskQueue
		if runner, ok := w.runners[queue]; ok && runner != e.Runner {
			w.add(at+"/spec/engine/runner", "%s is served for another definition by %s: workers of both get the tasks of either", e.TaskQueue, runner)
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

func (w *warnings) checkItem(at string, checkItem *resource.ItemSpec) {
	if checkItem.Type == domain.ItemTask && len(checkItem.Candidates) == 0 {
		w.add(at, "the task %s has no candidates: it can be assigned, but not claimed", checkItem.Code)
	}
	if checkItem.RequireValidDataOnComplete && checkItem.DataSchema == nil {
		w.add(at+"/requireValidDataOnComplete", "there is no dataSchema: all data is valid")
	}
	if checkItem.UISchema != nil && !checkItem.Form {
		w.add(at+"/uiSchema", "the task is not filled in as a form: form is not true")
	}
	w.checkLayout(at+"/uiSchema", checkItem.UISchema, checkItem.DataSchema)
	w.checkFormats(at+"/dataSchema", checkItem.DataSchema)
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
func (w *warnings) checkLayout(at string, text, schema json.RawMessage) {
	var e element
	if len(text) == 0 || json.Unmarshal(text, &e) != nil {
		return
	}
	if e.Type != "" && !slices.Contains(layoutTypes(), e.Type) {
		w.add(at+"/type", "%s is not a type of element that the service knows%s", e.Type, resource.DidYouMean(e.Type, layoutTypes(), ""))
	}
	switch {
	case e.Type == "Control" && e.Scope == nil:
		w.add(at, "a Control without a scope has no effect")
	case e.Scope != nil && !hasScope(schema, *e.Scope):
		w.add(at+"/scope", "%s is not a property of the schema", *e.Scope)
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
func (w *warnings) checkFormats(at string, schema json.RawMessage) {
	var s struct {
		Format     string                     `json:"format"`
		Properties map[string]json.RawMessage `json:"properties"`
		Items      json.RawMessage            `json:"items"`
	}
	if len(schema) == 0 || json.Unmarshal(schema, &s) != nil {
		return
	}
	if s.Format != "" && !strings.HasPrefix(s.Format, "kuflow-") && !slices.Contains(knownFormats(), s.Format) {
		w.add(at+"/format", "%s is not a format that is checked%s", s.Format, resource.DidYouMean(s.Format, knownFormats(), ""))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		w.checkFormats(at+"/properties/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name), s.Properties[name])
	}
	w.checkFormats(at+"/items", s.Items)
}
