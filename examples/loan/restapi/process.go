package restapi

import (
	"context"
	"net/http"

	"github.com/google/uuid"
)

// CreateProcess is B8. The second result says whether this call created the process (201) or found it (200).
func (c *Client) CreateProcess(ctx context.Context, params ProcessCreateParams) (Process, bool, error) {
	var process Process
	got, err := c.do(ctx, call{
		operation: "createProcess", method: http.MethodPost, path: "/processes",
		mediaType: mediaJSON, in: params, out: &process,
	})
	return process, got.status == http.StatusCreated, err
}

// RetrieveProcess is B9.
func (c *Client) RetrieveProcess(ctx context.Context, id uuid.UUID) (Process, error) {
	var process Process
	_, err := c.do(ctx, call{
		operation: "retrieveProcess", method: http.MethodGet, path: "/processes/" + id.String(), out: &process,
	})
	return process, err
}

// PatchProcessMetadata is B16. Paths point into the metadata's value.
func (c *Client) PatchProcessMetadata(ctx context.Context, id uuid.UUID, patch []PatchOperation) (Process, error) {
	var process Process
	_, err := c.do(ctx, call{
		operation: "patchProcessMetadata", method: http.MethodPatch, path: "/processes/" + id.String() + "/metadata",
		mediaType: mediaJSONPatch, in: patch, out: &process,
	})
	return process, err
}
