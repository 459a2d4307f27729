package assistance_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/assistance"
	"github.com/procession-dev/procession/domain"
)

const key = "sk-a-very-secret-key"

func clock() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

func config(address string) assistance.Config {
	return assistance.Config{
		BaseURL: address + "/v1/", Key: domain.NewSecret(key), ChatModel: "chat", Embeddings: "embed", Clock: clock,
		ChatTimeout: 10 * time.Second, EmbeddingTimeout: 10 * time.Second,
	}
}

// serve returns a client of a server that answers as given.
func serve(t *testing.T, answer http.HandlerFunc) *assistance.Client {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	client, err := assistance.NewClient(config(server.URL))
	require.NoError(t, err)
	return client
}

func answers(status int, contentType, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func chat(content, finish string) string {
	return fmt.Sprintf(`{"model":"chat-2026","choices":[{"finish_reason":%s,"message":{"role":"assistant","content":%s}}],"usage":{}}`, finish, content)
}

func failure(t *testing.T, err error) *assistance.Error {
	t.Helper()
	var e *assistance.Error
	require.ErrorAs(t, err, &e)
	for text := err; text != nil; {
		require.NotContains(t, text.Error(), key)
		require.NotContains(t, text.Error(), "127.0.0.1:", "the address of the provider")
		wrapped, ok := text.(interface{ Unwrap() error })
		if !ok || e.Code == assistance.CodeUnavailable {
			break // The cause of the network names the address, for the log.
		}
		text = wrapped.Unwrap()
	}
	return e
}

func TestComplete(t *testing.T) {
	t.Parallel()
	var request map[string]any
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		request = map[string]any{}
		if json.Unmarshal(body, &request) != nil || r.URL.Path != "/v1/chat/completions" || r.Method != http.MethodPost ||
			r.Header.Get("Authorization") != "Bearer "+key || r.Header.Get("Content-Type") != "application/json" {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		answers(200, "application/json; charset=utf-8", chat(`"<think>hm</think> Yes. "`, `"stop"`))(w, r)
	})
	answer, err := client.Complete(t.Context(), assistance.Request{System: "S", Prompt: "P"})
	require.NoError(t, err)
	require.Equal(t, assistance.Answer{Text: "Yes.", Model: "chat-2026", FinishReason: "stop"}, answer)
	require.Equal(t, map[string]any{
		"model": "chat", "stream": false,
		"messages": []any{map[string]any{"role": "system", "content": "S"}, map[string]any{"role": "user", "content": "P"}},
	}, request)
	temperature := 0.25
	_, err = client.Complete(t.Context(), assistance.Request{Prompt: "P", Model: "other", Temperature: &temperature})
	require.NoError(t, err)
	require.Equal(t, "other", request["model"])
	require.InDelta(t, 0.25, request["temperature"], 0)
	require.Equal(t, "other", client.Model("other"))
	require.Equal(t, "chat", client.Model(""))
	require.Equal(t, "embed", client.EmbeddingModel())
}

func TestAnswersOfOtherForms(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		chat(`"a"`, `null`):          "a",
		chat(`"a"`, `"end_turn"`):    "a",
		chat(`"<think>a"`, `"stop"`): "<think>a",
		chat(`[{"type":"text","text":"a"},{"type":"x"},{"type":"text","text":"b"}]`, `"stop"`): "ab",
		`{"choices":[{"message":{"content":"a"}}],"error":null}`:                               "a",
	} {
		answer, err := serve(t, answers(200, "", body)).Complete(t.Context(), assistance.Request{Prompt: "P"})
		require.NoError(t, err, body)
		require.Equal(t, want, answer.Text)
		require.NotEmpty(t, answer.Model)
		require.NotEmpty(t, answer.FinishReason)
	}
}

func TestAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	schema := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	for name, test := range map[string]struct {
		contentType, body string
		schema            json.RawMessage
		code              assistance.ErrorCode
	}{
		"truncated":           {"application/json", chat(`"half of"`, `"length"`), nil, assistance.CodeTruncated},
		"filtered":            {"application/json", chat(`""`, `"content_filter"`), nil, assistance.CodeFiltered},
		"declined":            {"application/json", `{"choices":[{"message":{"content":null,"refusal":"No."}}]}`, nil, assistance.CodeFiltered},
		"a tool":              {"application/json", chat(`"x"`, `"tool_calls"`), nil, assistance.CodeInvalidAnswer},
		"empty":               {"application/json", chat(`" "`, `"stop"`), nil, assistance.CodeInvalidAnswer},
		"null":                {"application/json", chat(`null`, `"stop"`), nil, assistance.CodeInvalidAnswer},
		"only thoughts":       {"application/json", chat(`"<think>a</think>"`, `"stop"`), nil, assistance.CodeInvalidAnswer},
		"content of no kind":  {"application/json", chat(`7`, `"stop"`), nil, assistance.CodeInvalidAnswer},
		"no choices":          {"application/json", `{"choices":[]}`, nil, assistance.CodeInvalidAnswer},
		"an error all right":  {"application/json", `{"error":{"message":"overloaded ` + key + `"}}`, nil, assistance.CodeInvalidAnswer},
		"not JSON":            {"application/json", `{"choices":[`, nil, assistance.CodeInvalidAnswer},
		"of other types":      {"application/json", `{"choices":"x","error":"wrong"}`, nil, assistance.CodeInvalidAnswer},
		"nothing":             {"application/json", ``, nil, assistance.CodeInvalidAnswer},
		"HTML":                {"text/html", chat(`"x"`, `"stop"`), nil, assistance.CodeInvalidAnswer},
		"a strange type":      {"a b c", chat(`"x"`, `"stop"`), nil, assistance.CodeInvalidAnswer},
		"huge":                {"application/json", `"` + strings.Repeat("x", 17<<20), nil, assistance.CodeInvalidAnswer},
		"no object":           {"application/json", chat(`"seven"`, `"stop"`), schema, assistance.CodeInvalidAnswer},
		"half an object":      {"application/json", chat(`"{\"n\":1"`, `"stop"`), schema, assistance.CodeInvalidAnswer},
		"braces":              {"application/json", chat(`"} {x}"`, `"stop"`), schema, assistance.CodeInvalidAnswer},
		"another object":      {"application/json", chat(`"{\"n\":\"x\"}"`, `"stop"`), schema, assistance.CodeInvalidAnswer},
		"a schema that is no": {"application/json", chat(`"{}"`, `"stop"`), json.RawMessage(`{"type":7}`), assistance.CodeRefused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := serve(t, answers(200, test.contentType, test.body))
			answer, err := client.Complete(t.Context(), assistance.Request{Prompt: "P", Schema: test.schema})
			require.Zero(t, answer)
			e := failure(t, err)
			require.Equal(t, test.code, e.Code, e.Message)
			require.False(t, e.Retryable())
			if name == "truncated" {
				require.Equal(t, "length", e.FinishReason)
			}
			if name == "an error all right" {
				require.Contains(t, e.Message, "overloaded [redacted]")
			}
		})
	}
}

