package contracttest

import (
	"slices"
	"strings"
	"sync"
)

// Pair is one documented answer of an operation. Status is a number or
// "default".
type Pair struct {
	OperationID string
	Status      string
}

// String returns the pair as "operationId status".
func (p Pair) String() string { return p.OperationID + " " + p.Status }

type coverage struct {
	mu   sync.Mutex
	seen map[Pair]int
}

func (c *coverage) record(pair Pair) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil {
		c.seen = map[Pair]int{}
	}
	c.seen[pair]++
}

// Missing lists the documented answers that no request through a Transport of
// this contract has received yet, in order. Operations named in ignore are
// left out.
func (c *Contract) Missing(ignore ...string) []Pair {
	c.coverage.mu.Lock()
	defer c.coverage.mu.Unlock()
	var missing []Pair
	for _, op := range c.operations {
		if slices.Contains(ignore, op.id) {
			continue
		}
		for status := range op.route.Operation.Responses.Map() {
			if pair := (Pair{OperationID: op.id, Status: status}); c.coverage.seen[pair] == 0 {
				missing = append(missing, pair)
			}
		}
	}
	slices.SortFunc(missing, func(a, b Pair) int { return strings.Compare(a.String(), b.String()) })
	return missing
}
