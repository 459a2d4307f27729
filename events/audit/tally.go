package audit

import (
	"time"

	"github.com/procession-dev/procession/domain"
)

// tally counts the refusals of one kind since the last write.
type tally[K comparable] struct {
	entries map[K]*entry
	// sources counts the entries of each source.
	sources map[string]int
}

// entry is the count of equal refusals and the details of the first.
type entry struct {
	count       int
	source      string
	first, last time.Time
	from        Origin
	// tenantCodes are the tenants concerned; caller is the refused caller.
	tenantCodes []string
	caller      domain.Caller
}

// addEntry counts one more for the key, or for the common key once the limit of
// entries is reached.
func (t *tally[K]) addEntry(
	key, common K, source string, now time.Time, from Origin, tenantCodes []string, caller domain.Caller,
) {
	if existing, ok := t.entries[key]; ok {
		existing.count++
		existing.last = now
		return
	}
	t.putEntry(key, common, &entry{
		count: 1, source: source, first: now, last: now, from: from, tenantCodes: tenantCodes, caller: caller,
	})
}

// putEntry merges an entry into the tally.
func (t *tally[K]) putEntry(key, common K, e *entry) {
	if t.entries == nil {
		t.entries, t.sources = map[K]*entry{}, map[string]int{}
	}
	if len(t.entries) >= maxEntries || t.sources[e.source] >= maxPerSource {
		var none K
		key, e.tenantCodes = common, nil
		if _, ok := t.entries[common]; !ok && len(t.entries) >= 2*maxEntries {
			key, e.caller = none, domain.Caller{}
		}
	}
	if existing, ok := t.entries[key]; ok {
		existing.count += e.count
		if e.first.Before(existing.first) {
			existing.first = e.first
		}
		if e.last.After(existing.last) {
			existing.last = e.last
		}
		return
	}
	t.entries[key] = e
	t.sources[e.source]++
}

// takeEntries empties the tally and returns its entries.
func (t *tally[K]) takeEntries() map[K]*entry {
	taken := t.entries
	t.entries, t.sources = nil, nil
	return taken
}
