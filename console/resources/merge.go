package resources

import (
	"fmt"

	"github.com/aymanbagabas/go-udiff"
)

// Merge returns base with the changes of two texts. It returns false if they change the same or adjacent lines
// in different ways.
func Merge(base, ours, theirs string) (string, bool, error) {
	a, b := udiff.Lines(base, ours), udiff.Lines(base, theirs)
	for i, j := 0, 0; i < len(a) && j < len(b); {
		if a[i] != b[j] && a[i].Start <= b[j].End && b[j].Start <= a[i].End {
			return "", false, nil
		}
		if a[i].End < b[j].End {
			i++
		} else {
			j++
		}
	}
	edits, ok := udiff.Merge(a, b)
	if !ok {
		return "", false, nil
	}
	merged, err := udiff.Apply(base, edits)
	if err != nil {
		return "", false, fmt.Errorf("merging manifests: %w", err)
	}
	return merged, true, nil
}
