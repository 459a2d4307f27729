package domain

import "github.com/google/uuid"

// NewID returns a new identifier that sorts by its time of creation (UUIDv7).
func NewID() uuid.UUID { return uuid.Must(uuid.NewV7()) }
