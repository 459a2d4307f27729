package domain

import "time"

// OwnAbsence is an absence of the reader, or one in which the reader is the substitute.
type OwnAbsence struct {
	Code string
	// TenantCode and TenantName are of the tenant of the absence.
	TenantCode, TenantName string
	// UserName is the name of the user who is absent, SubstituteName the one of the substitute.
	UserName, SubstituteName string
	StartsAt, EndsAt         time.Time
	// Mine reports whether the reader is absent, and not the substitute.
	Mine bool
}

// Lasts reports whether the absence has begun.
func (a *OwnAbsence) Lasts(now time.Time) bool {
	return !now.Before(a.StartsAt) && now.Before(a.EndsAt)
}

// OwnTenant is a tenant in which the reader is a user.
type OwnTenant struct{ Code, Name string }
