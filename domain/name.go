package domain

import "github.com/google/uuid"

// Names are the names shown with references: of principals, and of versions of definitions of processes and of
// items.
type Names struct {
	Principals map[uuid.UUID]Principal
	Versions   map[uuid.UUID]string
}
