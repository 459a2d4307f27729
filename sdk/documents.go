package procession

import (
	"bytes"
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/sdk/rest"
)

// Document is a file to upload. Upload documents from activities: neither they nor the data of people have a place in
// the history of a workflow.
type Document struct {
	Name        string
	ContentType string
	Content     []byte
}

// UploadActionDocument delivers the document of a user action on a process, which completes the action. It reports
// whether the action still waited for one: it may have been canceled, or an earlier attempt has delivered it.
func (c *Client) UploadActionDocument(ctx context.Context, processID, userActionID uuid.UUID, document Document) (bool, error) {
	response, err := c.UploadProcessUserActionDocumentWithBody(ctx, processID, &rest.UploadProcessUserActionDocumentParams{
		UserActionValueID: userActionID, FileName: document.Name, FileContentType: document.ContentType,
	}, mediaBytes, bytes.NewReader(document.Content))
	if Status(err) == http.StatusNotModified {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, response.Body.Close()
}

// UploadProcessDocument uploads a document into a process and returns the reference by which values name it. Until one
// does, the service keeps it for a day.
func (c *Client) UploadProcessDocument(ctx context.Context, processID uuid.UUID, document Document) (string, error) {
	reference, err := Decode[rest.DocumentReference](c.UploadProcessDocumentWithBody(ctx, processID, &rest.UploadProcessDocumentParams{
		FileName: document.Name, FileContentType: document.ContentType,
	}, mediaBytes, bytes.NewReader(document.Content)))
	return reference.DocumentURI, err
}

// UploadArtifactDocument uploads a document into a business artifact and returns the reference by which values and the
// results of actions name it. Until one does, the service keeps it for two hours.
func (c *Client) UploadArtifactDocument(ctx context.Context, artifactID uuid.UUID, document Document) (string, error) {
	reference, err := Decode[rest.DocumentReference](c.UploadBusinessArtifactDocumentWithBody(ctx, artifactID, &rest.UploadBusinessArtifactDocumentParams{
		FileName: document.Name, FileContentType: document.ContentType,
	}, mediaBytes, bytes.NewReader(document.Content)))
	return reference.DocumentURI, err
}

// EncryptionKey returns the bytes of the key that payloads of workflows are encrypted with. A key that is unknown, or not
// for this application, is a *ResponseError with status 404.
func (c *Client) EncryptionKey(ctx context.Context, id string) ([]byte, error) {
	key, err := Decode[rest.KmsKey](c.RetrieveKmsKey(ctx, id))
	return key.Value, err
}
