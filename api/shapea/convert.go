package shapea

import (
	"github.com/procession-dev/procession/api/httpio"
	oasa "github.com/procession-dev/procession/api/shapea/oas"
	"github.com/procession-dev/procession/domain"
)

// pageOf turns a page into its metadata and its content.
func pageOf[From, To any](page domain.Page[From], convert func(*From) To) (oasa.PageMetadata, []To) {
	metadata, content := httpio.PageOf(page, convert)
	return oasa.PageMetadata(metadata), content
}
