package shapea_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api/openapi"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

// A validator of the published document accepts values of every type, because
// each fits exactly one branch.
func TestStrictValidatorAcceptsElements(t *testing.T) {
	t.Parallel()
	strict, err := contracttest.LoadStrict(openapi.ShapeA)
	require.NoError(t, err)
	s := apitest.NewService(t)
	process := *s.Survey(s.Surveys(), `,"elementValues":{"REF":[{"type":"STRING","value":"r"}],"SCORES":[{"type":"NUMBER","value":1}]}`).ID
	task := *s.Visit(process, "VISIT", "").ID
	for code, values := range map[string]string{
		"NOTE": `[{"type":"STRING","value":"n"}]`, "RATINGS": `[{"type":"NUMBER","value":1.5},{"type":"NUMBER"}]`,
		"REPORT":    `[{"type":"OBJECT","value":{"AGE":7,"id":"x","uri":"y"}},{"type":"OBJECT","value":{}}]`,
		"INSPECTOR": `[{"type":"PRINCIPAL","value":{"id":"` + demo.Bob().ID.String() + `","type":"USER"}}]`,
	} {
		s.Post(200, demo.Alice(), apitest.TaskPathA(task, apitest.SaveElementAction), apitest.SaveElement(code, values))
	}
	s.UploadPhoto(demo.Alice(), task, "photo", nil)
	for path, schema := range map[string]string{
		apitest.TaskPathA(task, ""): "Task", apitest.ShapeA + "/tasks": "TaskPage",
		apitest.ProcessPathA(process, ""): "Process", apitest.ShapeA + "/processes": "ProcessPage",
	} {
		got := s.Get(200, demo.Alice(), path)
		require.NoError(t, strict.Check([]byte(got.Body), "components", "schemas", schema))
		for _, kind := range []string{"STRING", "NUMBER", "OBJECT", "DOCUMENT", "PRINCIPAL"} {
			if kind == "STRING" || kind == "NUMBER" || schema[0] == 'T' {
				require.Contains(t, got.Body, `"type":"`+kind+`"`)
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
