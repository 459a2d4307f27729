package domain_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

func TestValueTypesOfElements(t *testing.T) {
	t.Parallel()
	for want, definition := range map[domain.ElementValueType]domain.ElementDefinition{
		domain.ValueNumber:    {Type: domain.ElementField, FieldType: domain.ValueNumber},
		domain.ValueObject:    {Type: domain.ElementForm},
		domain.ValueDocument:  {Type: domain.ElementDocument},
		domain.ValuePrincipal: {Type: domain.ElementPrincipal},
	} {
		require.Equal(t, want, definition.ValueType())
	}
	for _, text := range []domain.ElementDefinition{{Type: domain.ElementField}, {Type: domain.ElementDecision}} {
		require.Equal(t, domain.ValueString, text.ValueType())
	}
}

func TestElementValuesAreReplacedInACopy(t *testing.T) {
	t.Parallel()
	value := domain.ElementValue{Type: domain.ValueString, Valid: true, Value: json.RawMessage(`"a"`)}
	before := domain.ElementValues{"A": {value}}
	require.Equal(t, domain.ElementValues{"A": {value}, "B": {value}}, before.With("B", []domain.ElementValue{value}))
	require.Empty(t, before.With("A", nil))
	require.Equal(t, domain.ElementValues{"A": {value}}, before)
}

func TestCompleteElements(t *testing.T) {
	t.Parallel()
	definitions := []domain.ElementDefinition{{Code: "A", Mandatory: true}, {Code: "B"}}
	for text, complete := range map[string]bool{
		`{}`: false, `{"B":[{"type":"STRING","valid":true,"value":"b"}]}`: false,
		`{"A":[{"type":"STRING","valid":true}]}`: false, `{"A":[{"type":"STRING","valid":false,"value":""}]}`: true,
	} {
		var values domain.ElementValues
		require.NoError(t, json.Unmarshal([]byte(text), &values))
		require.Equal(t, complete, values.Complete(definitions), text)
		require.Equal(t, !strings.Contains(text, "false"), values.Valid(), text)
	}
}

func TestDocumentsAmongElements(t *testing.T) {
	t.Parallel()
	document := domain.DocumentValue{ID: uuid.New(), DocumentID: uuid.New(), URI: "u", Name: "n", ContentType: "t", ContentLength: 1}
	value, err := domain.NewDocumentValue(document, true)
	require.NoError(t, err)
	values := domain.ElementValues{"A": {{Type: domain.ValueString, Value: json.RawMessage(`"a"`)}}, "B": {{Type: domain.ValueDocument}, value, value}}
	ids, err := values.Documents()
	require.NoError(t, err)
	require.Equal(t, []uuid.UUID{document.DocumentID}, ids)
	for _, id := range []uuid.UUID{document.ID, document.DocumentID} {
		code, index, found := values.FindDocument(id)
		require.True(t, found)
		require.Equal(t, "B", code)
		require.Equal(t, 1, index)
	}
	_, _, found := values.FindDocument(uuid.New())
	require.False(t, found)
}

func TestSubjectsOfProcesses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ template, metadata, want string }{
		{"", `{"A":"a"}`, "Name"},
		{"{{ A }}", `{}`, "Name"},
		{"{{A}} and {{ B.C }}!", `{"A":"a","B":{"C":1.50}}`, "a and 1.50!"},
		{"{{ A }}{{ B }}{{ C }}", `{"A":true,"B":null,"C":[1]}`, "true"},
		{"{{ A }}", `{"A":"x\u0000y"}`, "xy"},
		{"{{ A }}", `{"A":"` + strings.Repeat("é", 300) + `"}`, strings.Repeat("é", 255)},
		{"plain", ``, "plain"},
	} {
		require.Equal(t, c.want, domain.NewSubject(c.template, "Name", json.RawMessage(c.metadata)), c.template)
	}
}
