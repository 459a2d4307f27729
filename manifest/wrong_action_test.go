package manifest_test

import (
	"testing"

	"github.com/procession-dev/procession/domain/resource"
)

// The user actions of process definitions.
func TestWrongUserActions(t *testing.T) {
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
			want: []string{`14: spec.userActions[0].availability: is not an availability expression: column 4: env is not allowed: the functions are all, any, endswith, has, IN, keys, length, map, not, select and startswith`},
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
				`6: spec.engine.taskQueue: is a name that Temporal keeps for itself`,
				`14: spec.userActions[0].taskQueue: is a name that Temporal keeps for itself`,
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
				`15: spec.userActions[0].item: is only for CREATE_TASK`,
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
			name: "what only managers can do, without them",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  items:
    - {code: T, type: TASK, name: T}
  userActions:
    - {code: A, name: A, type: DOWNLOADABLE, permissions: [INITIATOR], workflowType: W, taskQueue: Q}
    - {code: B, name: B, type: START_RELATED_PROCESS, permissions: [VIEWER], processDefinition: P}
    - {code: C, name: C, type: CREATE_TASK, permissions: [INITIATOR, VIEWER], item: T}
`,
			want: []string{
				`10: spec.userActions[0].permissions: must contain MANAGER: only managers can invoke DOWNLOADABLE`,
				`11: spec.userActions[1].permissions: must contain MANAGER: only managers can invoke START_RELATED_PROCESS`,
				`12: spec.userActions[2].permissions: must contain MANAGER: only managers can invoke CREATE_TASK`,
			},
		},
		{
			name: "nobody",
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
			name: "somebody who does not exist",
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
