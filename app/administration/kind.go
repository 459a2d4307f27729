package administration

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// kindHandler contains the steps of applying manifests of one kind, apart from storing them. Steps may be nil.
type kindHandler struct {
	// put writes the rows that follow from a manifest.
	put func(c *configuration, tx *persistence.Tx, w written) error
	// remove deletes these rows when the manifest is deleted.
	remove func(c *configuration, tx *persistence.Tx, a AppliedResource, tenant uuid.UUID, now time.Time)
	// identify returns the id of a resource that exists without a manifest.
	identify func(c *configuration, d *resource.Document) (uuid.UUID, bool)
	// check reports a change that is not possible.
	check func(c *configuration, d *resource.Document) *resource.Violation
}

// written is a manifest that is being written.
type written struct {
	*resource.Document

	id, tenant uuid.UUID
	audit      domain.Audit
}

// kindHandlers has an entry for every kind.
func kindHandlers() map[resource.Kind]kindHandler {
	return map[resource.Kind]kindHandler{
		resource.KindTenant:                     tenantHandler(),
		resource.KindUser:                       userHandler(),
		resource.KindApplication:                applicationHandler(),
		resource.KindGroup:                      groupHandler(),
		resource.KindDataStructure:              {},
		resource.KindEncryptionKey:              encryptionKeyHandler(),
		resource.KindDataSource:                 dataSourceHandler(),
		resource.KindCalendar:                   {},
		resource.KindProcessDefinition:          processDefinitionHandler(),
		resource.KindBusinessArtifactDefinition: artifactDefinitionHandler(),
		resource.KindWebhookSubscription:        webhookHandler(),
		resource.KindRobot:                      robotHandler(),
		resource.KindNotificationReceiver:       notificationReceiverHandler(),
		resource.KindAbsence:                    absenceHandler(),
	}
}

// putSpec creates a put of a function that takes the spec of its kind.
func putSpec[S any](
	put func(*configuration, *persistence.Tx, written, *S) error,
) func(*configuration, *persistence.Tx, written) error {
	return func(c *configuration, tx *persistence.Tx, w written) error {
		spec, ok := w.Spec.(any).(*S)
		if !ok {
			return fmt.Errorf("%s has a spec of type %T", w.Kind, w.Spec)
		}
		return put(c, tx, w, spec)
	}
}

// checkSpec creates a check of a function that takes the spec of its kind.
func checkSpec[S any](
	check func(*configuration, *resource.Document, *S) *resource.Violation,
) func(*configuration, *resource.Document) *resource.Violation {
	return func(c *configuration, d *resource.Document) *resource.Violation {
		if spec, ok := d.Spec.(any).(*S); ok {
			return check(c, d, spec)
		}
		return nil
	}
}
