package manifest_test

import (
	"testing"

	"github.com/procession-dev/procession/domain/resource"
)

// The items and elements of process definitions.
func TestWrongItems(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	refuse(t, []wrong{
		{
			name: "items of one code",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  items:
    - {code: A, type: TASK, name: A}
    - {code: B, type: TASK, name: B}
    - {code: A, type: THREAD, name: C}
`,
			want: []string{`10: spec.items[2].code: is the same as at index 0, and must be unique in the list`},
		},
		{
			name: "an item type that does not exist",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  items:
    - code: A
      type: MAIL
      name: A
`,
			want: []string{`9: spec.items[0].type: must be one of TASK, MESSAGE, THREAD`},
		},
		{
			name: "a robot that assists with nothing, and with what is no task",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  items:
    - {code: A, type: TASK, name: A, robot: {code: BOT}}
    - {code: B, type: THREAD, name: B, robot: {code: BOT, operation: O}}
`,
			want: []string{
				`8: spec.items[0].robot.operation: is required`,
				`9: spec.items[1].robot: is only for TASK`,
			},
		},
		{
			name: "a message with the members of a task",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  items:
    - code: A
      type: MESSAGE
      name: A
      form: true
      dataSchema: {}
      uiSchema: {}
      contextDataSchema: {}
      requireValidDataOnComplete: true
      elements: [{code: e, name: E, type: DOCUMENT}]
      assistance: {prompt: hello, answer: DRAFT, draftFields: [/A]}
      candidates: [{user: alice}]
      viewers: [{user: alice}]
`,
			want: []string{
				`17: spec.items[0].assistance.answer: DRAFT is only for TASK`,
				`18: spec.items[0].candidates: is only for TASK`,
				`14: spec.items[0].contextDataSchema: is only for TASK`,
				`12: spec.items[0].dataSchema: is only for TASK`,
				`16: spec.items[0].elements: is only for TASK`,
				`11: spec.items[0].form: is only for TASK`,
				`15: spec.items[0].requireValidDataOnComplete: is only for TASK`,
				`13: spec.items[0].uiSchema: is only for TASK`,
			},
		},
		{
			name: "a schema of an item that does not compile",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  items:
    - code: A
      type: TASK
      name: A
      dataSchema:
        type: object
        required: NAME
`,
			want: []string{`13: spec.items[0].dataSchema.required: is not JSON Schema: expected array, but got string`},
		},
		{
			name: "elements of one code",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  elements:
    - {code: A, name: A, type: FIELD}
    - {code: A, name: B, type: FIELD}
`,
			want: []string{`9: spec.elements[1].code: is the same as at index 0, and must be unique in the list`},
		},
		{
			name: "elements with what they have no use for",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  elements:
    - code: A
      name: A
      type: DOCUMENT
      fieldType: STRING
      schema: {}
      options: [{code: y, name: Y}]
`,
			want: []string{
				`11: spec.elements[0].fieldType: is only for FIELD`,
				`13: spec.elements[0].options: is only for DECISION`,
				`12: spec.elements[0].schema: is only for FORM`,
				`10: spec.elements[0].type: must be FIELD or DECISION for an element of a process: give elements of type DOCUMENT to a task`,
			},
		},
		{
			name: "elements without what they need",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  elements:
    - {code: A, name: A, type: FORM}
    - {code: B, name: B, type: DECISION}
`,
			want: []string{
				`8: spec.elements[0].schema: is required for FORM`,
				`8: spec.elements[0].type: must be FIELD or DECISION for an element of a process: give elements of type FORM to a task`,
				`9: spec.elements[1].options: is required for DECISION`,
			},
		},
		{
			name: "options of one code",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  elements:
    - code: A
      name: A
      type: DECISION
      options:
        - {code: y, name: Yes}
        - {code: y, name: No}
`,
			want: []string{`13: spec.elements[0].options[1].code: is the same as at index 0, and must be unique in the list`},
		},
		{
			name: "a draft without fields",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  items:
    - code: A
      type: TASK
      name: A
      assistance:
        prompt: hello
        answer: DRAFT
`,
			want: []string{`11: spec.items[0].assistance.draftFields: is required for DRAFT`},
		},
		{
			name: "several drafts of one text",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  items:
    - code: A
      type: TASK
      name: A
      assistance:
        prompt: hello
        answer: DRAFT
        draftFields: [/a, /b]
`,
			want: []string{`11: spec.items[0].assistance.outputSchema: is required for several draftFields: without it the answer is one text`},
		},
		{
			name: "a suggestion with fields",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  items:
    - code: A
      type: TASK
      name: A
      assistance:
        prompt: hello
        draftFields: [/a]
`,
			want: []string{`13: spec.items[0].assistance.draftFields: is only for the answer DRAFT`},
		},
		{
			name: "assistance out of bounds",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  items:
    - code: A
      type: TASK
      name: A
      assistance:
        prompt: hello {{ }}
        temperature: 2.5
        documents: [file, /a~2]
`,
			want: []string{
				`14: spec.items[0].assistance.documents[0]: must be a JSON Pointer such as /member`,
				`14: spec.items[0].assistance.documents[1]: must be a JSON Pointer such as /member`,
				`12: spec.items[0].assistance.prompt: has {{ }}, which is not a plain path such as {{ data.AMOUNT }}`,
				`13: spec.items[0].assistance.temperature: must be at most 2`,
			},
		},
		{
			name: "a grantee that is two",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  items:
    - code: A
      type: TASK
      name: A
      candidates:
        - user: alice
          group: REVIEWERS
        - {}
`,
			want: []string{
				`12: spec.items[0].candidates[0]: must have exactly one of application, group, role or user`,
				`14: spec.items[0].candidates[1]: must have exactly one of application, group, role or user`,
			},
		},
		{
			name: "a candidate twice",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  items:
    - code: A
      type: TASK
      name: A
      candidates:
        - group: REVIEWERS
        - group: REVIEWERS
`,
			want: []string{`13: spec.items[0].candidates[1]: names the same as the element at index 0`},
		},
		{
			name: "a role that no grantee can have",
			kind: resource.KindProcessDefinition,
			text: `  name: P
  permissions: {initiators: [{user: alice}]}
  items:
    - code: A
      type: TASK
      name: A
      candidates:
        - role: OWNER
`,
			want: []string{`12: spec.items[0].candidates[0].role: must be PROCESS_INITIATOR`},
		},
	})
}
