package shapeb

import (
	"github.com/google/uuid"

	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain/kuflowref"
)

// principalKey names a principal by whichever of the two members was sent.
func principalKey(id *uuid.UUID, email *string) app.PrincipalKey {
	return app.PrincipalKey{ID: id, Email: httpio.Deref(email)}
}

// uriOf returns the address of a resource.
func uriOf(kind kuflowref.KindOfResource, id uuid.UUID) *string {
	return new(kuflowref.Resource{Kind: kind, ID: id}.String())
}
