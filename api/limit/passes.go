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

// note remembers credentials that held. Those that are known for most of the
// lifetime still are left as they are.
func (p *passes) note(credentials string, now time.Time) {
	hash := maphash.String(p.seed, credentials)
	if until, ok := p.until.Peek(hash); !ok || until.Sub(now) < passLifetime*9/10 {
		p.until.Add(hash, now.Add(passLifetime))
	}
}

func (p *passes) holds(credentials string, now time.Time) bool {
	until, ok := p.until.Peek(maphash.String(p.seed, credentials))
	return ok && now.Before(until)
}
