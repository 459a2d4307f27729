package domain

// AuditRecord is an event as people read it. ActorName is "" for an actor that has been removed, TenantCode for an
// event of no tenant.
type AuditRecord struct {
	Event

	ActorName  string
	TenantCode string
}
