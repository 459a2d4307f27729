package manifest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/procession-dev/procession/domain/resource"
)

// What every document has.
func TestWrongEnvelopes(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	refuse(t, []wrong{
		{
			name: "no version",
			text: `kind: Group
metadata: {code: g, tenant: demo}
spec: {name: G}
`,
			want: []string{`1: apiVersion: is required`},
		},
		{
			name: "another version",
			text: `apiVersion: procession/v2
kind: Group
metadata: {code: g, tenant: demo}
spec: {name: G}
`,
			want: []string{`1: apiVersion: must be procession/v1`},
		},
		{
			name: "no kind",
			text: `apiVersion: procession/v1
metadata: {code: g, tenant: demo}
spec: {name: G}
`,
			want: []string{`1: kind: is required`},
		},
		{
			name: "an unknown kind",
			text: `apiVersion: procession/v1
kind: group
metadata: {code: g, tenant: demo}
spec: {name: G}
`,
			want: []string{"2: kind: must be one of " + strings.Trim(strings.ReplaceAll(fmt.Sprint(resource.Kinds()), " ", ", "), "[]")},
		},
		{
			name: "no metadata",
			text: `apiVersion: procession/v1
kind: Group
spec: {name: G}
`,
			want: []string{`1: metadata: is required`},
		},
		{
			name: "no spec",
			text: `apiVersion: procession/v1
kind: Group
metadata: {code: g, tenant: demo}
spec:
`,
			want: []string{`4: spec: must be an object`},
		},
		{
			name: "an unknown member",
			text: `apiVersion: procession/v1
kind: Group
metadata: {code: g, tenant: demo}
spec: {name: G}
stat: {}
`,
			want: []string{`5: stat: is not a member of Group document, which has apiVersion, kind, metadata and spec`},
		},
		{
			name: "no code and no tenant",
			text: `apiVersion: procession/v1
kind: Group
metadata: {}
spec: {name: G}
`,
			want: []string{
				`3: metadata.code: is required`,
				`3: metadata.tenant: is required`,
			},
		},
		{
			name: "a code with a space",
			text: `apiVersion: procession/v1
kind: Group
metadata:
  code: a b
  tenant: demo
spec: {name: G}
`,
			want: []string{`4: metadata.code: must be 1 to 50 letters, digits, '_', '.' or '-', beginning with a letter or a digit`},
		},
		{
			name: "a code that is too long",
			text: `apiVersion: procession/v1
kind: Group
metadata:
  code: ` + strings.Repeat("x", 51) + `
  tenant: demo
spec: {name: G}
`,
			want: []string{`4: metadata.code: must be 1 to 50 letters, digits, '_', '.' or '-', beginning with a letter or a digit`},
		},
		{
			name: "a code that is a number",
			text: `apiVersion: procession/v1
kind: Group
metadata:
  code: 12
  tenant: demo
spec: {name: G}
`,
			want: []string{`4: metadata.code: must be a string`},
		},
		{
			name: "a tenant in capitals",
			text: `apiVersion: procession/v1
kind: Group
metadata: {code: g, tenant: Demo}
spec: {name: G}
`,
			want: []string{`3: metadata.tenant: must be 1 to 63 lower-case letters, digits or '-', beginning with a letter`},
		},
		{
			name: "an id that is none",
			text: `apiVersion: procession/v1
kind: Group
metadata:
  code: g
  tenant: demo
  id: 12ab
spec: {name: G}
`,
			want: []string{`6: metadata.id: must be a UUID such as 01970000-0000-7000-8000-0000000000a1`},
		},
		{
			name: "labels that are none",
			text: `apiVersion: procession/v1
kind: Group
metadata:
  code: g
  tenant: demo
  labels:
    -x: y
    team: a b
    level: 3
spec: {name: G}
`,
			want: []string{
				`7: metadata.labels["-x"]: must be named with 1 to 63 letters, digits, '_', '.', '/' or '-', beginning and ending with a letter or a digit`,
				`9: metadata.labels.level: must be a string`,
				`8: metadata.labels.team: must be up to 63 letters, digits, '_', '.' or '-', beginning and ending with a letter or a digit`,
			},
		},
		{
			name: "a tenant of a tenant",
			text: `apiVersion: procession/v1
kind: Tenant
metadata: {code: demo, tenant: demo}
spec: {name: D}
`,
			want: []string{`3: metadata.tenant: is not a member of metadata of a tenant, which has code, id and labels`},
		},
		{
			name: "a resource described twice",
			text: `apiVersion: procession/v1
kind: Group
metadata: {code: g, tenant: demo}
spec: {name: G}
---
apiVersion: procession/v1
kind: Group
metadata: {code: g, tenant: demo}
spec: {name: H}
`,
			want: []string{`8: metadata.code: describes the same Group as /documents/0`},
		},
		{
			name: "an id given twice",
			text: `apiVersion: procession/v1
kind: Group
metadata: {code: g, tenant: demo, id: 01970000-0000-7000-8000-000000000001}
spec: {name: G}
---
apiVersion: procession/v1
kind: Group
metadata: {code: h, tenant: demo, id: 01970000-0000-7000-8000-000000000001}
spec: {name: H}
`,
			want: []string{`8: metadata.id: is the same as that of /documents/0`},
		},
	})
}

