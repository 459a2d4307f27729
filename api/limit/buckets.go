package limit

import (
	"math"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"
)

// maxBuckets bounds how many callers are remembered by each limit. The one that
// asked longest ago is forgotten first; its bucket is full again by then, unless
// there are more callers than that within seconds.
const maxBuckets = 10_000

// buckets are token buckets by key. A nil value admits everything.
type buckets[K comparable] struct {
	policy Policy
	rate   rate.Limit
	known  *lru.Cache[K, *rate.Limiter]
}

// newBuckets makes buckets that fill with count tokens in a period, and hold times
// as much; nil without a count.
func newBuckets[K comparable](name string, count int, period time.Duration, times int) (*buckets[K], error) {
	if count <= 0 {
		return nil, nil //nolint:nilnil // nil lets everything through
	}
	known, err := lru.New[K, *rate.Limiter](maxBuckets)
	return &buckets[K]{
		policy: Policy{Name: name, Quota: count * times, Window: period * time.Duration(times)},
		rate:   rate.Limit(float64(count) / period.Seconds()),
		known:  known,
	}, err
}

// take takes a token.
func (b *buckets[K]) take(key K, now time.Time) Verdict {
	if b == nil {
		return Verdict{Allowed: true}
	}
	bucket, ok := b.known.Get(key)
	if !ok {
		bucket = rate.NewLimiter(b.rate, b.policy.Quota)
		if first, found, _ := b.known.PeekOrAdd(key, bucket); found {
			bucket = first
		}
	}
	allowed := bucket.AllowN(now, 1)
	return b.verdict(allowed, bucket.TokensAt(now))
}

// look reports whether there is a token.
func (b *buckets[K]) look(key K, now time.Time) Verdict {
	bucket, ok := b.known.Peek(key)
	if !ok {
		return Verdict{Policy: b.policy, Allowed: true, Remaining: b.policy.Quota}
	}
	tokens := bucket.TokensAt(now)
	return b.verdict(tokens >= 1, tokens)
}

func (b *buckets[K]) empty() bool { return b.known.Len() == 0 }

func (b *buckets[K]) verdict(allowed bool, tokens float64) Verdict {
	v := Verdict{Policy: b.policy, Allowed: allowed, Remaining: max(0, int(tokens))}
	if !allowed {
		v.Wait = time.Duration(math.Ceil(float64(time.Second) * (1 - tokens) / float64(b.rate)))
	}
	return v
}
