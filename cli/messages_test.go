package cli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cli"
)

const translatedStructure = `apiVersion: procession/v1
kind: BusinessArtifactDefinition
metadata: {code: CAR, tenant: demo}
spec:
  name: Car
  dataSchema: {type: object, properties: {doors: {type: integer, title: Doors}}}
  actions:
    - {code: SELL, name: Sell, type: START_PROCESS, processDefinition: SALE}
  i18n:
    default: en
    de: {CAR.name: Auto, error.required: Fehlt}
`

func TestMessages(t *testing.T) {
	t.Parallel()
	w, folder := newTerminal(t), t.TempDir()
	car, german := filepath.Join(folder, "car.yaml"), filepath.Join(folder, "de.json")
	require.NoError(t, os.WriteFile(car, []byte(translatedStructure), 0o600))
	require.JSONEq(t, `{"CAR.name":"Auto","doors.label":"","error.required":"Fehlt","SELL/SELL.name":""}`,
		w.succeeds("definitions", "messages", "-f", car, "--language", "DE"))
	require.JSONEq(t, `{"CAR.name":"Car","doors.label":"Doors","SELL/SELL.name":"Sell"}`,
		w.succeeds("definitions", "messages", "-f", car, "--language", "en"))

	require.NoError(t, os.WriteFile(german, []byte(`{"CAR.name":"Auto","doors.label":"Türen","SELL/SELL.name":"Verkaufen","doors.error.type":"Anzahl"}`), 0o600))
	require.Empty(t, w.succeeds("definitions", "messages", "-f", car, "--language", "de", "--merge", german, "--to", car))
	written, err := os.ReadFile(car)
	require.NoError(t, err)
	require.Contains(t, string(written), "SELL.name: Verkaufen\n")
	require.JSONEq(t, `{"CAR.name":"Auto","doors.label":"Türen","error.required":"Fehlt","doors.error.type":"Anzahl","SELL/SELL.name":"Verkaufen"}`,
		w.succeeds("definitions", "messages", "-f", car, "--language", "de"))
	// Merging the texts again changes no byte.
	again := w.succeeds("definitions", "messages", "-f", car, "--language", "de", "--merge", german)
	require.Equal(t, string(written), again)
	require.Equal(t, again, w.withInput(again).succeeds("definitions", "messages", "-f", "-", "--language", "de", "--merge", german))
	require.NoError(t, os.WriteFile(german, []byte(w.succeeds("definitions", "messages", "-f", car, "--language", "en")), 0o600))
	require.Equal(t, again, w.succeeds("definitions", "messages", "-f", car, "--language", "en", "--merge", german))

	require.Contains(t, w.fails(cli.ExitUsage, "definitions", "messages", "-f", car), "needs --language")
	for content, want := range map[string]string{`{"typo":"x"}`: "typo is not the key of a text", `[]`: "is not a JSON object of texts", `{"a":1}`: "is not a JSON object of texts"} {
		require.NoError(t, os.WriteFile(german, []byte(content), 0o600))
		require.Contains(t, w.fails(cli.ExitUsage, "definitions", "messages", "-f", car, "--language", "de", "--merge", german), want)
	}
}

func TestApplyWarnsOfUnknownKeys(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	text := "apiVersion: procession/v1\nkind: DataStructure\nmetadata: { code: A, tenant: north }\n" +
		"spec: { name: A, schema: { type: object, properties: { a: {} } }, i18n: { de: { A.name: Ah, b.label: B } } }\n"
	said := w.withInput(text).runs("apply", "--dry-run", "-f", "-").stderr
	require.Contains(t, said, "b.label is not the key of a text")
	require.Contains(t, said, "translated: DataStructure A: de 50 % (1 of 2 texts)")
}
