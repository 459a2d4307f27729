package manifest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/manifest"
)

// wrong is a file that must be refused. Where a kind is given, the text is what
// follows spec, from line 5 on.
type wrong struct {
	name string
	kind resource.Kind
	text string
	// want are the violations as "line: path: message", all of them.
	want []string
}

func refuse(t *testing.T, cases []wrong) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text := c.text
			if c.kind != "" {
				text = fmt.Sprintf("apiVersion: procession/v1\nkind: %s\nmetadata: {code: x, tenant: demo}\nspec:\n", c.kind) + text
			}
			sources, err := manifest.Parse("f.yaml", []byte(text))
			require.NoError(t, err)
			_, violations := decode(sources)
			require.Equal(t, c.want, explained(sources, violations))
		})
	}
}

func explained(sources []manifest.Source, violations []resource.Violation) []string {
	var lines []string
	for _, v := range violations {
		location := fmt.Sprintf("/documents/%d%s", v.Document, v.Pointer)
		place := manifest.Explain(sources, location)
		lines = append(lines, place[len("f.yaml:"):]+": "+v.Message)
	}
	return lines
}

func TestMissingReferences(t *testing.T) { //nolint:funlen // one folder of manifests, and what is missing from it
	t.Parallel()
	sources, err := manifest.Parse("f.yaml", []byte(`apiVersion: procession/v1
kind: ProcessDefinition
metadata: {code: P, tenant: demo}
spec:
  name: P
  engine:
    workflowType: W
    taskQueue: Q
    runner: worker
  dataStructures: [D]
  items:
    - code: T
      type: TASK
      name: T
      candidates:
        - group: REVIEWERS
        - role: PROCESS_INITIATOR
      viewers:
        - user: bob
  userActions:
    - code: A
      name: A
      type: START_RELATED_PROCESS
      permissions: [MANAGER]
      processDefinition: P
    - code: B
      name: B
      type: START_RELATED_PROCESS
      permissions: [MANAGER]
      processDefinition: R
  permissions:
    initiators:
      - user: alice
    administrators:
      - application: builder
---
apiVersion: procession/v1
kind: BusinessArtifactDefinition
metadata: {code: C, tenant: demo}
spec:
  name: C
  actions:
    - {code: A, name: A, type: START_WORKFLOW, workflowType: W, taskQueue: Q, runner: worker}
    - {code: B, name: B, type: START_PROCESS, processDefinition: R}
    - {code: C, name: C, type: CREATE_BUSINESS_ARTIFACT, businessArtifactDefinition: D}
  permissions:
    editors:
      - group: REVIEWERS
---
apiVersion: procession/v1
kind: WebhookSubscription
metadata: {code: W, tenant: demo}
spec:
  name: W
  url: http://127.0.0.1:9000/
  processDefinition: R
---
apiVersion: procession/v1
kind: Group
metadata: {code: G, tenant: demo}
spec:
  name: G
  members:
    - user: alice
    - user: bob
    - application: worker
---
apiVersion: procession/v1
kind: Group
metadata: {code: G, tenant: absent}
spec:
  name: G
  members:
    - user: alice
---
apiVersion: procession/v1
kind: DataSource
metadata: {code: S, tenant: demo}
spec:
  name: S
  taskQueue: Q
  runner: worker
  encryptionKey: K
---
apiVersion: procession/v1
kind: DataStructure
metadata: {code: T, tenant: demo}
spec:
  name: T
  schema:
    properties:
      A: {type: string, format: kuflow-data-source, dataSource: S}
      B: {type: array, items: {type: string, format: kuflow-data-source, dataSource: GOODS}}
      C: {type: string, dataSource: GOODS}
`))
	require.NoError(t, err)
	documents, violations := decode(sources)
	require.Empty(t, violations)
	there := map[resource.Key]resource.Presence{
		{Tenant: "demo", Kind: resource.KindTenant, Code: "demo"}:     resource.Present,
		{Tenant: "demo", Kind: resource.KindUser, Code: "alice"}:      resource.Present,
		{Tenant: "demo", Kind: resource.KindGroup, Code: "REVIEWERS"}: resource.Pruned,
	}
	missing := resource.MissingReferences(documents, func(key resource.Key) resource.Presence { return there[key] })
	require.Equal(t, []string{
		"9: spec.engine.runner: there is no Application worker in the tenant demo",
		"10: spec.dataStructures[0]: there is no DataStructure D in the tenant demo",
		"16: spec.items[0].candidates[0].group: needs Group REVIEWERS, which would be pruned",
		"19: spec.items[0].viewers[0].user: there is no User bob in the tenant demo",
		"30: spec.userActions[1].processDefinition: there is no ProcessDefinition R in the tenant demo",
		"35: spec.permissions.administrators[0].application: there is no Application builder in the tenant demo",
		"43: spec.actions[0].runner: there is no Application worker in the tenant demo",
		"44: spec.actions[1].processDefinition: there is no ProcessDefinition R in the tenant demo",
		"45: spec.actions[2].businessArtifactDefinition: there is no BusinessArtifactDefinition D in the tenant demo",
		"48: spec.permissions.editors[0].group: needs Group REVIEWERS, which would be pruned",
		"56: spec.processDefinition: there is no ProcessDefinition R in the tenant demo",
		"65: spec.members[1].user: there is no User bob in the tenant demo",
		"66: spec.members[2].application: there is no Application worker in the tenant demo",
		"70: metadata.tenant: there is no tenant absent",
		"82: spec.runner: there is no Application worker in the tenant demo",
		"83: spec.encryptionKey: there is no EncryptionKey K in the tenant demo",
		"93: spec.schema.properties.B.items.dataSource: there is no DataSource GOODS in the tenant demo",
	}, explained(sources, missing))
}
