package domain

import (
	"time"

	"github.com/procession-dev/procession/domain/translation"
)

// IncidentReport is an incident for display. Subject and DefinitionName describe the process; Subject is "" if the
// process is not visible to the reader. Times counts the incidents of the run since FirstAt.
type IncidentReport struct {
	Incident

	TenantCode     string
	Subject        string
	Visible        bool
	DefinitionName translation.Name
	Run            EngineRun
	Times          int
	FirstAt        time.Time
}
