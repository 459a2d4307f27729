package limit

import (
	"hash/maphash"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

const (
	// passLifetime is how long valid credentials are exempt from the limit of
	// failed sign-ins.
	passLifetime = time.Hour
	maxPasses    = 20_000
)

// passes remembers valid credentials, by a hash of its own.
type passes struct {
	seed  maphash.Seed
	until *lru.Cache[uint64, time.Time]
}

func newPasses() (*passes, error) {
	until, err := lru.New[uint64, time.Time](maxPasses)
	return &passes{seed: maphash.MakeSeed(), until: until}, err
}

// addCredentials remembers valid credentials. Entries in the first tenth of their
// lifetime are not renewed.
func (p *passes) addCredentials(credentials string, now time.Time) {
	hash := maphash.String(p.seed, credentials)
	if until, ok := p.until.Peek(hash); !ok || until.Sub(now) < passLifetime*9/10 {
		p.until.Add(hash, now.Add(passLifetime))
	}
}

func (p *passes) hasCredentials(credentials string, now time.Time) bool {
	until, ok := p.until.Peek(maphash.String(p.seed, credentials))
	return ok && now.Before(until)
}
