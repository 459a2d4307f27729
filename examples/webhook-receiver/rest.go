package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

const (
	version = "/v2024-06-14"
	// callTimeout leaves time to answer a webhook, which has 15 seconds.
	callTimeout    = 8 * time.Second
	maxAnswerBytes = 1 << 20
)

// client calls the two operations of the REST API (Shape B) that the program needs.
type client struct {
	base, id, secret string
	http             *http.Client
}

func newClient(cfg config) *client {
	return &client{
		base: strings.TrimRight(cfg.endpoint, "/") + version, id: cfg.clientID, secret: cfg.clientSecret,
		http: &http.Client{
			Timeout: callTimeout,
			// The API never redirects: following one could carry the credentials elsewhere.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// createTask creates the task of a process that has the code. A task that is there already is left as it is, and a
// process that has ended needs none.
func (c *client) createTask(ctx context.Context, process uuid.UUID, code string) error {
	return c.post(ctx, "/process-items", map[string]any{
		"id": uuid.NewSHA1(process, []byte(code)), "processId": process, "type": "TASK", "processItemDefinitionCode": code,
	})
}

// completeProcess completes a process. One that has ended stays as it is.
func (c *client) completeProcess(ctx context.Context, process uuid.UUID) error {
	return c.post(ctx, "/processes/"+process.String()+"/~actions/complete", nil)
}

func (c *client) post(ctx context.Context, path string, body any) error {
	var content io.Reader = http.NoBody
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("encoding a request: %w", err)
		}
		content = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+path, content)
	if err != nil {
		return fmt.Errorf("making a request: %w", err)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	request.SetBasicAuth(c.id, c.secret)
	answer, err := c.http.Do(request)
	if err != nil {
		return fmt.Errorf("calling the service: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswerBytes))
	if err != nil {
		return fmt.Errorf("reading an answer: %w", err)
	}
	if answer.StatusCode >= http.StatusOK && answer.StatusCode < http.StatusMultipleChoices || finished(text) {
		return nil
	}
	return fmt.Errorf("POST %s: HTTP %d: %s", path, answer.StatusCode, text)
}

// errorInfo is one reason why a call was refused.
type errorInfo struct {
	Code string `json:"code"`
}

// finished reports whether a call was refused because the process has ended.
func finished(answer []byte) bool {
	var refused struct {
		Errors []errorInfo `json:"errors"`
	}
	if json.Unmarshal(answer, &refused) != nil {
		return false
	}
	return slices.Contains(refused.Errors, errorInfo{Code: "PROCESS_FINISHED"})
}
