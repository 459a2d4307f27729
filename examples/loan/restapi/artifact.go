package restapi

import (
	"context"
	"net/http"
	"net/url"

	"github.com/google/uuid"
)

// RetrieveBusinessArtifact is B36.
func (c *Client) RetrieveBusinessArtifact(ctx context.Context, id uuid.UUID) (BusinessArtifact, error) {
	var artifact BusinessArtifact
	_, err := c.do(ctx, call{
		operation: "retrieveBusinessArtifact", method: http.MethodGet, path: artifactPath(id), out: &artifact,
	})
	return artifact, err
}

// PatchBusinessArtifactData is B39. Paths point into the data's value.
func (c *Client) PatchBusinessArtifactData(
	ctx context.Context, id uuid.UUID, patch []PatchOperation,
) (BusinessArtifact, error) {
	var artifact BusinessArtifact
	_, err := c.do(ctx, call{
		operation: "patchBusinessArtifactData", method: http.MethodPatch, path: artifactPath(id) + "/data",
		mediaType: mediaJSONPatch, in: patch, out: &artifact,
	})
	return artifact, err
}

// RetrieveBusinessArtifactAction is B41.
func (c *Client) RetrieveBusinessArtifactAction(ctx context.Context, artifactID, id uuid.UUID) (BusinessArtifactAction, error) {
	var action BusinessArtifactAction
	_, err := c.do(ctx, call{
		operation: "retrieveBusinessArtifactAction", method: http.MethodGet,
		path: artifactPath(artifactID) + "/actions/" + id.String(), out: &action,
	})
	return action, err
}

// UploadBusinessArtifactDocument is B44. It returns the reference by which values and results name the document.
func (c *Client) UploadBusinessArtifactDocument(
	ctx context.Context, id uuid.UUID, name, contentType string, content []byte,
) (string, error) {
	var uploaded struct {
		DocumentURI string `json:"documentUri"`
	}
	_, err := c.do(ctx, call{
		operation: "uploadBusinessArtifactDocument", method: http.MethodPost,
		path:  artifactPath(id) + "/~actions/upload-document",
		query: url.Values{"fileName": {name}, "fileContentType": {contentType}},
		body:  content, mediaType: mediaBytes, out: &uploaded,
	})
	return uploaded.DocumentURI, err
}

func artifactPath(id uuid.UUID) string { return "/business-artifacts/" + id.String() }
