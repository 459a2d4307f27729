package api_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api/openapi"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/internal/testkit/contracttest"
)

// A validator of the published document accepts values of every type, because
// each fits exactly one branch.
func TestStrictValidatorAcceptsElements(t *testing.T) {
	t.Parallel()
	strict, err := contracttest.LoadStrict(openapi.ShapeA)
	require.NoError(t, err)
	s := newService(t)
	process := *s.survey(s.surveys(), `,"elementValues":{"REF":[{"type":"STRING","value":"r"}],"SCORES":[{"type":"NUMBER","value":1}]}`).ID
	task := *s.visit(process, "VISIT", "").ID
	for code, values := range map[string]string{
		"NOTE": `[{"type":"STRING","value":"n"}]`, "RATINGS": `[{"type":"NUMBER","value":1.5},{"type":"NUMBER"}]`,
		"REPORT":    `[{"type":"OBJECT","value":{"AGE":7,"id":"x","uri":"y"}},{"type":"OBJECT","value":{}}]`,
		"INSPECTOR": `[{"type":"PRINCIPAL","value":{"id":"` + demo.Bob().ID.String() + `","type":"USER"}}]`,
	} {
		s.post(200, demo.Alice(), taskPathA(task, saveElementAction), saveElement(code, values))
	}
	s.uploadPhoto(demo.Alice(), task, "photo", nil)
	for path, schema := range map[string]string{
		taskPathA(task, ""): "Task", shapeA + "/tasks": "TaskPage",
		processPathA(process, ""): "Process", shapeA + "/processes": "ProcessPage",
	} {
		got := s.get(200, demo.Alice(), path)
		require.NoError(t, strict.Check([]byte(got.body), "components", "schemas", schema))
		for _, kind := range []string{"STRING", "NUMBER", "OBJECT", "DOCUMENT", "PRINCIPAL"} {
			if kind == "STRING" || kind == "NUMBER" || schema[0] == 'T' {
				require.Contains(t, got.body, `"type":"`+kind+`"`)
			}
		}
	}
	for _, wrong := range []string{
		`{"type":"DOCUMENT","value":1}`, `{"type":"STRING","value":{}}`, `{"type":"OTHER"}`, `{"value":"x"}`,
		`{"type":"PRINCIPAL","value":{"name":"n"}}`,
	} {
		require.Error(t, strict.Check([]byte(wrong), "components", "schemas", "TaskElementValue"), wrong)
	}
}
