package assistance

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

type embedRequest struct {
	Model          string   `json:"model"`
	Input          []string `json:"input"`
	EncodingFormat string   `json:"encoding_format"`
}

type embedAnswer struct {
	Data []struct {
		Index     *int      `json:"index"`
		Embedding []float32 `json:"embedding"`
	} `json:"data"`
	Error json.RawMessage `json:"error"`
}

// maxDimensions is the maximum length of a vector.
const maxDimensions = 16_384

// Embed creates vectors of texts in one call.
func (c *Client) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := checkBatch(texts); err != nil {
		return nil, err
	}
	// Servers differ in base64 vectors: the request asks for numbers.
	request := embedRequest{Model: c.config.Embeddings, Input: texts, EncodingFormat: "float"}
	var answer embedAnswer
	if err := c.post(ctx, "/embeddings", c.config.EmbeddingTimeout, request, &answer); err != nil {
		return nil, err
	}
	invalid := func(message string) ([][]float32, error) {
		return nil, &Error{Code: CodeInvalidAnswer, Message: message, Status: http.StatusOK}
	}
	if text := errorText(answer.Error, 4); text != "" {
		return invalid("the provider answered with an error: " + c.sanitizeText(text))
	}
	if len(answer.Data) != len(texts) {
		return invalid("the provider embedded another number of texts than it was given")
	}
	vectors := make([][]float32, len(texts))
	for place, entry := range answer.Data {
		if entry.Index != nil {
			place = *entry.Index
		}
		if place < 0 || place >= len(vectors) || vectors[place] != nil {
			return invalid("the provider did not embed each text once")
		}
		vectors[place] = entry.Embedding
	}
	for _, vector := range vectors {
		if len(vector) == 0 || len(vector) != len(vectors[0]) || len(vector) > maxDimensions {
			return invalid("the embeddings of the provider are not of one size")
		}
	}
	return vectors, nil
}

// checkBatch enforces the limits that Provider documents.
func checkBatch(texts []string) error {
	if len(texts) == 0 || len(texts) > MaxBatch {
		return fmt.Errorf("embedding %d texts: there must be 1 to %d", len(texts), MaxBatch)
	}
	for i, text := range texts {
		if text == "" {
			return fmt.Errorf("embedding %d texts: number %d is empty", len(texts), i+1)
		}
	}
	return nil
}
