package domain

import "time"

// CertificateMemory is how long an expired certificate is kept, so that its renewal is recorded.
const CertificateMemory = 90 * 24 * time.Hour

// The certificates of an installation.
const (
	CertificateAuthority = "authority"
	CertificateListener  = "listener"
	CertificateTemporal  = "temporal"
)

// Certificate is a certificate of the installation.
type Certificate struct {
	Name      string
	ExpiresAt time.Time
}

// DaysLeft returns the smallest threshold, in days, that the time until the expiry has reached: 30, 7, 1, or 0 for none.
func (c Certificate) DaysLeft(now time.Time) int {
	for _, days := range []int{1, 7, 30} {
		if c.ExpiresAt.Sub(now) <= time.Duration(days)*24*time.Hour {
			return days
		}
	}
	return 0
}
