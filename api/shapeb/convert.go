package shapeb

import (
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/api/httpio"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
)

// optional leaves a member out of the answer when it has nothing to say.
func optional[T comparable](value T) *T {
	var nothing T
	if value == nothing {
		return nil
	}
	return &value
}

// given is the value of a member that may be absent, the zero value when it is.
func given[T any](value *T) T {
	if value == nil {
		var nothing T
		return nothing
	}
	return *value
}

// texts turns a list of words of the contract into words of the domain.
func texts[To, From ~string](values []From) []To {
	words := make([]To, len(values))
	for i, value := range values {
		words[i] = To(value)
	}
	return words
}

// audited is an Audit in the form that every audited resource of the contract
// embeds: in UTC, whatever zone the database driver speaks.
func audited(a domain.Audit) (createdBy *uuid.UUID, createdAt *time.Time, modifiedBy *uuid.UUID, modifiedAt *time.Time) {
	return &a.CreatedBy, new(a.CreatedAt.UTC()), &a.LastModifiedBy, new(a.LastModifiedAt.UTC())
}

// pageOf turns a page into its metadata and its content, which is an empty list
// rather than null when there is nothing.
func pageOf[From, To any](page domain.Page[From], convert func(*From) To) (oasb.PageMetadata, []To) {
	content := make([]To, len(page.Items))
	for i := range page.Items {
		content[i] = convert(&page.Items[i])
	}
	return oasb.PageMetadata{
		Size: page.Size, Page: page.Number, TotalElements: page.Total, TotalPages: page.TotalPages(),
	}, content
}

// listing makes a page request and sort keys of the parameters of a list.
func listing(size, page int, sort []string) (domain.PageRequest, []domain.SortKey) {
	return httpio.PageRequest(size, page), httpio.SortKeys(sort)
}

// principalKey names a principal by whichever of the two members was sent.
func principalKey(id *uuid.UUID, email *string) app.PrincipalKey {
	return app.PrincipalKey{ID: id, Email: given(email)}
}
