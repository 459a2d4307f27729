package resource_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// The schema and the page for administrators list the names of all public events.
func TestWebhookEventTypesAreThePublicEvents(t *testing.T) {
	t.Parallel()
	var names []string
	for _, version := range domain.PayloadVersions() {
		names = append(names, domain.PublicEventNames(version)...)
	}
	slices.Sort(names)
	names = slices.Compact(names)

	var schema struct {
		Properties struct {
			Spec struct {
				Properties struct {
					EventTypes struct {
						Items    struct{ Enum []string }
						MaxItems int
					}
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal(resource.Schema(resource.KindWebhookSubscription), &schema))
	types := schema.Properties.Spec.Properties.EventTypes
	require.ElementsMatch(t, names, types.Items.Enum)
	require.Len(t, names, types.MaxItems)

	page, err := os.ReadFile("../../docs/administration.md")
	require.NoError(t, err)
	for _, name := range names {
		require.Contains(t, string(page), "`"+name+"`")
	}
}
