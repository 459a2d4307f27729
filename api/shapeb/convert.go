package shapeb

import (
	"github.com/google/uuid"

	"github.com/procession-dev/procession/api/httpio"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/kuflowref"
)

// texts turns a list of words of the contract into words of the domain.
func texts[To, From ~string](values []From) []To {
	words := make([]To, len(values))
	for i, value := range values {
		words[i] = To(value)
	}
	return words
}

// pageOf turns a page into its metadata and its content.
func pageOf[From, To any](page domain.Page[From], convert func(*From) To) (oasb.PageMetadata, []To) {
	metadata, content := httpio.PageOf(page, convert)
	return oasb.PageMetadata(metadata), content
}

// principalKey names a principal by whichever of the two members was sent.
func principalKey(id *uuid.UUID, email *string) app.PrincipalKey {
	return app.PrincipalKey{ID: id, Email: httpio.Given(email)}
}

// uriOf is the address of a resource.
func uriOf(kind kuflowref.KindOfResource, id uuid.UUID) *string {
	return new(kuflowref.Resource{Kind: kind, ID: id}.String())
}
