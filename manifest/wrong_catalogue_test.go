package manifest_test

import (
	"strings"
	"testing"

	"github.com/procession-dev/procession/domain/resource"
)

// Data structures, artifacts, subscriptions and robots.
func TestWrongCatalogue(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	refuse(t, []wrong{
		{
			name: "a data structure without a schema",
			kind: resource.KindDataStructure,
			text: `  name: D
`,
			want: []string{`4: spec.schema: is required`},
		},
		{
			name: "a data structure whose schema does not compile",
			kind: resource.KindDataStructure,
			text: `  name: D
  schema:
    properties:
      a:
        minLength: -1
`,
			want: []string{`9: spec.schema.properties.a.minLength: is not JSON Schema: must be >= 0 but found -1`},
		},
		{
			name: "an enum that lists nothing",
			kind: resource.KindDataStructure,
			text: `  name: D
  schema:
    properties:
      a:
        enum: []
`,
			want: []string{`9: spec.schema.properties.a.enum: must list at least one value`},
		},
		{
			name: "an artifact's index of no property",
			kind: resource.KindBusinessArtifactDefinition,
			text: `  name: C
  dataSchema: {properties: {a: {}}}
  indexes:
    - field: b
      type: STRING
`,
			want: []string{`8: spec.indexes[0].field: is not one of the properties at the top of dataSchema`},
		},
		{
			name: "indexes of no values",
			kind: resource.KindBusinessArtifactDefinition,
			text: `  name: C
  dataSchema: {properties: {a: {type: string}, b: {type: [integer, "null"]}, c: {type: [string, number]}, d: {enum: [1]}}}
  indexes:
    - {field: a, type: NUMBER}
    - {field: b, type: DATE}
    - {field: c, type: NUMBER}
    - {field: d, type: STRING}
`,
			want: []string{
				`8: spec.indexes[0].type: is NUMBER, but a is of type string: it would index nothing`,
				`9: spec.indexes[1].type: is DATE, but b is of type integer or null: it would index nothing`,
			},
		},
		{
			name: "an index type that does not exist",
			kind: resource.KindBusinessArtifactDefinition,
			text: `  name: C
  dataSchema: {properties: {a: {}}}
  indexes:
    - field: a
      type: TEXT
`,
			want: []string{`9: spec.indexes[0].type: must be one of STRING, NUMBER, DATE`},
		},
		{
			name: "an artifact's actions of one code",
			kind: resource.KindBusinessArtifactDefinition,
			text: `  name: C
  actions:
    - {code: A, name: A, type: START_PROCESS, processDefinition: P}
    - {code: A, name: A, type: START_PROCESS, processDefinition: P}
`,
			want: []string{`8: spec.actions[1].code: is the same as at index 0, and must be unique in the list`},
		},
		{
			name: "an artifact's workflow without queue and runner",
			kind: resource.KindBusinessArtifactDefinition,
			text: `  name: C
  actions:
    - code: A
      name: A
      type: DOWNLOADABLE
      workflowType: W
`,
			want: []string{
				`7: spec.actions[0].runner: is required for DOWNLOADABLE`,
				`7: spec.actions[0].taskQueue: is required for DOWNLOADABLE`,
			},
		},
		{
			name: "a process with the input of a workflow",
			kind: resource.KindBusinessArtifactDefinition,
			text: `  name: C
  actions:
    - code: A
      name: A
      type: START_PROCESS
      inputSchema: {}
`,
			want: []string{
				`10: spec.actions[0].inputSchema: is only for START_WORKFLOW or DOWNLOADABLE`,
				`7: spec.actions[0].processDefinition: is required for START_PROCESS`,
			},
		},
		{
			name: "a workflow with a prefill",
			kind: resource.KindBusinessArtifactDefinition,
			text: `  name: C
  actions:
    - code: A
      name: A
      type: START_WORKFLOW
      workflowType: W
      taskQueue: q
      runner: r
      prefill: {a: b}
`,
			want: []string{`13: spec.actions[0].prefill: is only for CREATE_BUSINESS_ARTIFACT or START_PROCESS`},
		},
		{
			name: "a prefill from nowhere",
			kind: resource.KindBusinessArtifactDefinition,
			text: `  name: C
  dataSchema: {properties: {a: {}}}
  actions:
    - code: A
      name: A
      type: CREATE_BUSINESS_ARTIFACT
      businessArtifactDefinition: C
      prefill:
        a: a
        b: c
`,
			want: []string{`14: spec.actions[0].prefill.b: c is not one of the properties at the top of dataSchema`},
		},
		{
			name: "an editor by role",
			kind: resource.KindBusinessArtifactDefinition,
			text: `  name: C
  permissions:
    editors:
      - role: PROCESS_INITIATOR
`,
			want: []string{`8: spec.permissions.editors[0].role: only means something for the candidates and viewers of items: name a user, an application or a group`},
		},
		{
			name: "events of the other version",
			kind: resource.KindWebhookSubscription,
			text: `  name: W
  url: https://example.com/
  payloadVersion: A
  eventTypes: [PROCESS.STATE_CHANGED, PROCESS.CREATED]
`,
			want: []string{`8: spec.eventTypes[1]: is not an event of payload version A, which has PROCESS.STATE_CHANGED and TASK.STATE_CHANGED`},
		},
		{
			name: "events that do not exist",
			kind: resource.KindWebhookSubscription,
			text: `  name: W
  url: https://example.com/
  eventTypes: [TASK.DONE]
`,
			want: []string{`7: spec.eventTypes[0]: must be one of PROCESS.CREATED, PROCESS.STATE_CHANGED, PROCESS_ITEM.CREATED, PROCESS_ITEM.TASK_STATE_CHANGED, PROCESS.DELETED, BUSINESS_ARTIFACT.DELETED, BUSINESS_ARTIFACT.RESTORED, TASK.STATE_CHANGED`},
		},
		{
			name: "no events",
			kind: resource.KindWebhookSubscription,
			text: `  name: W
  url: https://example.com/
  eventTypes: []
`,
			want: []string{`7: spec.eventTypes: must have at least 1 element`},
		},
		{
			name: "a key in a document",
			kind: resource.KindEncryptionKey,
			text: `  description: Loans
  value: QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl8=
`,
			want: []string{`6: spec.value: is not a member of EncryptionKey, which has description and shared`},
		},
		{
			name: "a key described at length",
			kind: resource.KindEncryptionKey,
			text: `  description: ` + strings.Repeat("x", 1001) + `
`,
			want: []string{`5: spec.description: must have at most 1000 characters`},
		},
		{
			name: "a data source without a worker",
			kind: resource.KindDataSource,
			text: `  name: Goods
`,
			want: []string{`4: spec.runner: is required`, `4: spec.taskQueue: is required`},
		},
		{
			name: "a data source on the queue of the service",
			kind: resource.KindDataSource,
			text: `  name: Goods
  runner: worker
  taskQueue: procession-data-sources
  permissions:
    queriers: [{role: PROCESS_INITIATOR}]
`,
			want: []string{
				`9: spec.permissions.queriers[0].role: only means something for the candidates and viewers of items: name a user, an application or a group`,
				`7: spec.taskQueue: is a name that Temporal or the service keeps for itself`,
			},
		},
		{
			name: "a robot from elsewhere",
			kind: resource.KindRobot,
			text: `  name: R
  sourceType: GIT
`,
			want: []string{`6: spec.sourceType: must be one of PACKAGE, ROBOT_FRAMEWORK_PYTHON_WHEEL`},
		},
		{
			name: "a robot described at length",
			kind: resource.KindRobot,
			text: `  name: R
  description: ` + strings.Repeat("x", 4001) + `
`,
			want: []string{`6: spec.description: must have at most 4000 characters`},
		},
		{
			name: "a robot with a workflow without a runner",
			kind: resource.KindRobot,
			text: `  name: R
  workflowType: W
`,
			want: []string{`4: spec.runner: is required with workflowType`, `4: spec.taskQueue: is required with workflowType`},
		},
		{
			name: "a robot visible to initiators without a definition",
			kind: resource.KindRobot,
			text: `  name: R
  permissions:
    viewers: [{role: PROCESS_INITIATOR}]
`,
			want: []string{`7: spec.permissions.viewers[0].role: only means something for the candidates and viewers of items: name a user, an application or a group`},
		},
	})
}
