package access

import (
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"sync/atomic"
	"time"
)

const (
	revocationsMaxBytes = 16 << 20

	// relistWait is the time for which an entry remains revoked after it left the list. Replicas behind one address may publish lists of different
	// age, and an entry must not be accepted again because the next read reached another replica.
	relistWait = 2 * time.Minute
)

// revocations contains the revoked, unexpired tokens and certificates. The zero value is empty.
type revocations struct {
	source *source
	clock  func() time.Time
	listed atomic.Pointer[revoked]
}

// revoked contains the last time on the list of each token (by jti) and certificate (by serial number).
type revoked struct {
	tokens, certificates map[string]time.Time
}

func newRevocations(o Options) *revocations {
	r := &revocations{clock: o.Clock}
	r.source = &source{
		name: "revocations", title: "revocations", url: o.RevocationsURL, interval: o.RevocationsRefresh, maxAge: o.MaxAge,
		maxBytes: revocationsMaxBytes, accept: r.mergeList,
		logger: o.Logger, metrics: o.Metrics, clock: o.Clock,
	}
	return r
}

func (r *revocations) isTokenRevoked(id string) bool {
	listed := r.listed.Load()
	if listed == nil {
		return false
	}
	_, found := listed.tokens[id]
	return found
}

// isCertificateRevoked reports whether a serial number is revoked. The number has lower-case hexadecimal digits without leading zeros.
func (r *revocations) isCertificateRevoked(serial string) bool {
	listed := r.listed.Load()
	if listed == nil {
		return false
	}
	_, found := listed.certificates[serial]
	return found
}

// mergeList adds the entries of a list and removes entries that were not listed for relistWait.
func (r *revocations) mergeList(content []byte) error {
	var list struct {
		GeneratedAt  time.Time `json:"generatedAt"`
		Tokens       []string  `json:"tokens"`
		Certificates []string  `json:"certificates"`
	}
	if err := json.Unmarshal(content, &list); err != nil {
		return err
	}
	if list.GeneratedAt.IsZero() {
		return errors.New("no time of generation is in it")
	}
	var before revoked
	if listed := r.listed.Load(); listed != nil {
		before = *listed
	}
	now := r.clock()
	r.listed.Store(&revoked{
		tokens:       mergeEntries(before.tokens, list.Tokens, now, func(id string) string { return id }),
		certificates: mergeEntries(before.certificates, list.Certificates, now, normalizeSerial),
	})
	return nil
}

func mergeEntries(before map[string]time.Time, named []string, now time.Time, normal func(string) string) map[string]time.Time {
	next := make(map[string]time.Time, len(named))
	maps.Copy(next, before)
	for _, name := range named {
		if key := normal(name); key != "" {
			next[key] = now
		}
	}
	maps.DeleteFunc(next, func(_ string, seen time.Time) bool { return now.Sub(seen) > relistWait })
	return next
}

func normalizeSerial(serial string) string {
	return strings.TrimLeft(strings.ToLower(serial), "0")
}
