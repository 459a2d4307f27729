package resource

import (
	"fmt"
	"strings"
)

// Selector selects resources by their labels: it matches a resource that has all of its pairs.
type Selector map[string]string

// ParseSelector parses "key=value" pairs separated by commas.
func ParseSelector(text string) (Selector, error) {
	selector := Selector{}
	for pair := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(pair, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if !ok || key == "" {
			return nil, fmt.Errorf("%q is not key=value", pair)
		}
		if _, twice := selector[key]; twice {
			return nil, fmt.Errorf("%q is given twice", key)
		}
		selector[key] = value
	}
	return selector, nil
}

// Matches reports whether labels have all pairs of the selector.
func (s Selector) Matches(labels map[string]string) bool {
	for key, value := range s {
		if got, ok := labels[key]; !ok || got != value {
			return false
		}
	}
	return true
}
