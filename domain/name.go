package domain

import "github.com/google/uuid"

// Names are the names shown with references: of principals, and of versions of definitions of processes and of
// items.
type Names struct {
	Principals map[PrincipalInTenant]Principal
	Versions   map[uuid.UUID]string
}

// PrincipalInTenant identifies a principal under the name that a tenant gives it.
type PrincipalInTenant struct{ TenantID, ID uuid.UUID }
