package domain

import "time"

// IncidentReport is an incident as people read it. Subject and DefinitionName are those of the process; Subject is
// "" for a process that is not visible to the reader. Times counts the incidents of the run, the first of which is
// that of FirstAt.
type IncidentReport struct {
	Incident

	TenantCode     string
	Subject        string
	Visible        bool
	DefinitionName string
	Run            EngineRun
	Times          int
	FirstAt        time.Time
}
