//go:build race

package availability

import "time"

// boundTime is the bound under the race detector, which makes jq's loop some
// fifteen times slower.
const boundTime = 150 * time.Millisecond
