//go:build !race

package availability

import "time"

// boundTime is how long parsing and evaluating any expression may take.
const boundTime = 10 * time.Millisecond
