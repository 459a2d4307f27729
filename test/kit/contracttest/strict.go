package contracttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/procession-dev/procession/api/openapi"
	"github.com/procession-dev/procession/domain/jsontext"
)

// Strict validates JSON by a published document, to the letter of JSON Schema: it
// shares no code with the validation of the service, and has neither discriminators
// nor exceptions. It is safe for concurrent use.
type Strict struct {
	mu       sync.Mutex
	compiler *jsonschema.Compiler
}

const strictBase = "contract:document"

// LoadStrict reads the published document with the given name.
func LoadStrict(name string) (*Strict, error) {
	text, err := openapi.JSON(name)
	if err != nil {
		return nil, fmt.Errorf("reading a published contract: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat = true
	if err := compiler.AddResource(strictBase, bytes.NewReader(text)); err != nil {
		return nil, fmt.Errorf("reading a published contract: %w", err)
	}
	return &Strict{compiler: compiler}, nil
}

// Check validates JSON against the schema at a place of the document, which path
// leads to, as in "components", "schemas", "Task".
func (s *Strict) Check(text []byte, path ...string) error {
	pointer := strictBase + "#"
	for _, token := range path {
		pointer += "/" + strings.NewReplacer("{", "%7B", "}", "%7D").Replace(jsontext.EscapeToken(token))
	}
	s.mu.Lock()
	schema, err := s.compiler.Compile(pointer)
	s.mu.Unlock()
	if err != nil {
		return fmt.Errorf("compiling %s: %w", pointer, err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return fmt.Errorf("decoding JSON: %w", err)
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("validating by %s: %w", pointer, err)
	}
	return nil
}
