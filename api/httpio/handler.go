package httpio

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"
)

// gzipMinSize is the size in bytes from which JSON answers are compressed.
const gzipMinSize = 1024

type headKey struct{}

// Handler wraps an engine with steps before routing and after the response: it answers
// HEAD as GET without the body, treats several slashes at the start of a path as one
// (some clients join URLs that way), and compresses JSON of 1 KiB and more for clients
// that accept gzip, except responses with secrets.
func Handler(engine http.Handler) (http.Handler, error) {
	compress, err := gzhttp.NewWrapper(
		gzhttp.MinSize(gzipMinSize),
		gzhttp.ContentTypes([]string{"application/json", "text/html"}),
		gzhttp.SuffixETag(compressedTag),
	)
	if err != nil {
		return nil, fmt.Errorf("configuring compression: %w", err)
	}
	return compress(normalizeRequests(engine)), nil
}

func normalizeRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "//") {
			r = r.Clone(r.Context())
			r.URL.Path = "/" + strings.TrimLeft(r.URL.Path, "/")
			r.URL.RawPath = ""
		}
		if r.Method == http.MethodHead {
			r = r.WithContext(context.WithValue(r.Context(), headKey{}, true))
			r.Method = http.MethodGet
			w = bodiless{w}
		}
		next.ServeHTTP(w, r)
	})
}

// requestMethod returns the method the client used, also for a HEAD that is being
// answered as GET.
func requestMethod(r *http.Request) string {
	if IsHead(r.Context()) {
		return http.MethodHead
	}
	return r.Method
}

// IsHead reports whether the request that ctx belongs to asks for the headers of
// the answer alone.
func IsHead(ctx context.Context) bool {
	head, _ := ctx.Value(headKey{}).(bool)
	return head
}

// bodiless drops the body of an answer.
type bodiless struct{ http.ResponseWriter }

func (b bodiless) Write(data []byte) (int, error) { return len(data), nil }

// Unwrap gives http.ResponseController the writer beneath.
func (b bodiless) Unwrap() http.ResponseWriter { return b.ResponseWriter }
