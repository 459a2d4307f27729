package restapi

import (
	"context"
	"net/http"
	"net/url"
)

// EncryptionKey is a key that payloads of workflows are encrypted with. Printing it does not show the key.
type EncryptionKey struct {
	ID    string   `json:"id"`
	Value KeyBytes `json:"value"`
}

// KeyBytes are the bytes of a key; JSON has them in base64.
type KeyBytes []byte

// String hides the key.
func (KeyBytes) String() string { return "[redacted]" }

// GoString hides the key.
func (KeyBytes) GoString() string { return "[redacted]" }

// RetrieveKmsKey reads the key with that id. A key that is unknown, or not for this application, is a *ResponseError
// with status 404.
func (c *Client) RetrieveKmsKey(ctx context.Context, id string) (EncryptionKey, error) {
	var key EncryptionKey
	_, err := c.do(ctx, call{
		operation: "retrieveKmsKey", method: http.MethodGet, path: "/kms/keys/" + url.PathEscape(id), out: &key,
	})
	return key, err
}
