package cli_test

import (
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
