package review_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/administration/review"
	"github.com/procession-dev/procession/domain/resource"
)

const doubtful = `{
	"apiVersion": "procession/v1", "kind": "ProcessDefinition", "metadata": {"code": "CLAIM", "tenant": "north"},
	"spec": {
		"name": "Claim", "permissions": {"initiators": [{"user": "member"}]},
		"engine": {"workflowType": "W", "taskQueue": "CLAIMS", "runner": "worker"},
		"metadataSchema": {"type": "object", "properties": {"ANY": {"type": "object", "additionalProperties": false}}},
		"items": [{
			"code": "FORM", "type": "TASK", "name": "Form", "requireValidDataOnComplete": true
		}, {
			"code": "LAYOUT", "type": "TASK", "name": "Layout", "candidates": [{"group": "REVIEWERS"}],
			"dataSchema": {"type": "object", "properties": {
				"DAY": {"type": "string", "format": "dat"}
			}},
			"uiSchema": {"type": "VerticalLayot", "elements": [{"type": "Control"}, {"type": "Control", "scope": "#/properties/NIGHT"}]}
		}]
	}
}`

const sharing = `{
	"apiVersion": "procession/v1", "kind": "ProcessDefinition", "metadata": {"code": "POLICY", "tenant": "north"},
	"spec": {
		"name": "Policy", "permissions": {"initiators": [{"user": "member"}]},
		"engine": {"workflowType": "W", "taskQueue": "CLAIMS", "runner": "other"}
	}
}`

// Each kind of warning names its place in the request.
func TestDocuments(t *testing.T) {
	t.Parallel()
	documents, violations := resource.Decode([]json.RawMessage{json.RawMessage(doubtful), json.RawMessage(sharing)})
	require.Empty(t, violations)
	found := map[review.Code]string{}
	for _, w := range review.Documents(t.Context(), documents) {
		require.NotEmpty(t, w.Message)
		found[w.Code] = w.Path
	}
	require.Equal(t, map[review.Code]string{
		review.NoCandidates:        "/documents/0/spec/items/0",
		review.NoSchema:            "/documents/0/spec/items/0/requireValidDataOnComplete",
		review.UnusedLayout:        "/documents/0/spec/items/1/uiSchema",
		review.UnknownElement:      "/documents/0/spec/items/1/uiSchema/type",
		review.ControlWithoutScope: "/documents/0/spec/items/1/uiSchema/elements/0",
		review.UnknownProperty:     "/documents/0/spec/items/1/uiSchema/elements/1/scope",
		review.UnknownFormat:       "/documents/0/spec/items/1/dataSchema/properties/DAY/format",
		review.EditedAsJSON:        "/documents/0/spec/metadataSchema/properties/ANY",
		review.SharedQueue:         "/documents/1/spec/engine/runner",
	}, found)
}
