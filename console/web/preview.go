package web

import (
	"mime"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
)

// Previewed returns the content type for showing a document in a frame, "" for one that can only be downloaded.
// Only raster images and PDFs keep their type, and texts become plain text, so that scripts in documents do not
// run.
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

// previewPolicy forbids a document to load files and to run scripts, and allows only the console to frame it.
// Browsers refuse PDFs in a sandbox; their viewers are isolated themselves.
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
