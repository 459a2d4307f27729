package corpus_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/jsondoc"
)

// refusals are the reasons for which published schemas are refused, as parts of the messages.
var refusals = []string{
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
	var large []string
	readJSON(t, filepath.Join(folder(t, "built"), "large.json"), &large)
	counts, compiled := map[string]int{"over the size limit": len(large)}, 0
	entries := append(readSchemas(t), readExamples(t)...)
	for i := range entries {
		_, err := jsondoc.Compile(entries[i].schema)
		if err == nil {
			compiled++
			continue
		}
		reason := reasonOf(err)
		if reason == "" {
			t.Errorf("%s: %v", entries[i].name, err)
		}
		t.Logf("%s: %v", entries[i].name, err)
		counts[reason]++
	}
	t.Logf("%d of %d schemas compile; refused: %v", compiled, len(entries)+len(large), counts)
	require.Greater(t, compiled*100, len(entries)*85)
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
