package jsondoc

import (
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/kuflowref"
)

// The keywords and formats that this service adds to JSON Schema:
//
//   - "format": "kuflow-file", "kuflow-principal", "kuflow-group",
//     "kuflow-process", "kuflow-business-artifact": the string is a reference of
//     that kind, to something visible to the caller who saves it. For
//     "kuflow-data-source" it is only well formed: items of data sources are not
//     kept here. "dataSource" next to it is the code of the data source; Items
//     collects the references that have one.
//   - "accept": the documents that are allowed: a list of media types (application/pdf,
//     image/*, */*) and of file name extensions (.pdf), as an array or separated
//     by commas. Any of them suffices.
//   - "maxSize": the maximum size of a document, in bytes, or as text with a unit.
//   - "requiredOnUpdate": like required, but not for a value that is new. It is
//     an array of names, or true within the subschema of a property itself.
//
// accept and maxSize apply to the stored document, and only to references to
// documents: other values are checked by format and type. In drafts up to 7 the
// keywords beside $ref are ignored, except for requiredOnUpdate: true, which is
// read by the subschema of the enclosing object.
const (
	keywordFormat           = "format"
	keywordDataSource       = "dataSource"
	keywordAccept           = "accept"
	keywordMaxSize          = "maxSize"
	keywordRequiredOnUpdate = "requiredOnUpdate"
	keywordEnum             = "enum"
	keywordI18n             = "i18n"
	keywordTitle            = "title"
	keywordDescription      = "description"
)

// extension is the name under which the library keeps the keywords.
const extension = "procession"

// A dialect compiles the keywords for the library.
type dialect struct{}

// rules are the keywords of one subschema.
type rules struct {
	// kind is the kind of reference that the format requires, "" if none.
	kind kuflowref.Kind
	// source is the code of the data source of KindDataSource, "" if none.
	source   string
	accept   []filter
	maxSize  *int64
	onUpdate []string
	// emptyEnum reports an empty enum, which makes every value invalid: the library ignores it.
	emptyEnum bool
	// fault is the reason why the keywords cannot be applied.
	fault *keywordError
}

// keywordError is the error for a keyword with an invalid value.
type keywordError struct {
	// location is the location of the subschema, keyword the invalid keyword.
	location, keyword string
	message           string
}

func (e *keywordError) Error() string { return e.keyword + " " + e.message }

// Compile implements jsonschema.ExtCompiler. It stores refusals for later, because it does not know its
// location.
func (dialect) Compile(_ jsonschema.CompilerContext, keywords map[string]any) (jsonschema.ExtSchema, error) {
	r := &rules{}
	if format, ok := keywords[keywordFormat].(string); ok {
		r.kind = referenceFormat(format)
	}
	if r.kind == kuflowref.KindDataSource {
		r.source, _ = keywords[keywordDataSource].(string)
	}
	var err error
	if value, ok := keywords[keywordAccept]; ok {
		if r.accept, err = readAccept(value); err != nil {
			r.refuse(keywordAccept, err)
		}
	}
	if value, ok := keywords[keywordMaxSize]; ok {
		size, err := ReadSize(value)
		if err != nil {
			r.refuse(keywordMaxSize, err)
		}
		r.maxSize = &size
	}
	if r.onUpdate, err = readOnUpdate(keywords); err != nil {
		r.refuse(keywordRequiredOnUpdate, err)
	}
	if values, ok := keywords[keywordEnum].([]any); ok {
		r.emptyEnum = len(values) == 0
	}
	if r.kind == "" && r.accept == nil && r.maxSize == nil && r.onUpdate == nil && !r.emptyEnum && r.fault == nil {
		return nil, nil
	}
	return r, nil
}

func (r *rules) refuse(keyword string, err error) {
	r.fault = &keywordError{keyword: keyword, message: err.Error()}
}

