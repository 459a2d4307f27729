package domain

import (
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain/translation"
)

// IncidentGroup contains the open incidents of a tenant with one cause: the definition, the kind, the activity, the message
// without ids and numbers, and the build id of the worker. Latest is the newest incident.
type IncidentGroup struct {
	Fingerprint    string
	TenantCode     string
	Kind           IncidentKind
	Activity       string
	Worker         string
	Message        string
	DefinitionName translation.Name
	Count          int
	FirstAt        time.Time
	LastAt         time.Time
	Latest         uuid.UUID
}
