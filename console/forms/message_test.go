package forms_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"github.com/procession-dev/procession/console/forms"
	"github.com/procession-dev/procession/console/lang"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/form"
)

// Each violation that the validator reports is a sentence about the value.
func TestSentences(t *testing.T) {
	t.Parallel()
	english, german := viewerContext(t, "en", "UTC"), viewerContext(t, "de", "UTC")
	for _, test := range []struct{ schema, value, english, german string }{
		{`{"type":"number","maximum":10000}`, `10001`, "Amount must be at most 10,000.", "Amount darf höchstens 10.000 sein."},
		{`{"type":"number","minimum":-1234567.50}`, `-1e9`, "Amount must be at least -1,234,567.50.", "Amount muss mindestens -1.234.567,50 sein."},
		{`{"type":"number","exclusiveMinimum":0}`, `0`, "Amount must be more than 0.", "Amount muss größer als 0 sein."},
		{`{"type":"number","exclusiveMaximum":1e3}`, `1000`, "Amount must be less than 1e3.", "Amount muss kleiner als 1e3 sein."},
		{`{"type":"number","multipleOf":0.05}`, `0.01`, "Amount must be a multiple of 0.05.", "Amount muss ein Vielfaches von 0,05 sein."},
		{`{"type":"integer"}`, `"a"`, "Amount must be a whole number.", "Amount muss eine ganze Zahl sein."},
		{`{"type":"string","minLength":3}`, `"a"`, "Amount must have at least 3 characters.", "Amount muss mindestens 3 Zeichen haben."},
		{`{"type":"string","minLength":1}`, `""`, "Amount must not be empty.", "Amount darf nicht leer sein."},
		{`{"type":"string","maxLength":2000}`, `"` + string(make2001()) + `"`, "Amount must have at most 2000 characters.", "Amount darf höchstens 2000 Zeichen haben."},
		{`{"type":"string","pattern":"^x"}`, `"a"`, "Amount has the wrong format.", "Amount hat das falsche Format."},
		{`{"type":"string","format":"date"}`, `"soon"`, "Amount must be a date.", "Amount muss ein Datum sein."},
		{`{"type":"string","format":"email"}`, `"soon"`, "Amount must be an e-mail address.", "Amount muss eine E-Mail-Adresse sein."},
		{`{"type":"string","format":"kuflow-principal"}`, `"Carol"`, "Amount must be an existing person.", "Amount muss eine vorhandene Person sein."},
		{`{"enum":["a","b"]}`, `"c"`, "Amount must be one of the choices.", "Amount muss eine der Möglichkeiten sein."},
		{`{"const":"a"}`, `"c"`, "Amount must be one of the choices.", "Amount muss eine der Möglichkeiten sein."},
		{`{"type":"array","minItems":2,"items":{"type":"string"}}`, `["a"]`, "Amount must have at least 2 entries.", "Amount muss mindestens 2 Einträge haben."},
		{`{"type":"array","maxItems":1,"items":{"type":"string"}}`, `["a","b"]`, "Amount has too many entries.", "Amount hat zu viele Einträge."},
		{`{"type":"array","uniqueItems":true,"items":{"type":"string"}}`, `["a","a"]`, "Amount has the same entry twice.", "Amount enthält einen Eintrag doppelt."},
		{`{"type":"array","contains":{"const":1}}`, `["a"]`, "Amount lacks a required entry.", "In Amount fehlt ein Eintrag."},
		{`{"not":{"const":1}}`, `1`, "Amount has a value that is not allowed.", "Amount hat einen unzulässigen Wert."},
		{`{"type":"object","minProperties":1}`, `{}`, "Amount has too few entries.", "Amount hat zu wenige Einträge."},
	} {
		schema := json.RawMessage(`{"type":"object","properties":{"amount":` + test.schema + `}}`)
		value := json.RawMessage(`{"amount":` + test.value + `}`)
		compiled, err := jsondoc.Compile(schema)
		require.NoError(t, err)
		checked, err := compiled.Validate(value)
		require.NoError(t, err)
		require.Len(t, checked.Errors, 1, test.schema)
		editor, err := form.NewEditor(t.Context(), form.Input{Schema: schema, Value: value}, form.EditorLimits(), false)
		require.NoError(t, err)
		n := editor.Find(checked.Errors[0].PropertyPath)
		require.NotNil(t, n, test.schema)
		require.Equal(t, test.english, forms.ErrorMessage(english, n.Label, n, checked.Errors[0]).Text)
		require.Equal(t, test.german, forms.ErrorMessage(german, n.Label, n, checked.Errors[0]).Text)
	}
	require.Equal(t, "Goods: is out of stock", forms.ErrorMessage(english, "Goods", nil, domain.ValueError{Type: "x", Message: "is out of stock"}).Text)
	require.Equal(t, "Goods ist ungültig.", forms.ErrorMessage(german, "Goods", nil, domain.ValueError{Type: "unheard"}).Text)
	require.Equal(t, "1,5\u00a0MB", ui.Size(german, 1_500_000))
	require.Equal(t, "999 bytes", ui.Size(english, 999))
}

func make2001() []byte {
	text := make([]byte, 2001)
	for i := range text {
		text[i] = 'x'
	}
	return text
}

// Every text of forms is in the German catalogue.
func TestFormsAreInGerman(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.*")
	require.NoError(t, err)
	text := regexp.MustCompile(`(?:T\(ctx, |say\(|return |sentence [:=]+ |complain\(name, text, )("(?:[^"\\]|\\.)+")`)
	generated := regexp.MustCompile(`_test\.go$|_templ\.go$`)
	found := 0
	for _, file := range files {
		if generated.MatchString(file) {
			continue
		}
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, match := range text.FindAllSubmatch(source, -1) {
			english, err := strconv.Unquote(string(match[1]))
			require.NoError(t, err)
			if !strings.Contains(english, " ") && english != "Save" || english == "%s %d" {
				continue
			}
			found++
			require.NotEqual(t, english, lang.Text(language.German, english))
		}
	}
	require.Greater(t, found, 60)
}
