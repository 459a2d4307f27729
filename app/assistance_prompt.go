package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/procession-dev/procession/assistance"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/persistence"
)

// preparedRequest is a request to a model as it is stored until it is answered.
type preparedRequest struct {
	Model       string               `json:"model,omitempty"`
	Temperature *float64             `json:"temperature,omitempty"`
	System      string               `json:"system"`
	Prompt      string               `json:"prompt"`
	Excerpts    []assistance.Excerpt `json:"excerpts"`
	Schema      json.RawMessage      `json:"schema,omitempty"`
}

// PrepareAssistancePrompt executes the third step of a run: it fills the templates,
// chooses the passages that are nearest to the prompt, and stores the prompt,
// which does not change afterwards.
func (s *Service) PrepareAssistancePrompt(ctx context.Context, key domain.AssistanceKey) error {
	found, err := s.assistedItem(ctx, key)
	if err != nil {
		return err
	}
	prepared, err := s.store.Reader.GetAssistanceCall(ctx, key)
	if err != nil || prepared != nil {
		return err
	}
	values, err := found.templateValues()
	if err != nil {
		return err
	}
	request := assistance.Request{
		Model: found.spec.Model, Temperature: found.spec.Temperature, Schema: found.spec.OutputSchema,
		System: storableText(assistance.Fill(found.spec.System, values)),
		Prompt: storableText(assistance.Fill(found.spec.Prompt, values)),
	}
	if request.Excerpts, err = s.findExcerpts(ctx, found.Run, request.Prompt); err != nil {
		return err
	}
	call := &persistence.AssistanceCall{
		Key: key, TenantID: found.Run.TenantID, RequestID: found.Run.RequestID, RequestedBy: found.Run.RequestedBy,
		AskedAt: s.now(),
	}
	if call.Request, err = jsontext.Marshal(preparedRequest(request)); err != nil {
		return fmt.Errorf("writing a prompt: %w", err)
	}
	if call.Messages, err = jsontext.Marshal(request.Messages()); err != nil {
		return fmt.Errorf("writing the prompt: %w", err)
	}
	return s.writeInternal(ctx, func(tx *persistence.Tx) error {
		tx.InsertAssistanceCall(call)
		return nil
	})
}

// templateValues returns the values available to templates: data, contextData, the text of a message, and metadata.
func (a *assisted) templateValues() (json.RawMessage, error) {
	text := func(v *domain.JSONValue) json.RawMessage {
		if v == nil {
			return nil
		}
		return v.Value
	}
	values := struct {
		Data        json.RawMessage  `json:"data"`
		ContextData *json.RawMessage `json:"contextData,omitempty"`
		Text        *string          `json:"text,omitempty"`
		Metadata    json.RawMessage  `json:"metadata"`
	}{Data: text(a.Item.Data()), Metadata: a.Metadata}
	if a.Item.Task != nil {
		values.ContextData = new(text(a.Item.Task.ContextData))
	}
	if a.Item.Message != nil {
		values.Text = &a.Item.Message.Text
	}
	return jsontext.Marshal(values)
}

// findExcerpts returns the passages nearest to a prompt, the nearest first.
func (s *Service) findExcerpts(ctx context.Context, run *domain.AssistanceRun, prompt string) ([]assistance.Excerpt, error) {
	space := s.embeddingSpace(run)
	places, stored, err := s.store.Reader.ListVectors(ctx, space, contentsOf(run))
	if err != nil || len(places) == 0 {
		return nil, err
	}
	chosen, err := s.nearest(ctx, prompt, places, stored)
	if err != nil {
		return nil, err
	}
	passages, err := s.store.Reader.ListPassages(ctx, space, chosen)
	if err != nil {
		return nil, err
	}
	excerpts := make([]assistance.Excerpt, 0, len(chosen))
	for _, place := range chosen {
		for _, p := range passages {
			if p.Position == place.Position && bytes.Equal(p.SHA256, place.SHA256) {
				excerpts = append(excerpts, assistance.Excerpt{Document: nameOfContent(run, p.SHA256), Text: p.Text})
			}
		}
	}
	return excerpts, nil
}

// nearest chooses passages by a prompt. Without an embedding it returns the
// first ones.
func (s *Service) nearest(
	ctx context.Context, prompt string, places []persistence.PassageKey, stored [][]byte,
) ([]persistence.PassageKey, error) {
	query := strings.ToValidUTF8(prompt[:min(len(prompt), maxQuery)], "")
	if strings.TrimSpace(query) == "" {
		return places[:min(len(places), maxExcerpts)], nil
	}
	queries, err := s.assistant.provider.Embed(ctx, []string{query})
	if err != nil {
		return nil, fmt.Errorf("embedding a prompt: %w", err)
	}
	vectors := make([][]float32, len(stored))
	for i, text := range stored {
		if vectors[i], err = assistance.DecodeVector(text); err != nil {
			return nil, fmt.Errorf("reading embeddings: %w", err)
		}
	}
	matches, err := assistance.Closest(queries[0], vectors, maxExcerpts)
	if errors.Is(err, assistance.ErrVector) {
		// Another model goes by the name of the one that made the embeddings.
		return places[:min(len(places), maxExcerpts)], nil
	}
	if err != nil {
		return nil, fmt.Errorf("choosing passages: %w", err)
	}
	chosen := make([]persistence.PassageKey, len(matches))
	for i, match := range matches {
		chosen[i] = places[match.Index]
	}
	return chosen, nil
}

func nameOfContent(run *domain.AssistanceRun, content []byte) string {
	for _, d := range run.Documents {
		if bytes.Equal(d.SHA256, content) {
			return d.Name
		}
	}
	return ""
}
