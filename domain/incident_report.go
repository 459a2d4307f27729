package domain

import (
	"time"

	"github.com/procession-dev/procession/domain/translation"
)

// IncidentReport is an incident for display. Subject and DefinitionName describe the process; Subject is "" if the
// process is not visible to the reader. Comments are set in the report of a single incident, the newest first. Times counts the incidents of the run since FirstAt.
type IncidentReport struct {
	Incident

	TenantCode     string
	Subject        string
	Visible        bool
	DefinitionName translation.Name
	Run            EngineRun
	Times          int
	FirstAt        time.Time
	// AssigneeName and AcknowledgedByName are names in the tenant, "" for none.
	AssigneeName, AcknowledgedByName string
	Comments                         []IncidentComment
}
