package httpio

import (
	"context"
	"net/http"

	"github.com/google/uuid"
)

// RequestIDHeader carries the id of a request in both directions.
const RequestIDHeader = "X-Request-Id"

const maxRequestIDLength = 128

type requestIDKey struct{}

// WithRequestID gives a request an id: the caller's, if it is 1..128 characters
// out of letters, digits and "-_.:", else a new UUIDv7. The id is echoed in the
// answer and travels in the returned context.
func WithRequestID(w http.ResponseWriter, r *http.Request) context.Context {
	id := r.Header.Get(RequestIDHeader)
	if !safeRequestID(id) {
		id = newRequestID()
	}
	w.Header().Set(RequestIDHeader, id)
	return context.WithValue(r.Context(), requestIDKey{}, id)
}

// RequestIDFrom returns the id of the request that ctx belongs to, or "" when
// it belongs to none.
func RequestIDFrom(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

func newRequestID() string {
	id, err := uuid.NewV7()
	if err != nil {
		return uuid.NewString()
	}
	return id.String()
}

func safeRequestID(id string) bool {
	if id == "" || len(id) > maxRequestIDLength {
		return false
	}
	for _, r := range []byte(id) {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		case r == '-' || r == '_' || r == '.' || r == ':':
		default:
			return false
		}
	}
	return true
}
