package manifest_test

import (
	"testing"

	"github.com/procession-dev/procession/domain/resource"
)

// The user actions of process definitions.
func TestWrongUserActions(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	refuse(t, []wrong{
		{
			name: "bad jq",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  userActions:
    - code: A
      name: A
      type: START_WORKFLOW
      permissions: [MANAGER]
      workflowType: W
      taskQueue: Q
      availability: ${ .process.state == }
`,
			want: []string{`14: spec.userActions[0].availability: is not an availability expression: column 22: unexpected EOF`},
		},
		{
			name: "jq that is not allowed",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  userActions:
    - code: A
      name: A
      type: START_WORKFLOW
      permissions: [MANAGER]
      workflowType: W
      taskQueue: Q
      availability: ${ env.HOME == "x" }
`,
			want: []string{`14: spec.userActions[0].availability: is not an availability expression: column 4: env is not allowed: it is none of the functions that docs/process-definitions.md lists`},
		},
		{
			name: "jq without its braces",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  userActions:
    - code: A
      name: A
      type: START_WORKFLOW
      permissions: [MANAGER]
      workflowType: W
      taskQueue: Q
      availability: "true"
`,
			want: []string{`14: spec.userActions[0].availability: is not an availability expression: column 1: an expression is written as ${ ... }: it begins with ${`},
		},
		{
			name: "actions of one code",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  userActions:
    - {code: A, name: A, type: START_WORKFLOW, permissions: [MANAGER], workflowType: W, taskQueue: Q}
    - {code: A, name: A, type: START_WORKFLOW, permissions: [VIEWER], workflowType: W, taskQueue: Q}
`,
			want: []string{`9: spec.userActions[1].code: is the same as at index 0, and must be unique in the list`},
		},
		{
			name: "a workflow without a queue",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  userActions:
    - code: A
      name: A
      type: DOWNLOADABLE
      permissions: [MANAGER]
      workflowType: W
`,
			want: []string{`8: spec.userActions[0].taskQueue: is required for DOWNLOADABLE`},
		},
		{
			name: "task queues of Temporal's own",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  engine: {workflowType: W, taskQueue: temporal-sys-per-ns-tq, runner: worker}
  permissions: {initiators: [{user: alice}]}
  userActions:
    - code: A
      name: A
      type: START_WORKFLOW
      permissions: [MANAGER]
      workflowType: W
      taskQueue: /_sys/Q/1
`,
			want: []string{
				`6: spec.engine.taskQueue: is a name that Temporal or the service keeps for itself`,
				`14: spec.userActions[0].taskQueue: is a name that Temporal or the service keeps for itself`,
			},
		},
		{
			name: "a workflow with a task and a process",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  userActions:
    - code: A
      name: A
      type: START_WORKFLOW
      permissions: [MANAGER]
      workflowType: W
      taskQueue: Q
      processDefinition: P
      item: T
`,
			want: []string{
				`15: spec.userActions[0].item: is only for CREATE_TASK, CREATE_PROCESS_ITEM_MESSAGE or CREATE_PROCESS_ITEM_THREAD`,
				`14: spec.userActions[0].processDefinition: is only for START_RELATED_PROCESS`,
			},
		},
		{
			name: "a related process without a process",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  userActions:
    - code: A
      name: A
      type: START_RELATED_PROCESS
      permissions: [MANAGER]
`,
			want: []string{`8: spec.userActions[0].processDefinition: is required for START_RELATED_PROCESS`},
		},
		{
			name: "a task that is no item",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  userActions:
    - code: A
      name: A
      type: CREATE_TASK
      permissions: [MANAGER]
      item: T
`,
			want: []string{`12: spec.userActions[0].item: there is no item T of type TASK in this definition`},
		},
		{
			name: "a task that is a message",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  items:
    - {code: M, type: MESSAGE, name: M}
  userActions:
    - code: A
      name: A
      type: CREATE_TASK
      permissions: [MANAGER]
      item: M
`,
			want: []string{`14: spec.userActions[0].item: there is no item M of type TASK in this definition`},
		},
		{
			name: "items of other types, and none",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  items:
    - {code: T, type: TASK, name: T}
  userActions:
    - {code: A, name: A, type: CREATE_PROCESS_ITEM_MESSAGE, permissions: [VIEWER], item: T}
    - {code: B, name: B, type: CREATE_PROCESS_ITEM_MESSAGE, permissions: [VIEWER]}
    - {code: C, name: C, type: CREATE_PROCESS_ITEM_THREAD, permissions: [VIEWER]}
    - {code: D, name: D, type: CREATE_PROCESS_ITEM_THREAD, permissions: [VIEWER], item: T}
`,
			want: []string{
				`10: spec.userActions[0].item: there is no item T of type MESSAGE in this definition`,
				`12: spec.userActions[2].item: is required for CREATE_PROCESS_ITEM_THREAD`,
				`13: spec.userActions[3].item: there is no item T of type THREAD in this definition`,
			},
		},
		{
			name: "signals",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  engine: {workflowType: W, taskQueue: Q, runner: worker}
  userActions:
    - {code: A, name: A, type: SEND_WORKFLOW_SIGNAL, permissions: [VIEWER]}
    - {code: B, name: B, type: SEND_WORKFLOW_SIGNAL, permissions: [VIEWER], signalName: KuFlow_Engine_Signal_Process_Item}
    - {code: C, name: C, type: SEND_WORKFLOW_SIGNAL, permissions: [VIEWER], signalName: __temporal_x}
    - {code: D, name: D, type: SEND_WORKFLOW_SIGNAL, permissions: [VIEWER], signalName: Hurry, runner: worker}
    - {code: E, name: E, type: CREATE_PROCESS_ITEM_MESSAGE, permissions: [VIEWER], signalName: Hurry}
`,
			want: []string{
				`9: spec.userActions[0].signalName: is required for SEND_WORKFLOW_SIGNAL`,
				`10: spec.userActions[1].signalName: is a name that the service and Temporal keep to themselves`,
				`11: spec.userActions[2].signalName: is a name that the service and Temporal keep to themselves`,
				`12: spec.userActions[3].runner: is only for DOWNLOADABLE or START_WORKFLOW`,
				`13: spec.userActions[4].signalName: is only for SEND_WORKFLOW_SIGNAL`,
			},
		},
		{
			name: "a signal to no workflow",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  userActions:
    - code: A
      name: A
      type: SEND_WORKFLOW_SIGNAL
      permissions: [VIEWER]
      signalName: Hurry
`,
			want: []string{`10: spec.userActions[0].type: needs a process with an engine: there is no workflow to send a signal to`},
		},
		{
			name: "no principals",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  userActions:
    - code: A
      name: A
      type: START_WORKFLOW
      permissions: []
      workflowType: W
      taskQueue: Q
`,
			want: []string{`11: spec.userActions[0].permissions: must have at least 1 element`},
		},
		{
			name: "an unknown principal",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  userActions:
    - code: A
      name: A
      type: START_WORKFLOW
      permissions: [MANAGER, EVERYBODY]
      workflowType: W
      taskQueue: Q
`,
			want: []string{`11: spec.userActions[0].permissions[1]: must be one of INITIATOR, VIEWER, MANAGER`},
		},
	})
}
