package cli_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cli"
)

const doubtful = `apiVersion: procession/v1
kind: ProcessDefinition
metadata: {code: CLAIM, tenant: north}
spec:
  name: Claim
  engine: {workflowType: W, taskQueue: CLAIMS, runner: worker}
  permissions: {initiators: [{user: member}]}
  items:
    - {code: LONE, type: TASK, name: Lone, requireValidDataOnComplete: true}
    - code: FORM
      type: TASK
      name: Form
      candidates: [{group: REVIEWERS}]
      dataSchema:
        type: object
        properties:
          DAY: {type: string, format: dat}
      uiSchema:
        type: VerticalLayot
        elements:
          - {type: Control, scope: '#/properties/DAY'}
          - {type: Control, scope: '#/properties/NIGHT'}
          - {type: Control}
---
apiVersion: procession/v1
kind: Application
metadata: {code: other, tenant: north}
spec: {name: Other}
---
apiVersion: procession/v1
kind: ProcessDefinition
metadata: {code: POLICY, tenant: north}
spec:
  name: Policy
  engine: {workflowType: W, taskQueue: CLAIMS, runner: other}
  permissions: {initiators: [{user: member}]}
`

func TestApplyWarns(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	o := w.withInput(doubtful).runs("apply", "-f", "-")
	require.NoError(t, o.err)
	requireGolden(t, "warnings.txt", o.stderr)
	// The manifests of this test have no warnings.
	require.NotContains(t, w.runs("apply", "-f", "testdata/north").stderr, "warning")

	// The places of other documents in messages are those in the files.
	twice := w.withInput(group("SAME", "") + "---\n" + group("SAME", ""))
	require.Contains(t, twice.fails(cli.ExitUsage, "apply", "-f", "-"), "describes the same Group as -:1")
}

// jsonForms returns documents with forms that edit values as JSON, with a number of members in the data structure.
func jsonForms(members int) string {
	var odd strings.Builder
	for i := range members {
		fmt.Fprintf(&odd, "\n      M%d: {type: object, additionalProperties: false}", i)
	}
	return `apiVersion: procession/v1
kind: ProcessDefinition
metadata: {code: CLAIM, tenant: north}
spec:
  name: Claim
  metadataSchema: {type: object, properties: {M: {type: object, additionalProperties: false}}}
  entitySchema: {type: object, properties: {E: {type: object, additionalProperties: false, title: Extra}}}
  permissions: {initiators: [{user: member}]}
  items:
    - code: CHECK
      type: TASK
      name: Check
      candidates: [{group: REVIEWERS}]
      dataSchema: {type: object, properties: {TAGS: {type: array, items: {type: object, additionalProperties: false}}, NAME: {type: string}}}
---
apiVersion: procession/v1
kind: BusinessArtifactDefinition
metadata: {code: CAR, tenant: north}
spec:
  name: Car
  dataSchema: {type: object, properties: {D: {type: object, additionalProperties: false}}}
  actions:
    - {code: SELL, name: Sell, type: START_WORKFLOW, workflowType: Sell, taskQueue: CARS, runner: worker, inputSchema: {type: array}}
---
apiVersion: procession/v1
kind: DataStructure
metadata: {code: NOTE, tenant: north}
spec:
  name: Note
  schema:
    type: object
    properties:` + odd.String() + "\n"
}

func TestApplyWarnsOfValuesEditedAsJSON(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	o := w.withInput(jsonForms(1)).runs("apply", "--dry-run", "-f", "-")
	require.NoError(t, o.err, o.stderr)
	requireGolden(t, "warnings-forms.txt", o.stderr)
	o = w.withInput(jsonForms(30)).runs("apply", "--dry-run", "-f", "-")
	require.NoError(t, o.err)
	require.Equal(t, 20, strings.Count(o.stderr, "as JSON because"))
	require.Equal(t, 1, strings.Count(o.stderr, "warning: forms edit more than 20 values as JSON; the others are not listed"))
}

func TestWrongTasksInAvailability(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	wrong := `apiVersion: procession/v1
kind: ProcessDefinition
metadata: {code: CLAIM, tenant: north}
spec:
  name: Claim
  engine: {workflowType: W, taskQueue: CLAIMS, runner: worker}
  metadataSchema: {type: object, properties: {N: {type: string}}}
  permissions: {initiators: [{user: member}]}
  items: [{code: CHECK, type: TASK, name: Check, candidates: [{group: REVIEWERS}]}]
  userActions:
    - code: GO
      name: Go
      type: SEND_WORKFLOW_SIGNAL
      signalName: Go
      permissions: [MANAGER]
      availability: ${ .tasks.NOPE.state == "READY" and .tasks.CHECK.state == "READY" }
`
	require.Contains(t, w.withInput(wrong).fails(cli.ExitUsage, "apply", "-f", "-"), "names the task NOPE, which is not an item of type TASK")
}
