package shapeb

import (
	"context"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
)

// RetrieveKmsKey is EXTRA: workers need it for payloads that are encrypted.
func (s *Server) RetrieveKmsKey(
	ctx context.Context, request oasb.RetrieveKmsKeyRequestObject,
) (oasb.RetrieveKmsKeyResponseObject, error) {
	found, err := s.app.RetrieveKmsKey(ctx, s.call(ctx), request.KeyID)
	if err != nil {
		return nil, err
	}
	return oasb.RetrieveKmsKey200JSONResponse{ID: found.KeyID, Value: []byte(found.Value.Reveal())}, nil
}
