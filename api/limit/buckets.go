package limit

import (
	"math"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"
)

// maxBuckets bounds the callers that each limit remembers. The least recent one is
// forgotten first. Its bucket is full again by then, unless more callers than that
// arrive within seconds.
const maxBuckets = 10_000

// buckets are token buckets by key. A nil value admits everything.
type buckets[K comparable] struct {
	policy   Policy
	rate     rate.Limit
	limiters *lru.Cache[K, *rate.Limiter]
}

// newBuckets returns buckets that gain count tokens in a period and hold times as many.
// It returns nil if count is not positive.
func newBuckets[K comparable](name string, count int, period time.Duration, times int) (*buckets[K], error) {
	if count <= 0 {
		return nil, nil //nolint:nilnil // nil lets everything through
	}
	limiters, err := lru.New[K, *rate.Limiter](maxBuckets)
	return &buckets[K]{
		policy:   Policy{Name: name, Quota: count * times, Window: period * time.Duration(times)},
		rate:     rate.Limit(float64(count) / period.Seconds()),
		limiters: limiters,
	}, err
}

// takeToken takes a token from the bucket of key.
func (b *buckets[K]) takeToken(key K, now time.Time) Verdict {
	if b == nil {
		return Verdict{Allowed: true}
	}
	bucket, ok := b.limiters.Get(key)
	if !ok {
		bucket = rate.NewLimiter(b.rate, b.policy.Quota)
		if first, found, _ := b.limiters.PeekOrAdd(key, bucket); found {
			bucket = first
		}
	}
	allowed := bucket.AllowN(now, 1)
	return b.newVerdict(allowed, bucket.TokensAt(now))
}

// peek reports whether the bucket of key has a token, without taking it.
func (b *buckets[K]) peek(key K, now time.Time) Verdict {
	bucket, ok := b.limiters.Peek(key)
	if !ok {
		return Verdict{Policy: b.policy, Allowed: true, Remaining: b.policy.Quota}
	}
	tokens := bucket.TokensAt(now)
	return b.newVerdict(tokens >= 1, tokens)
}

func (b *buckets[K]) isEmpty() bool { return b.limiters.Len() == 0 }

func (b *buckets[K]) newVerdict(allowed bool, tokens float64) Verdict {
	v := Verdict{Policy: b.policy, Allowed: allowed, Remaining: max(0, int(tokens))}
	if !allowed {
		v.Wait = time.Duration(math.Ceil(float64(time.Second) * (1 - tokens) / float64(b.rate)))
	}
	return v
}
