package httpio

import (
	"context"
	"io"
	"net/http"

	"github.com/klauspost/compress/gzhttp"
)

// Attachment is the answer with a file that is written while it is sent. It has neither a length nor ranges.
type Attachment struct {
	// ContentType and Disposition are values of headers.
	ContentType, Disposition string
	// Vary names the request headers that the file depends on, "" for none.
	Vary string
	// Compress permits compression on the way. A ZIP would not become smaller.
	Compress bool
	// Write writes the file. Answers to HEAD do not call it.
	Write func(context.Context, io.Writer) error
}

// Serve writes the answer. An error before the first byte can still be answered; a later one ends the connection, so that the
// client knows that the file is not complete.
func (a *Attachment) Serve(ctx context.Context, w http.ResponseWriter) error {
	out := &attachmentWriter{ResponseWriter: w, attachment: a}
	if !IsHead(ctx) {
		if err := a.Write(ctx, out); err != nil {
			if out.begun {
				return cutOffError{err}
			}
			return err
		}
	}
	out.begin()
	return nil
}

// attachmentWriter sends the headers with the first byte.
type attachmentWriter struct {
	http.ResponseWriter
	attachment *Attachment
	begun      bool
}

func (w *attachmentWriter) begin() {
	if w.begun {
		return
	}
	w.begun = true
	header := w.Header()
	header.Set("Content-Type", w.attachment.ContentType)
	header.Set("Content-Disposition", w.attachment.Disposition)
	if w.attachment.Vary != "" {
		header.Add("Vary", w.attachment.Vary)
	}
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	if !w.attachment.Compress {
		header.Set(gzhttp.HeaderNoCompression, "1")
	}
	w.WriteHeader(http.StatusOK)
}

// Write passes on a part of the file.
func (w *attachmentWriter) Write(p []byte) (int, error) {
	w.begin()
	return w.ResponseWriter.Write(p)
}