func TestStatuses(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 1000)
	for name, test := range map[string]struct {
		status  int
		body    string
		header  []string
		code    assistance.ErrorCode
		after   time.Duration
		message string
	}{
		"too often":        {429, `{"error":{"message":"Slow down"}}`, []string{"Retry-After", "7"}, assistance.CodeRateLimited, 7 * time.Second, "the provider was too many requests: Slow down"},
		"at a time":        {429, ``, []string{"Retry-After", "Sun, 01 Mar 2026 12:01:30 GMT"}, assistance.CodeRateLimited, 90 * time.Second, ""},
		"in the past":      {503, ``, []string{"Retry-After", "Sun, 01 Mar 2026 11:00:00 GMT"}, assistance.CodeUnavailable, 0, ""},
		"milliseconds":     {503, ``, []string{"Retry-After", "9", "Retry-After-Ms", "1500"}, assistance.CodeUnavailable, 1500 * time.Millisecond, ""},
		"for ever":         {429, ``, []string{"Retry-After", "1e300"}, assistance.CodeRateLimited, 24 * time.Hour, ""},
		"never":            {429, ``, []string{"Retry-After", "NaN"}, assistance.CodeRateLimited, 0, ""},
		"at no time":       {429, ``, []string{"Retry-After", "-5"}, assistance.CodeRateLimited, 0, ""},
		"words":            {429, ``, []string{"Retry-After", "soon"}, assistance.CodeRateLimited, 0, ""},
		"broken":           {500, `<html>`, nil, assistance.CodeUnavailable, 0, "the provider answered with status 500"},
		"bad gateway":      {502, `{"detail":"up\u0000stream\ngone"}`, nil, assistance.CodeUnavailable, 0, "the provider answered with status 502: up stream gone"},
		"overloaded":       {529, ``, nil, assistance.CodeUnavailable, 0, ""},
		"late":             {504, ``, nil, assistance.CodeTimeout, 0, ""},
		"no key":           {401, `{"error":{"message":"Incorrect API key: ` + key + `"}}`, nil, assistance.CodeUnauthorized, 0, "the provider does not accept the key"},
		"forbidden":        {403, `Forbidden`, nil, assistance.CodeUnauthorized, 0, ""},
		"no such model":    {404, `{"error":"model 'chat' not found"}`, nil, assistance.CodeRefused, 0, "the provider refused the request with status 404: model 'chat' not found"},
		"too long":         {400, `{"object":"error","message":"This model's maximum context length is 8192 tokens"}`, []string{"Retry-After", "5"}, assistance.CodeRefused, 0, "the provider refused the request with status 400: This model's maximum context length is 8192 tokens"},
		"a list":           {422, `{"detail":[{"loc":["body"],"msg":"field required"}]}`, nil, assistance.CodeRefused, 0, "the provider refused the request with status 422: field required"},
		"talkative":        {400, `{"error":"` + long + `"}`, nil, assistance.CodeRefused, 0, ""},
		"quotes the key":   {400, `{"error":{"error":{"message":"you sent ` + key + `"}}}`, nil, assistance.CodeRefused, 0, "the provider refused the request with status 400: you sent [redacted]"},
		"a redirect":       {302, `{"error":"x"}`, []string{"Location", "/elsewhere"}, assistance.CodeRefused, 0, "the provider redirects, which is not followed"},
		"no content":       {204, ``, nil, assistance.CodeRefused, 0, ""},
		"an endless error": {500, strings.Repeat("x", 1<<20), nil, assistance.CodeUnavailable, 0, ""},
		"deep":             {400, strings.Repeat(`{"error":`, 5000), nil, assistance.CodeRefused, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			answer := answers(test.status, "application/json", test.body, test.header...)
			client := serve(t, func(w http.ResponseWriter, r *http.Request) {
				calls.Add(1)
				answer(w, r)
			})
			_, err := client.Complete(t.Context(), assistance.Request{Prompt: "P"})
			e := failure(t, err)
			require.Equal(t, test.code, e.Code)
			require.Equal(t, test.status, e.Status)
			require.Equal(t, test.after, e.RetryAfter)
			require.Equal(t, e.Code == assistance.CodeRateLimited || e.Code == assistance.CodeUnavailable || e.Code == assistance.CodeTimeout, e.Retryable())
			require.Less(t, len(e.Message), 500)
			require.EqualValues(t, 1, calls.Load(), "nothing is tried again or followed")
			if test.message != "" {
				require.Equal(t, test.message, e.Message)
			}
			_, err = client.Embed(t.Context(), []string{"a"})
			require.Equal(t, test.code, failure(t, err).Code)
		})
	}
}

