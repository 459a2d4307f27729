package forms_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/console/forms"
	"github.com/procession-dev/procession/form"
)

func TestPreviewIsFilledInAndCannotBeUsed(t *testing.T) {
	t.Parallel()
	english := viewerContext(t, "en", "UTC")
	for schema, want := range map[string]string{
		`{"type":"object"}`: `data-rows=""`,
		`{"type":"object","properties":{"FIRST_NAME":{"type":"string"}}}`:                                                                                             `value="First name"`,
		`{"type":"object","properties":{"A":{"type":"number","minimum":5},"B":{"enum":["x","y"]}}}`:                                                                   `value="5"`,
		`{"type":"object","properties":{"L":{"type":"array","items":{"type":"object","properties":{"D":{"type":"string","format":"date"}}}}}}`:                        `value="2026-03-14"`,
		`{"type":"object","properties":{"S":{"type":"array","items":{"type":"string"}},"O":{"type":"object","properties":{"E":{"type":"string","format":"email"}}}}}`: `value="carol@demo.example"`,
	} {
		preview, err := forms.Preview(english, form.Input{Schema: json.RawMessage(schema)})
		require.NoError(t, err)
		var page strings.Builder
		require.NoError(t, preview.Render(english, &page))
		require.Contains(t, page.String(), want, schema)
		require.True(t, strings.HasPrefix(page.String(), `<div class="form form-preview" inert>`))
	}
	_, err := forms.Preview(t.Context(), form.Input{Schema: json.RawMessage(`{`)})
	require.Error(t, err)
}
