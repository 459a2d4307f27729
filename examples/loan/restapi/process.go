package restapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"

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

// UploadProcessUserActionDocument is B14: it completes the user action with its document. The first result says whether
// the action still waited for one.
func (c *Client) UploadProcessUserActionDocument(
	ctx context.Context, id, userActionID uuid.UUID, name, contentType string, content []byte,
) (bool, error) {
	_, err := c.do(ctx, call{
		operation: "uploadProcessUserActionDocument", method: http.MethodPost,
		path: "/processes/" + id.String() + "/~actions/upload-user-action-document",
		query: url.Values{
			"userActionValueId": {userActionID.String()}, "fileName": {name}, "fileContentType": {contentType},
		},
		body: content, mediaType: mediaBytes,
	})
	if refused, ok := errors.AsType[*ResponseError](err); ok && refused.Status == http.StatusNotModified {
		return false, nil
	}
	return err == nil, err
}
