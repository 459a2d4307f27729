package manifest_test

import (
	"strings"
	"testing"

	"github.com/procession-dev/procession/domain/resource"
)

// Tenants, users, applications and groups.
func TestWrongIdentities(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	refuse(t, []wrong{
		{
			name: "an empty name",
			kind: resource.KindGroup,
			text: `  name: ""
`,
			want: []string{`5: spec.name: must not be empty`},
		},
		{
			name: "a blank name",
			kind: resource.KindGroup,
			text: `  name: "  "
`,
			want: []string{`5: spec.name: must be text on one line that is not blank`},
		},
		{
			name: "a name of two lines",
			kind: resource.KindGroup,
			text: `  name: "a\nb"
`,
			want: []string{`5: spec.name: must be text on one line that is not blank`},
		},
		{
			name: "a name that is too long",
			kind: resource.KindUser,
			text: `  name: ` + strings.Repeat("x", 256) + `
  email: a@b.example
`,
			want: []string{`5: spec.name: must have at most 255 characters`},
		},
		{
			name: "an unknown member with a likely other",
			kind: resource.KindGroup,
			text: `  name: G
  member: []
`,
			want: []string{`6: spec.member: is not a member of Group; did you mean members?`},
		},
		{
			name: "an unknown member",
			kind: resource.KindGroup,
			text: `  name: G
  description: none
`,
			want: []string{`6: spec.description: is not a member of Group, which has members and name`},
		},
		{
			name: "an unknown member",
			kind: resource.KindGroup,
			text: `  name: G
  members:
    - {}
`,
			want: []string{`7: spec.members[0]: must have exactly one of application or user`},
		},
		{
			name: "a member that is two",
			kind: resource.KindGroup,
			text: `  name: G
  members:
    - user: a
      application: b
`,
			want: []string{`7: spec.members[0]: must have exactly one of application or user`},
		},
		{
			name: "a member twice",
			kind: resource.KindGroup,
			text: `  name: G
  members:
    - user: a
    - application: a
    - user: a
`,
			want: []string{`9: spec.members[2]: names the same as the element at index 0`},
		},
		{
			name: "a group as a member",
			kind: resource.KindGroup,
			text: `  name: G
  members:
    - group: a
`,
			want: []string{`7: spec.members[0].group: is not a member of member, which has application and user`},
		},
		{
			name: "a user without an e-mail",
			kind: resource.KindUser,
			text: `  name: U
`,
			want: []string{`4: spec.email: is required`},
		},
		{
			name: "an e-mail that is none",
			kind: resource.KindUser,
			text: `  name: U
  email: alice at demo.example
`,
			want: []string{`6: spec.email: must be an e-mail address`},
		},
		{
			name: "a role that does not exist",
			kind: resource.KindUser,
			text: `  name: U
  email: u@demo.example
  role: KING
`,
			want: []string{`7: spec.role: must be one of OWNER, ADMINISTRATOR, MEMBER`},
		},
		{
			name: "a secret in the open",
			kind: resource.KindApplication,
			text: `  name: A
  secrets:
    - name: s
      sha256: demo-secret
`,
			want: []string{`8: spec.secrets[0].sha256: must be 64 lower-case hexadecimal digits`},
		},
		{
			name: "three secrets",
			kind: resource.KindApplication,
			text: `  name: A
  secrets:
    - {name: a, sha256: ` + strings.Repeat("a", 64) + `}
    - {name: b, sha256: ` + strings.Repeat("b", 64) + `}
    - {name: c, sha256: cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc}
`,
			want: []string{`6: spec.secrets: must have at most 2 elements`},
		},
		{
			name: "secrets of one name",
			kind: resource.KindApplication,
			text: `  name: A
  secrets:
    - {name: a, sha256: ` + strings.Repeat("a", 64) + `}
    - {name: a, sha256: ` + strings.Repeat("b", 64) + `}
`,
			want: []string{`8: spec.secrets[1].name: is the same as at index 0, and must be unique in the list`},
		},
		{
			name: "a secret under two names",
			kind: resource.KindUser,
			text: `  name: U
  email: u@demo.example
  accessTokens:
    - {name: a, sha256: ` + strings.Repeat("a", 64) + `}
    - {name: b, sha256: ` + strings.Repeat("a", 64) + `}
`,
			want: []string{`9: spec.accessTokens[1].sha256: is the same as at index 0, and must be unique in the list`},
		},
		{
			name: "a time that is none",
			kind: resource.KindApplication,
			text: `  name: A
  secrets:
    - name: a
      sha256: ` + strings.Repeat("a", 64) + `
      expiresAt: 2030-02-30T00:00:00Z
`,
			want: []string{`9: spec.secrets[0].expiresAt: must be a time such as 2030-01-31T12:00:00Z`},
		},
		{
			name: "a day for a time",
			kind: resource.KindApplication,
			text: `  name: A
  secrets:
    - name: a
      sha256: ` + strings.Repeat("a", 64) + `
      expiresAt: 2030-01-31
`,
			want: []string{`9: spec.secrets[0].expiresAt: must be a time such as 2030-01-31T12:00:00Z`},
		},
		{
			name: "a flag that is text",
			kind: resource.KindApplication,
			text: `  name: A
  disabled: "yes"
`,
			want: []string{`6: spec.disabled: must be true or false`},
		},
		{
			name: "a plan that does not exist",
			text: `apiVersion: procession/v1
kind: Tenant
metadata: {code: demo}
spec:
  name: D
  plan: GOLD
`,
			want: []string{`6: spec.plan: must be one of FREE, PREMIUM, UNLIMITED`},
		},
		{
			name: "a namespace that is reserved",
			text: `apiVersion: procession/v1
kind: Tenant
metadata: {code: demo}
spec:
  name: D
  namespace: temporal-system
`,
			want: []string{`6: spec.namespace: must not be procession or temporal-system`},
		},
		{
			name: "a namespace with a colon",
			text: `apiVersion: procession/v1
kind: Tenant
metadata: {code: demo}
spec:
  name: D
  namespace: a:b
`,
			want: []string{`6: spec.namespace: must be 1 to 63 lower-case letters, digits or '-', beginning with a letter`},
		},
		{
			name: "a time zone that is none",
			text: `apiVersion: procession/v1
kind: Tenant
metadata: {code: demo}
spec:
  name: D
  timeZone: somewhere
`,
			want: []string{`6: spec.timeZone: must be an IANA time zone such as Europe/Madrid`},
		},
		{
			name: "the time zone of the machine",
			text: `apiVersion: procession/v1
kind: Tenant
metadata: {code: demo}
spec:
  name: D
  timeZone: Local
`,
			want: []string{`6: spec.timeZone: must not be Local`},
		},
		{
			name: "a schema that is none",
			text: `apiVersion: procession/v1
kind: Tenant
metadata: {code: demo}
spec:
  name: D
  userMetadataSchema:
    type: object
    properties:
      age:
        type: int
`,
			want: []string{`10: spec.userMetadataSchema.properties.age.type: is not JSON Schema: value must be one of "array", "boolean", "integer", "null", "number", "object", "string"`},
		},
	})
}
