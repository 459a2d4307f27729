package limit

import (
	"hash/maphash"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

const (
	// passLifetime is how long credentials that held are told from guesses.
	passLifetime = time.Hour
	maxPasses    = 20_000
)

// passes remember which credentials held, by a hash that is good for nothing else.
type passes struct {
	seed  maphash.Seed
	until *lru.Cache[uint64, time.Time]
}

func newPasses() (*passes, error) {
	until, err := lru.New[uint64, time.Time](maxPasses)
	return &passes{seed: maphash.MakeSeed(), until: until}, err
}

func (p *passes) note(credentials string, now time.Time) {
	p.until.Add(maphash.String(p.seed, credentials), now.Add(passLifetime))
}

func (p *passes) holds(credentials string, now time.Time) bool {
	until, ok := p.until.Peek(maphash.String(p.seed, credentials))
	return ok && now.Before(until)
}
