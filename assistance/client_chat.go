package assistance

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
)

type chatRequest struct {
	Model          string          `json:"model"`
	Messages       []Message       `json:"messages"`
	Temperature    *float64        `json:"temperature,omitempty"`
	MaxTokens      int             `json:"max_tokens,omitempty"`
	Stream         bool            `json:"stream"`
	ResponseFormat *responseFormat `json:"response_format,omitempty"`
}

type responseFormat struct {
	Type   string       `json:"type"`
	Schema namedSchemas `json:"json_schema"`
}

type namedSchemas struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
}

// chatAnswer contains the used parts of an answer. Members with types that differ between servers are decoded later.
type chatAnswer struct {
	Model   string `json:"model"`
	Choices []struct {
		FinishReason string `json:"finish_reason"`
		Message      struct {
			Content json.RawMessage `json:"content"`
			Refusal string          `json:"refusal"`
		} `json:"message"`
	} `json:"choices"`
	Error json.RawMessage `json:"error"`
}

// Complete sends a prompt to the model. If a server refuses the schema, the request is repeated without it: the
// prompt describes the answer too.
func (c *Client) Complete(ctx context.Context, r Request) (Answer, error) {
	request := chatRequest{
		Model: c.Model(r.Model), Messages: r.Messages(), Temperature: r.Temperature, MaxTokens: c.config.MaxTokens,
	}
	if request.Temperature == nil {
		request.Temperature = c.config.Temperature
	}
	if r.Schema != nil && !c.plain.Load() {
		request.ResponseFormat = &responseFormat{Type: "json_schema", Schema: namedSchemas{Name: "answer", Schema: r.Schema}}
	}
	var answer chatAnswer
	err := c.post(ctx, "/chat/completions", c.config.ChatTimeout, request, &answer)
	if request.ResponseFormat != nil && refusesForm(err) {
		request.ResponseFormat, answer = nil, chatAnswer{}
		if err = c.post(ctx, "/chat/completions", c.config.ChatTimeout, request, &answer); err == nil {
			c.plain.Store(true)
		}
	}
	if err != nil {
		return Answer{}, err
	}
	return c.checkAnswer(&r, &request, &answer)
}

// refusesForm reports whether a server may have refused the schema of a request.
func refusesForm(err error) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Code != CodeRefused {
		return false
	}
	switch e.Status {
	case http.StatusBadRequest, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity, http.StatusNotImplemented:
		return true
	}
	return false
}

// checkAnswer checks that an answer is complete and valid.
func (c *Client) checkAnswer(r *Request, request *chatRequest, raw *chatAnswer) (Answer, error) {
	if len(raw.Choices) == 0 {
		message := "the answer of the provider has no choices"
		if text := errorText(raw.Error, 4); text != "" {
			message = "the provider answered with an error: " + c.sanitizeText(text)
		}
		return Answer{}, &Error{Code: CodeInvalidAnswer, Message: message, Status: http.StatusOK}
	}
	choice := &raw.Choices[0]
	fail := func(code ErrorCode, message string) (Answer, error) {
		return Answer{}, &Error{
			Code: code, Message: message, Status: http.StatusOK, FinishReason: c.sanitizeText(choice.FinishReason),
		}
	}
	switch choice.FinishReason {
	case "length", "max_tokens":
		return fail(CodeTruncated, "the model stopped before the answer was complete")
	case "content_filter":
		return fail(CodeFiltered, "the provider withheld the answer")
	case "stop", "", "eos", "end_turn":
	default:
		return fail(CodeInvalidAnswer, "the model stopped for a reason that is no answer")
	}
	if choice.Message.Refusal != "" {
		return fail(CodeFiltered, "the model declined: "+c.sanitizeText(choice.Message.Refusal))
	}
	text, ok := contentText(choice.Message.Content)
	if text = withoutThoughts(text); !ok || text == "" {
		return fail(CodeInvalidAnswer, "the answer of the model is empty")
	}
	answer := Answer{Text: text, Model: c.sanitizeText(raw.Model), FinishReason: choice.FinishReason}
	if answer.Model == "" {
		answer.Model = request.Model
	}
	if answer.FinishReason == "" {
		answer.FinishReason = "stop"
	}
	if r.Schema != nil {
		var err error
		if answer.Value, err = parseObject(text, r.Schema); err != nil {
			return Answer{}, err
		}
	}
	return answer, nil
}

// contentText returns the content of a message, a string or a list of parts, as text.
func contentText(content json.RawMessage) (string, bool) {
	var text string
	if len(content) == 0 || json.Unmarshal(content, &text) == nil {
		return text, true
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(content, &parts) != nil {
		return "", false
	}
	var joined strings.Builder
	for _, part := range parts {
		joined.WriteString(part.Text)
	}
	return joined.String(), true
}
