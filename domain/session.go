package domain

import (
	"time"

	"github.com/google/uuid"
)

// Session is a browser that a user has signed in with. It was opened with a
// personal access token, of which CredentialSHA256 is the hash, or by the subject of
// an OpenID Connect issuer, and ends with that.
type Session struct {
	ID          uuid.UUID
	PrincipalID uuid.UUID
	// Name is the display name of the user.
	Name             string
	CredentialSHA256 []byte
	Issuer           string
	Subject          string
	// UserAgent is what the browser called itself when the session was opened.
	UserAgent  string
	CreatedAt  time.Time
	LastUsedAt time.Time
	// ExpiresAt is the time at which the session ends however much it is used.
	ExpiresAt time.Time
}