// referenceFormat returns the kind of reference that a format requires, "" if none.
func referenceFormat(format string) kuflowref.Kind {
	switch kind := kuflowref.Kind(format); kind {
	case kuflowref.KindFile, kuflowref.KindPrincipal, kuflowref.KindGroup,
		kuflowref.KindBusinessArtifact, kuflowref.KindDataSource, kuflowref.KindProcess:
		return kind
	}
	return ""
}

// Validate implements jsonschema.ExtSchema. A run applies the rules.
func (r *rules) Validate(jsonschema.ValidationContext, any) error { return nil }

// applyTo applies the keywords to a value.
func (r *rules) applyTo(options *validationOptions, ctx jsonschema.ValidationContext, value any, fail func(keyword string)) {
	if r.emptyEnum {
		fail(keywordEnum)
	}
	switch v := value.(type) {
	case map[string]any:
		if options.update && len(r.missingProperties(v)) > 0 {
			fail(keywordRequiredOnUpdate)
		}
	case string:
		valid := r.checkText(options, v, fail) && !r.emptyEnum
		if r.source != "" && options.items != nil && valid {
			// Only an error has the location of the string.
			at := unescapeLocation(ctx.Error(keywordDataSource, "").InstanceLocation)
			options.items[domain.ItemReference{Pointer: at, Source: r.source, Text: v}] = struct{}{}
		}
	}
}

// checkText applies the keywords to a string and reports whether it is valid.
func (r *rules) checkText(options *validationOptions, checkText string, fail func(keyword string)) bool {
	if r.kind == "" && r.accept == nil && r.maxSize == nil {
		return true
	}
	found, ok := kuflowref.Parse(checkText)
	if r.kind != "" && (!ok || found.Kind() != r.kind) {
		fail(keywordFormat)
		return false
	}
	if !ok || options.resolve == nil || found.Kind() == kuflowref.KindDataSource || r.kind == "" && found.Kind() != kuflowref.KindFile {
		return true
	}
	stored, ok := options.resolve(found)
	if !ok && r.kind != "" {
		fail(keywordFormat)
		return false
	}
	valid := true
	if ok && found.Kind() == kuflowref.KindFile {
		if r.accept != nil && !isAccepted(r.accept, stored) {
			fail(keywordAccept)
			valid = false
		}
		if r.maxSize != nil && stored.Size > *r.maxSize {
			fail(keywordMaxSize)
			valid = false
		}
	}
	return valid
}

// missingProperties lists the missing properties that are required on an update.
func (r *rules) missingProperties(object map[string]any) []string {
	var names []string
	for _, name := range r.onUpdate {
		if _, ok := object[name]; !ok {
			names = append(names, name)
		}
	}
	return names
}

// CheckSatisfiable refuses a schema with an empty enum. Compile accepts it, for stored definitions from a time
// when an empty enum was ignored.
func (s *Schema) CheckSatisfiable() error {
	if s == nil {
		return nil
	}
	first := ""
	for location, schema := range s.nodes {
		if r := rulesOf(schema); r != nil && r.emptyEnum && (first == "" || location < first) {
			first = location
		}
	}
	if first == "" {
		return nil
	}
	_, path, _ := strings.Cut(first, "#")
	err := &keywordError{location: first, keyword: keywordEnum, message: "must list at least one value"}
	return &SchemaError{Pointer: unescapeLocation(path) + "/" + keywordEnum, Message: err.message, cause: err}
}

// rulesOf returns the keywords of a subschema, nil when it has none.
func rulesOf(schema *jsonschema.Schema) *rules {
	r, _ := schema.Extensions[extension].(*rules)
	return r
}

// checkKeywords returns the error of the first subschema, by location, with an invalid keyword.
func checkKeywords(nodes map[string]*jsonschema.Schema) error {
	var first *keywordError
	for location, schema := range nodes {
		r := rulesOf(schema)
		if r == nil || r.fault == nil || first != nil && first.location < location {
			continue
		}
		fault := *r.fault
		fault.location = location
		first = &fault
	}
	if first == nil {
		return nil
	}
	return fmt.Errorf("reading a keyword: %w", first)
}
