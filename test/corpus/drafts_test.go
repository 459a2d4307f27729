package corpus_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/form"
)

// TestDraftsHaveForms opens forms for the schemas of the drafts themselves, which are built in, with schemas as values. It needs
// no fetched packages.
func TestDraftsHaveForms(t *testing.T) {
	t.Parallel()
	c := census{kinds: map[string]form.Kind{}, reasons: map[string][]string{}}
	for _, address := range drafts {
		e := entry{name: address, schema: json.RawMessage(`{"$schema":"` + address + `","properties":{"schema":{"$ref":"` + address + `"}}}`), values: []json.RawMessage{
			json.RawMessage(`{}`), json.RawMessage(`{"schema":{}}`),
			json.RawMessage(`{"schema":{"title":"Loan","type":"object","properties":{"amount":{"type":"number","minimum":1},"lines":{"items":{"enum":["a",1]}}},"required":["amount"]}}`),
		}}
		compiled, err := jsondoc.Compile(e.schema)
		require.NoError(t, err)
		for _, value := range e.values {
			checked, err := compiled.Validate(value)
			require.NoError(t, err)
			require.Empty(t, checked.Errors)
			c.openForm(t, &e, value)
		}
	}
	for reason, places := range c.reasons {
		t.Logf("JSON, %s: %q", reason, places)
	}
	t.Logf("%d properties, %d changed fields", len(c.kinds), c.changed)
	require.Greater(t, len(c.kinds), 150)
	require.Greater(t, c.changed, 10)
}
