package resource

import (
	"fmt"
	"regexp"
	"strings"
)

// Selector selects resources by their labels: it matches a resource that has all of its pairs.
type Selector map[string]string

// labelKey matches the names of labels, as the schemas of resources do.
var labelKey = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_./-]{0,61}[A-Za-z0-9])?$`)

// ParseSelector parses "key=value" pairs separated by commas. Other operators, such
// as !=, are errors.
func ParseSelector(text string) (Selector, error) {
	selector := Selector{}
	for pair := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(pair, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if !ok || !labelKey.MatchString(key) {
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
