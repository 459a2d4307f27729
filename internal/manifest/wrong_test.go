package manifest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/internal/manifest"
)

var (
	caseHeader = regexp.MustCompile(`(?m)^-- (.*?)(?: \((\w+)\))? --\n`)
	repetition = regexp.MustCompile(`\{(\w)\*(\d+)\}`)
)

// TestWrongManifests reads txtar files: a section per case, followed by a section with all
// expected violations as "line: path: message". If the name of a case is followed by a kind,
// its text is the spec, which begins in line 5. {x*3} stands for xxx and {kinds} for all kinds.
func TestWrongManifests(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/wrong/*.txtar")
	require.NoError(t, err)
	require.Len(t, files, 6)
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		text := repetition.ReplaceAllStringFunc(string(content), func(r string) string {
			n, _ := strconv.Atoi(repetition.FindStringSubmatch(r)[2])
			return strings.Repeat(r[1:2], n)
		})
		text = strings.ReplaceAll(text, "{kinds}", strings.Trim(strings.ReplaceAll(fmt.Sprint(resource.Kinds()), " ", ", "), "[]"))
		headers, bodies := caseHeader.FindAllStringSubmatch(text, -1), caseHeader.Split(text, -1)[1:]
		for i := 0; i < len(headers); i += 2 {
			t.Run(filepath.Base(file)+"/"+headers[i][1], func(t *testing.T) {
				t.Parallel()
				manifestText := bodies[i]
				if kind := headers[i][2]; kind != "" {
					manifestText = fmt.Sprintf("apiVersion: procession/v1\nkind: %s\nmetadata: {code: x, tenant: demo}\nspec:\n", kind) + manifestText
				}
				sources, err := manifest.Parse("f.yaml", []byte(manifestText))
				require.NoError(t, err)
				_, violations := decode(sources)
				require.Equal(t, strings.Split(strings.TrimSuffix(bodies[i+1], "\n"), "\n"), explainViolations(sources, violations))
			})
		}
	}
}

func explainViolations(sources []manifest.Source, violations []resource.Violation) []string {
	var lines []string
	for _, v := range violations {
		location := fmt.Sprintf("/documents/%d%s", v.Document, v.Pointer)
		place := manifest.Explain(sources, location)
		lines = append(lines, place[len("f.yaml:"):]+": "+v.Message)
	}
	return lines
}

func TestMissingReferences(t *testing.T) { //nolint:funlen // one folder of manifests
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
	presences := map[resource.Key]resource.Presence{
		{Tenant: "demo", Kind: resource.KindTenant, Code: "demo"}:     resource.Present,
		{Tenant: "demo", Kind: resource.KindUser, Code: "alice"}:      resource.Present,
		{Tenant: "demo", Kind: resource.KindGroup, Code: "REVIEWERS"}: resource.Pruned,
	}
	missing := resource.MissingReferences(documents, func(key resource.Key) resource.Presence { return presences[key] })
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
	}, explainViolations(sources, missing))
}