// Every place that is wrong is reported.
func TestSeveralViolations(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	refuse(t, []wrong{
		{
			name: "all at once, in the order of the files",
			text: `apiVersion: procession/v1
kind: ProcessDefinition
metadata: {code: "a b", tenant: demo}
spec:
  title: P
  items:
    - code: T
      type: TASK
      dataSchema: {type: nothing}
    - {code: T, type: TASK, name: T}
  userActions:
    - {code: A, name: A, type: START_WORKFLOW, permissions: [MANAGER], workflowType: W, taskQueue: Q, availability: "${ . }"}
---
apiVersion: procession/v1
kind: Group
metadata: {code: g, tenant: demo}
spec: {name: 3}
`,
			want: []string{
				`3: metadata.code: must be 1 to 50 letters, digits, '_', '.' or '-', beginning with a letter or a digit`,
				`9: spec.items[0].dataSchema.type: is not JSON Schema: value must be one of "array", "boolean", "integer", "null", "number", "object", "string"`,
				`7: spec.items[0].name: is required`,
				`10: spec.items[1].code: is the same as at index 0, and must be unique in the list`,
				`4: spec.name: is required`,
				`4: spec.permissions.initiators: must name at least one initiator before the definition can be published: name one, or set state to DRAFT`,
				`5: spec.title: is not a member of ProcessDefinition, which has dataStructures, elements, engine, entitySchema, entityUiSchema, items, metadataIndexes, metadataSchema, metadataUiSchema, name, permissions, state, subjectTemplate and userActions`,
				`12: spec.userActions[0].availability: is not an availability expression: column 4: the result is never true or false: it is the whole model`,
				`17: spec.name: must be a string`,
			},
		},
		{
			name: "a number that takes too long",
			text: `apiVersion: procession/v1
kind: User
metadata: {code: u, tenant: demo}
spec:
  name: U
  email: u@demo.example
  metadata:
    size: 1e9999999
`,
			want: []string{`8: spec.metadata.size: is a number of more than 1000 characters or with an exponent beyond ±400`},
		},
		{
			name: "an unknown field deep inside",
			text: `apiVersion: procession/v1
kind: ProcessDefinition
metadata: {code: p, tenant: demo}
spec:
  name: P
  permissions: {initiators: [{user: alice}]}
  items:
    - code: T
      type: TASK
      name: T
      dataschema: {}
      assistance: {prompts: hello}
`,
			want: []string{
				`12: spec.items[0].assistance.prompt: is required`,
				`12: spec.items[0].assistance.prompts: is not a member of assistance; did you mean prompt?`,
				`11: spec.items[0].dataschema: is not a member of item; did you mean dataSchema?`,
			},
		},
	})
}