func TestSchemas(t *testing.T) { //nolint:funlen // pairs of schemas
	t.Parallel()
	schema := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	var with, without atomic.Int32
	refuse := true
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			Format *struct {
				Type   string `json:"type"`
				Schema struct {
					Name   string          `json:"name"`
					Schema json.RawMessage `json:"schema"`
				} `json:"json_schema"`
			} `json:"response_format"`
			Messages []assistance.Message `json:"messages"`
		}
		if json.NewDecoder(r.Body).Decode(&request) != nil || !strings.Contains(request.Messages[0].Content, string(schema)) {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		if request.Format == nil {
			without.Add(1)
		} else {
			with.Add(1)
			if refuse {
				answers(400, "application/json", `{"error":"response_format is not supported"}`)(w, r)
				return
			}
			if request.Format.Type != "json_schema" || request.Format.Schema.Name == "" || string(request.Format.Schema.Schema) != string(schema) {
				w.WriteHeader(http.StatusTeapot)
				return
			}
		}
		answers(200, "application/json", chat("\"Here it is:\\n```json\\n{ \\\"n\\\": 12345678901234567890 }\\n```\"", `"stop"`))(w, r)
	})
	r := assistance.Request{Prompt: "P", Schema: schema}
	for range 2 {
		answer, err := client.Complete(t.Context(), r)
		require.NoError(t, err)
		require.Equal(t, `{"n":12345678901234567890}`, string(answer.Value))
	}
	require.EqualValues(t, 1, with.Load(), "a server that refuses a schema is not given one again")
	require.EqualValues(t, 2, without.Load())

	refuse = false
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !strings.Contains(string(body), `"response_format":{"type":"json_schema"`) {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		answers(200, "application/json", chat(`"{\"n\":1}"`, `"stop"`))(w, r)
	})
	answer, err := server.Complete(t.Context(), r)
	require.NoError(t, err)
	require.JSONEq(t, `{"n":1}`, string(answer.Value))

	// One that refuses either way is asked twice, each time.
	var calls atomic.Int32
	stubborn := serve(t, func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		answers(400, "application/json", `{"error":"no"}`)(w, r)
	})
	for range 2 {
		_, err = stubborn.Complete(t.Context(), r)
		require.Equal(t, assistance.CodeRefused, failure(t, err).Code)
	}
	require.EqualValues(t, 4, calls.Load())
}

func TestEmbed(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if string(body) != `{"model":"embed","input":["a","b"],"encoding_format":"float"}` || r.URL.Path != "/v1/embeddings" {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		answers(200, "application/json", `{"data":[{"index":1,"embedding":[3,4.5]},{"index":0,"embedding":[1,-2e-3]}]}`)(w, r)
	})
	vectors, err := client.Embed(t.Context(), []string{"a", "b"})
	require.NoError(t, err)
	require.Equal(t, [][]float32{{1, -2e-3}, {3, 4.5}}, vectors)

	for _, body := range []string{
		`{}`, `{"data":[{"embedding":[1]}]}`, `{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`,
		`{"data":[{"index":0,"embedding":[1]},{"index":2,"embedding":[1]}]}`, `{"data":[{"index":-1,"embedding":[1]},{"index":0,"embedding":[1]}]}`,
		`{"data":[{"embedding":[1]},{"embedding":[1,2]}]}`, `{"data":[{"embedding":[]},{"embedding":[]}]}`, `{"data":[{"embedding":null},{}]}`,
		`{"data":[{"embedding":"AACAPw=="},{"embedding":"AACAPw=="}]}`, `{"data":[{"embedding":[1e60]},{"embedding":[1]}]}`,
		`{"data":[{"embedding":[` + strings.Repeat("1,", 20_000) + `1]},{"embedding":[` + strings.Repeat("1,", 20_000) + `1]}]}`,
		`{"error":{"message":"no"}}`, `[]`,
	} {
		vectors, err := serve(t, answers(200, "application/json", body)).Embed(t.Context(), []string{"a", "b"})
		require.Nil(t, vectors)
		require.Equal(t, assistance.CodeInvalidAnswer, failure(t, err).Code, body[:min(len(body), 80)])
	}
	_, err = client.Embed(t.Context(), nil)
	require.Error(t, err)
}
