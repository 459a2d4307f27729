package assistance_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/assistance"
)

func excerpts() []assistance.Excerpt {
	return []assistance.Excerpt{
		{Document: "weather.txt", Text: "It rained. The sun came out later, on 2026-01-02."},
		{Document: "payslip.pdf", Text: "Company news. The monthly income of the applicant is 3,200 EUR. Have a nice day."},
		{Document: "empty.txt", Text: " "},
	}
}

func TestBuiltinEmbedsAlikeTextsNear(t *testing.T) {
	t.Parallel()
	var p assistance.Builtin
	vectors, err := p.Embed(t.Context(), []string{
		"what is the monthly income of the applicant?", "It rained all day.", "The applicant's monthly income is 3,200 EUR.", "?",
	})
	require.NoError(t, err)
	matches, err := assistance.Closest(vectors[0], vectors[1:], 3)
	require.NoError(t, err)
	require.Equal(t, 1, matches[0].Index)
	require.Greater(t, matches[0].Score, 0.4)
	again, err := p.Embed(t.Context(), []string{"what is the monthly income of the applicant?"})
	require.NoError(t, err)
	require.Equal(t, vectors[0], again[0])
	require.Equal(t, assistance.BuiltinModel, p.EmbeddingModel())
	require.Equal(t, "procession-builtin", p.Model("gpt-x"))
	for _, texts := range [][]string{nil, {""}, make([]string, assistance.MaxBatch+1)} {
		_, err = p.Embed(t.Context(), texts)
		require.Error(t, err)
	}
}

func TestBuiltinCites(t *testing.T) {
	t.Parallel()
	var p assistance.Builtin
	r := assistance.Request{Prompt: "How high is the monthly income?", Excerpts: excerpts()}
	answer, err := p.Complete(t.Context(), r)
	require.NoError(t, err)
	require.Equal(t, assistance.BuiltinModel, answer.Model)
	require.Equal(t, "stop", answer.FinishReason)
	require.Contains(t, answer.Text, "payslip.pdf: “")
	require.Contains(t, answer.Text, "The monthly income of the applicant is 3,200 EUR.")
	require.Contains(t, answer.Text, "[2]")
	require.Less(t, strings.Index(answer.Text, "payslip.pdf"), strings.Index(answer.Text, "weather.txt"))
	require.NotContains(t, answer.Text, "empty.txt")
	require.Nil(t, answer.Value)
	again, err := p.Complete(t.Context(), r)
	require.NoError(t, err)
	require.Equal(t, answer, again)

	answer, err = p.Complete(t.Context(), assistance.Request{Prompt: "?"})
	require.NoError(t, err)
	require.NotEmpty(t, answer.Text)
}

func TestBuiltinFillsSchemas(t *testing.T) {
	t.Parallel()
	var p assistance.Builtin
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"income":{"type":"number","minimum":2.50},"reason":{"type":"string","maxLength":18}}}`: `{"income":2.50,"reason":"The documents say:"}`,
		`{"properties":{"APPROVAL":{"enum":["YES","NO"]}},"required":["APPROVAL"]}`:                                            `{"APPROVAL":"YES"}`,
		`{"properties":{"a":{"type":"object","properties":{"c":{"const":5},"d":{"default":[1]}}},"l":{"type":"array"},"n":{"type":"null"},
			"ok":{"type":"boolean"},"i":{"type":"integer"}}}`: `{"a":{"c":5,"d":[1]},"l":[],"n":null,"ok":false,"i":0}`,
	} {
		answer, err := p.Complete(t.Context(), assistance.Request{
			Prompt: "What is the monthly income of the applicant?", Excerpts: excerpts(), Schema: json.RawMessage(schema),
		})
		require.NoError(t, err, schema)
		require.JSONEq(t, want, string(answer.Value), schema)
		require.Equal(t, string(answer.Value), answer.Text)
	}
	for schema, code := range map[string]assistance.ErrorCode{
		`{"properties":{"a":{"type":"string","pattern":"^x$"}},"required":["a"]}`: assistance.CodeInvalidAnswer,
		`{"type":"array"}`: assistance.CodeInvalidAnswer,
		`{"type":"x"}`:     assistance.CodeRefused,
		`{`:                assistance.CodeRefused,
	} {
		_, err := p.Complete(t.Context(), assistance.Request{Prompt: "?", Schema: json.RawMessage(schema)})
		var e *assistance.Error
		require.ErrorAs(t, err, &e, schema)
		require.Equal(t, code, e.Code, schema)
	}
}

func TestBuiltinStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := assistance.Builtin{}.Complete(ctx, assistance.Request{})
	require.ErrorIs(t, err, context.Canceled)
	_, err = assistance.Builtin{}.Embed(ctx, []string{"a"})
	require.ErrorIs(t, err, context.Canceled)
}

// FuzzBuiltin holds that the answer to a schema fits it, or that there is none.
func FuzzBuiltin(f *testing.F) {
	f.Add(`{"properties":{"a":{"type":"number","minimum":3},"b":{"oneOf":[{"const":1}]}},"required":["a"]}`, "prompt", "An excerpt of 5.")
	f.Add(`{"$ref":"#"}`, "", "")
	f.Fuzz(func(t *testing.T, schema, prompt, text string) {
		r := assistance.Request{
			Prompt: prompt, Schema: json.RawMessage(schema), Excerpts: []assistance.Excerpt{{Document: "d", Text: text}},
		}
		answer, err := assistance.Builtin{}.Complete(t.Context(), r)
		if err != nil {
			var e *assistance.Error
			require.ErrorAs(t, err, &e)
			return
		}
		require.True(t, json.Valid(answer.Value))
		require.NotEmpty(t, r.Messages())
	})
}
