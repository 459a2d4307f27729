package domain

import "github.com/google/uuid"

// NewID makes an identifier that sorts by the time it was made (UUIDv7).
func NewID() uuid.UUID { return uuid.Must(uuid.NewV7()) }
