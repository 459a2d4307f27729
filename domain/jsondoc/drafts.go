package jsondoc

import (
	_ "embed"
	"encoding/json"
	"io"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// draftTexts are the schemas of the drafts and of their vocabularies, as the library has them (draft 4 to 2020-12).
//
//go:embed drafts.json
var draftTexts []byte

// draftSources returns the schemas of the drafts by their addresses without a fragment.
var draftSources = sync.OnceValue(func() map[string]json.RawMessage { //nolint:gochecknoglobals // it is constant
	sources := map[string]json.RawMessage{}
	if err := json.Unmarshal(draftTexts, &sources); err != nil {
		panic(err) // It is a part of the program.
	}
	return sources
})

// loadDraft returns the schema of a draft, for a reference to a part of it. It returns an *outsideError for other addresses.
func loadDraft(address string) (io.ReadCloser, error) {
	for _, known := range []string{address, strings.Replace(address, "http:", "https:", 1), strings.Replace(address, "https:", "http:", 1)} {
		if source, ok := draftSources()[known]; ok {
			return io.NopCloser(strings.NewReader(string(source))), nil
		}
	}
	return nil, &outsideError{address}
}

// outsideDocument reports whether a subschema is part of the schema of a draft, which all validations share.
func outsideDocument(s *jsonschema.Schema) bool { return draftSchemas()[s] }

// draftSchemas returns the subschemas of the schemas of the drafts.
var draftSchemas = sync.OnceValue(func() map[*jsonschema.Schema]bool { //nolint:gochecknoglobals // it is constant
	found := map[*jsonschema.Schema]bool{}
	var add func(s *jsonschema.Schema)
	add = func(s *jsonschema.Schema) {
		if found[s] {
			return
		}
		found[s] = true
		for _, child := range append(inPlace(s), innerSchemas(s)...) {
			add(child)
		}
	}
	for address := range draftSources() {
		if strings.HasSuffix(address, "/schema") {
			add(jsonschema.MustCompileString(base, `{"$ref":"`+address+`#"}`).Ref)
		}
	}
	return found
})
