package administration_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// Tenants with sharedNamespace share a namespace of one cluster with each other only, and name their queues in full.
func TestTenantsThatShareANamespace(t *testing.T) {
	t.Parallel()
	c := newConfigured(t)
	tenant := func(code, more string) json.RawMessage {
		return document("Tenant", "", code, `{"name":"T","namespace":"common"`+more+`}`)
	}
	claims := func(tenant, queue string) json.RawMessage {
		return document("ProcessDefinition", tenant, "CLAIM", `{"name":"Claim","engine":{"workflowType":"Claim","taskQueue":"`+queue+`","runner":"worker"},"permissions":{"initiators":[{"application":"worker"}]}}`)
	}
	worker := func(tenant string) json.RawMessage {
		return document("Application", tenant, "worker", `{"name":"Worker"}`)
	}
	shares := `,"sharedNamespace":true`
	c.apply(system(), tenant("east", shares), worker("east"), claims("east", "east.claims"), tenant("west", shares), worker("west"))
	require.Equal(t, "common", c.namespace("west"))

	for at, documents := range map[string][]json.RawMessage{
		"/documents/0/spec/namespace":        {tenant("third", "")},
		"/documents/0/spec/sharedNamespace":  {tenant("west", "")},
		"/documents/0/spec/engine/taskQueue": {claims("west", "east.claims")},
		"/documents/1/spec/engine/taskQueue": {tenant("south-west", shares), claims("south-west", "south.claims"), worker("south-west")},
		"/documents/1/spec/namespace": {
			document("Tenant", "", "fourth", `{"name":"T","namespace":"other"}`),
			document("Tenant", "", "fifth", `{"name":"T","namespace":"other","sharedNamespace":true}`),
		},
	} {
		details := c.requireRefusal(domain.CodeValidation, system(), documents...)
		found := make([]string, len(details))
		for i := range details {
			found[i] = details[i].Location
		}
		require.Contains(t, found, at)
	}
	_, err := c.ApplyResources(t.Context(), system(), administration.ApplyRequest{Documents: []json.RawMessage{
		document("Application", "east", "worker", `{"name":"W","engine":{"taskQueues":["east.a","b"]}}`),
	}})
	require.ErrorContains(t, err, "not valid")
	require.Equal(t, 1, c.count(`SELECT count(*) FROM tenants WHERE id = $1 AND shared_namespace`, c.id(resource.KindTenant, "east", "east")))
}
