package administration_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

func TestManifestsListTaskQueues(t *testing.T) {
	t.Parallel()
	c := newConfigured(t)
	names := func(n, size int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(`"%0*d"`, size, i)
		}
		return strings.Join(list, ",")
	}
	lists := func(queues string) string { return `{"name":"Lister","engine":{"taskQueues":[` + queues + `]}}` }
	for queues, location := range map[string]string{
		``: "", `"q","q"`: "/1", `"temporal-sys-x"`: "/0", `"ok","/_sys/q"`: "/1", `""`: "/0",
		names(1, 256): "/0", names(51, 10): "",
		names(17, 250): "",
	} {
		details := c.requireRefusal(domain.CodeValidation, system(), document("Application", "north", "lister", lists(queues)))
		require.Equal(t, "/documents/0/spec/engine/taskQueues"+location, details[0].Location, details)
	}
	c.requireRefusal(domain.CodeValidation, system(), document("Application", "north", "lister", `{"name":"Lister","engine":{}}`))
	c.apply(system(), document("Application", "north", "lister", lists(names(15, 250))))

	// Queues given by other resources count too, and are refused there.
	claim := func(queue string) string {
		return `{"name":"Claim","engine":{"workflowType":"W","taskQueue":"claims","runner":"lister"},
			"userActions":[{"code":"CALL","name":"Call","type":"START_WORKFLOW","workflowType":"W","taskQueue":"` + queue +
			`","permissions":["MANAGER"]}],"permissions":{"initiators":[{"user":"ines"}]}}`
	}
	c.apply(system(), document("ProcessDefinition", "north", "SURVEY", claim(strings.Repeat("q", 250))))
	details := c.requireRefusal(domain.CodeValidation, system(), document("ProcessDefinition", "north", "REPAIR", claim(strings.Repeat("r", 250))))
	require.Equal(t, "/documents/0/spec/engine/runner", details[0].Location)
	require.Contains(t, details[0].Message, "Application lister task queues with names of ")
	c.apply(system(), document("ProcessDefinition", "north", "REPAIR", claim("claims")))
}
