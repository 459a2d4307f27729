package web

import (
	"mime"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
)

// Previewed returns the type as which a document of a content type is shown in a frame,
// "" for one that is only offered for saving. What could run something is never shown as
// what it is: of images only those that are pixels, and every text as plain text.
func Previewed(contentType string) string {
	mediaType, _, err := mime.ParseMediaType(contentType)
	switch {
	case err != nil:
		return ""
	case mediaType == "image/png", mediaType == "image/jpeg", mediaType == "image/gif", mediaType == "image/webp", mediaType == "application/pdf":
		return mediaType
	case mediaType == "text/html", mediaType == "text/xml":
		return ""
	case strings.HasPrefix(mediaType, "text/"), mediaType == "application/json", mediaType == "application/yaml":
		return "text/plain; charset=utf-8"
	}
	return ""
}

// previewPolicy lets a document load nothing, run nothing and be shown by the console
// only. The viewers of browsers refuse PDFs in a sandbox, and are one by themselves.
const previewPolicy = "default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'"

// Preview returns the answer that shows a document in a frame, or NOT_FOUND for one that
// is only offered for saving.
func Preview(d *app.Download) (*Answer, error) {
	shown := Previewed(d.ContentType)
	if shown == "" {
		_ = d.Content.Close()
		return nil, domain.NotFound("preview")
	}
	return &Answer{serve: func(c *gin.Context) error {
		policy := previewPolicy
		if shown != "application/pdf" {
			policy += "; sandbox"
		}
		answer := httpio.NewDownload(httpio.RequestContext(c), shown, "inline", d.SHA256, d.Content, d.Deliver)
		answer.Policy = policy
		return answer.Serve(c.Writer)
	}}, nil
}
