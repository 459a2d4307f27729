package domain

import "github.com/google/uuid"

// Names are what resources that refer to others are shown with: principals, and
// the names of versions of definitions of processes and of items.
type Names struct {
	Principals map[uuid.UUID]Principal
	Versions   map[uuid.UUID]string
}
