package manifest_test

import (
	"testing"

	"github.com/procession-dev/procession/domain/resource"
)

// Process definitions but for their items and user actions.
func TestWrongProcessDefinitions(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	refuse(t, []wrong{
		{
			name: "published without initiators",
			kind: resource.KindProcessDefinition,
			text: `  name: P
`,
			want: []string{`4: spec.permissions.initiators: must name at least one initiator before the definition can be published: name one, or set state to DRAFT`},
		},
		{
			name: "a state that does not exist",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  state: READY
`,
			want: []string{`7: spec.state: must be one of DRAFT, PUBLISHED, RETIRED`},
		},
		{
			name: "an engine without a runner",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  engine:
    workflowType: W
    taskQueue: Q
`,
			want: []string{`7: spec.engine.runner: is required`},
		},
		{
			name: "the version of a key",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  engine: {workflowType: W, taskQueue: Q, runner: r, encryptionKey: loans.2}
`,
			want: []string{`7: spec.engine.encryptionKey: must be 1 to 50 letters, digits, '_' or '-', beginning with a letter or a digit`},
		},
		{
			name: "a signal shape that does not exist",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  engine: {workflowType: W, taskQueue: Q, runner: r, signalShape: C}
`,
			want: []string{`7: spec.engine.signalShape: must be one of A, B`},
		},
		{
			name: "a schema with a reference to itself",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  metadataSchema:
    $ref: "#"
`,
			want: []string{`8: spec.metadataSchema.$ref: refers to itself without ever reaching a value`},
		},
		{
			name: "a schema with references in a circle",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  entitySchema:
    properties:
      x:
        $ref: "#/$defs/a"
    $defs:
      a: {$ref: "#/$defs/b"}
      b: {allOf: [{$ref: "#/$defs/a"}]}
`,
			want: []string{`10: spec.entitySchema.properties.x.$ref: refers to itself without ever reaching a value`},
		},
		{
			name: "a schema with a remote reference",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  metadataSchema:
    type: object
    properties:
      address:
        $ref: https://example.com/address.json
`,
			want: []string{`11: spec.metadataSchema.properties.address.$ref: refers to https://example.com/address.json, which is outside the schema: put it under $defs and refer to it there`},
		},
		{
			name: "a schema with a reference to a file",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  metadataSchema:
    properties:
      address:
        items:
          $ref: file:///etc/passwd
`,
			want: []string{`11: spec.metadataSchema.properties.address.items.$ref: refers to file:///etc/passwd, which is outside the schema: put it under $defs and refer to it there`},
		},
		{
			name: "a schema with a reference to nothing",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  metadataSchema:
    properties:
      a:
        $ref: "#/$defs/missing"
`,
			want: []string{`10: spec.metadataSchema.properties.a.$ref: refers to #/$defs/missing, which does not exist`},
		},
		{
			name: "a schema with a pattern that is none",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  metadataSchema:
    properties:
      a:
        pattern: "("
`,
			want: []string{`10: spec.metadataSchema.properties.a.pattern: is not JSON Schema: '(' is not valid 'regex'`},
		},
		{
			name: "a schema that is text",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  metadataSchema: object
`,
			want: []string{`7: spec.metadataSchema: must be an object`},
		},
		{
			name: "a schema that costs too much",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  metadataSchema:
    properties:
      a:
        pattern: (a?b?){500}(a?b?){500}(a?b?){500}(a?b?){500}(a?b?){500}
`,
			want: []string{`7: spec.metadataSchema: a pattern of 55 characters is too complex`},
		},
		{
			name: "an index of no property",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  metadataSchema:
    properties:
      a: {type: string}
  metadataIndexes:
    - {field: a, type: STRING}
    - {field: b, type: STRING}
`,
			want: []string{`12: spec.metadataIndexes[1].field: is not one of the properties at the top of metadataSchema`},
		},
		{
			name: "an index without a schema",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  metadataIndexes:
    - {field: a, type: STRING}
`,
			want: []string{`8: spec.metadataIndexes[0].field: is not one of the properties at the top of metadataSchema`},
		},
		{
			name: "an index twice",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  metadataSchema: {properties: {a: {type: [string, number]}}}
  metadataIndexes:
    - {field: a, type: STRING}
    - {field: a, type: NUMBER}
`,
			want: []string{`10: spec.metadataIndexes[1].field: is the same as at index 0, and must be unique in the list`},
		},
		{
			name: "a template that does not end",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  subjectTemplate: Loan of {{ NAME
`,
			want: []string{`7: spec.subjectTemplate: has {{ without }}`},
		},
		{
			name: "a template with an expression",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  subjectTemplate: Loan of {{ NAME | upper }}
`,
			want: []string{`7: spec.subjectTemplate: has {{ NAME | upper }}, which is not a plain path such as {{ data.AMOUNT }}`},
		},
		{
			name: "the initiator's role where there is no process",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions:
    initiators:
      - role: PROCESS_INITIATOR
`,
			want: []string{`8: spec.permissions.initiators[0].role: only means something for the candidates and viewers of items: name a user, an application or a group`},
		},
		{
			name: "data structures twice",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  dataStructures: [a, a]
`,
			want: []string{`7: spec.dataStructures: must not have the same element twice`},
		},
	})
}
