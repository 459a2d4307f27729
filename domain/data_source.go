package domain

import "github.com/google/uuid"

// DataSource is where forms get items to choose from. A worker that RunnerID runs
// on TaskQueue answers queries of it.
type DataSource struct {
	ID        uuid.UUID
	TenantID  uuid.UUID
	Code      string
	TaskQueue string
	RunnerID  uuid.UUID
	// EncryptionKey is the code of the key that payloads are encrypted with, empty
	// where they are plain.
	EncryptionKey string
}
