package httpio

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"github.com/procession-dev/procession/domain"
)

// Download is the answer with a document, whole or in ranges. It implements RFC
// 9110's Range, If-Range, If-Match and If-None-Match, and sets Accept-Ranges
// and ETag.
type Download struct {
	// ContentType and Disposition are values of headers.
	ContentType, Disposition string
	// Vary names the request headers that the document depends on, "" for none.
	Vary string
	// Policy is the Content-Security-Policy, "" to deny all sources.
	Policy string
	SHA256 [32]byte
	// Content is closed once it is sent.
	Content io.ReadSeekCloser
	// Deliver is called before the first byte of the document is sent, which
	// its error prevents. Answers without content do not call it.
	Deliver func(context.Context) error

	request *http.Request
}

// NewDownload answers the request that ctx belongs to.
func NewDownload(
	ctx context.Context, contentType, disposition string, digest [32]byte, content io.ReadSeekCloser,
	deliver func(context.Context) error,
) *Download {
	e, _ := exchangeOf(ctx)
	return &Download{
		ContentType: contentType, Disposition: disposition, SHA256: digest, Content: content, Deliver: deliver,
		request: e.request,
	}
}

// setHeader sets the headers of the document.
func (d *Download) setHeader(header http.Header) {
	header.Set("Content-Type", d.ContentType)
	header.Set("Content-Disposition", d.Disposition)
	if d.Vary != "" {
		header.Add("Vary", d.Vary)
	}
	header.Set("ETag", `"`+hex.EncodeToString(d.SHA256[:])+`"`)
	// The client may cache it, but must revalidate each time, since rights may
	// change.
	header.Set("Cache-Control", "private, no-cache")
	// Scripts in the document must not run if a browser renders it.
	header.Set("Content-Security-Policy", cmp.Or(d.Policy, "default-src 'none'; sandbox"))
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	// Compressed, it would have neither its length nor its ranges.
	header.Set(gzhttp.HeaderNoCompression, "1")
}

// Serve writes the answer. A range that the document does not have and a
// precondition that does not hold are returned as domain errors, before anything
// is written.
func (d *Download) Serve(w http.ResponseWriter) error {
	defer func() { _ = d.Content.Close() }()
	if d.request == nil {
		return errors.New("sending a document: there is no request")
	}
	if !isReadable(d.request.Header.Get("Sec-Fetch-Dest")) {
		return domain.Denied("a document of a user cannot be loaded as a part of a page")
	}
	request, validRange, err := d.normalizedRequest()
	if err != nil {
		return fmt.Errorf("sending a document: %w", err)
	}
	header := w.Header()
	d.setHeader(header)
	out := &downloadWriter{ResponseWriter: w, deliver: func() error {
		if request.Method == http.MethodHead {
			return nil
		}
		return d.Deliver(request.Context())
	}}
	in := &downloadReader{ReadSeeker: d.Content}
	http.ServeContent(out, request, "", time.Time{}, in)
	if out.status != 0 {
		header.Del("Content-Disposition")
		header.Del("Content-Type")
		if out.denial != nil {
			header.Del("Content-Length")
			header.Del("Content-Range")
			header.Del("ETag")
		}
		header.Set("Cache-Control", "no-store")
	}
	switch {
	case out.status == http.StatusRequestedRangeNotSatisfiable:
		return outOfRange(validRange)
	case out.status == http.StatusPreconditionFailed:
		return &domain.Error{
			Kind: domain.KindPrecondition, Code: domain.CodePreconditionFailed, Message: "the document is another one",
		}
	case out.denial != nil:
		return fmt.Errorf("sending a document: %w", out.denial)
	case in.err != nil:
		return fmt.Errorf("sending a document: %w", in.err)
	case out.status != 0:
		return fmt.Errorf("sending a document: %d", out.status)
	}
	return nil
}

// normalizedRequest returns the request for net/http: with the client's method, ranges that net/http reads as RFC 9110
// says, and one field for each list of entity tags. validRange is false for a malformed Range.
func (d *Download) normalizedRequest() (request *http.Request, validRange bool, err error) {
	request = d.request.WithContext(d.request.Context())
	request.Method, request.Header = requestMethod(d.request), d.request.Header.Clone()
	for _, name := range []string{"If-Match", "If-None-Match"} {
		if fields := request.Header.Values(name); len(fields) > 1 {
			request.Header.Set(name, strings.Join(fields, ", "))
		}
	}
	validRange, err = normalizeRanges(request, d.Content)
	return request, validRange, err
}

func outOfRange(valid bool) error {
	detail := "is not within the document"
	if !valid {
		detail = "must be of the form bytes=0-499, bytes=500- or bytes=-500, with commas between several ranges"
	}
	return &domain.Error{
		Kind: domain.KindOutOfRange, Code: domain.CodeValidation, Message: "the document does not have the range",
		Details: []domain.Detail{{
			Code: domain.CodeValidation, Message: detail, Location: "Range", LocationType: domain.LocationHeader,
		}},
	}
}

// isReadable reports whether a document may be sent to a destination of a browser (Fetch Metadata, Sec-Fetch-Dest): to be
// saved, shown or read by a script, but never to be executed. Other clients send none.
func isReadable(destination string) bool {
	return slices.Contains([]string{"", "empty", "document", "iframe", "image", "audio", "video"}, destination)
}

// Inert returns the content type with which browsers are sent a document of a user: the type itself if they cannot
// execute, style or import it, and application/octet-stream otherwise.
func Inert(contentType string) string {
	mediaType, _, err := mime.ParseMediaType(contentType)
	kind, subtype, _ := strings.Cut(mediaType, "/")
	switch {
	case err != nil, strings.HasSuffix(subtype, "+xml"):
	case kind == "audio", kind == "video", kind == "image",
		mediaType == "text/plain", mediaType == "text/csv", mediaType == "application/pdf", mediaType == "application/zip",
		mediaType == "application/json", mediaType == "application/msword", strings.HasPrefix(mediaType, "application/vnd."):
		return contentType
	}
	return mediaBytes
}

// downloadReader remembers why a document could not be read.
type downloadReader struct {
	io.ReadSeeker
	err error
}

// Read reads from the document.
func (r *downloadReader) Read(p []byte) (int, error) {
	n, err := r.ReadSeeker.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

// downloadWriter holds refusals back, which have a form of their own here.
type downloadWriter struct {
	http.ResponseWriter
	deliver func() error
	// denial is the reason why the document must not be sent.
	denial error
	status int
}

// WriteHeader passes on every status that is not a refusal.
func (w *downloadWriter) WriteHeader(status int) {
	if status == http.StatusOK || status == http.StatusPartialContent {
		if w.denial = w.deliver(); w.denial != nil {
			status = http.StatusInternalServerError
		}
	}
	if status >= http.StatusBadRequest {
		w.status = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write passes on the document.
func (w *downloadWriter) Write(p []byte) (int, error) {
	if w.status != 0 {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}
