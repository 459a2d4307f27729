package admin

import (
	"fmt"
	"strings"
	"time"

	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// listOf converts every element, to an empty list rather than null when there
// is none.
func listOf[From, To any](items []From, convert func(*From) To) []To {
	converted := make([]To, len(items))
	for i := range items {
		converted[i] = convert(&items[i])
	}
	return converted
}

// keyOf returns the key of the resource that a path and a query name.
func keyOf[Kind ~string](kind Kind, code string, tenant *string) administration.ResourceKey {
	return administration.ResourceKey{Tenant: httpio.Deref(tenant), Kind: resource.Kind(kind), Code: code}
}

// selectorOf parses labels, each "name=value". Naming a label twice is refused,
// since no resource has two values of it.
func selectorOf(labels []string) (resource.Selector, error) {
	selector := resource.Selector{}
	for _, label := range labels {
		name, value, _ := strings.Cut(label, "=")
		if other, twice := selector[name]; twice && other != value {
			return nil, domain.Invalid(domain.LocationQuery, "label", fmt.Sprintf("asks for two values of %q", name))
		}
		selector[name] = value
	}
	return selector, nil
}

func inUTC(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	return new(t.UTC())
}
