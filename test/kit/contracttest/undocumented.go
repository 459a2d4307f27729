package contracttest

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api/httpio"
)

// RunDocumented changes a valid request for an operation in ways that the contract
// allows: texts of the query become empty or another word, and members of the body
// are left out or, where they are texts, empty. It requires that no answer is 400
// because of the change: the contract has to document each refusal. except lists
// changes that are refused by rules that no schema can express, by their names, such as "query documentUri" and "body /tenantId".
func (c *Contract) RunDocumented(
	t *testing.T, client *http.Client, operationID string, valid func() *http.Request, except ...string,
) {
	t.Helper()
	op, err := c.byID(operationID)
	require.NoError(t, err)
	for _, input := range append(op.allowedQueries(valid), op.allowedBodies(t, valid)...) {
		if slices.Contains(except, input.LocationType+" "+input.Location) {
			continue
		}
		resp, err := client.Do(Invalid(input.Request))
		require.NoError(t, err, "%s/%s", operationID, input.Name)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		if resp.StatusCode != http.StatusBadRequest {
			continue
		}
		var answer ErrorBody
		require.NoError(t, json.Unmarshal(body, &answer))
		require.False(t, input.namedBy(answer.Errors), "%s/%s: the contract does not say so: %s", operationID, input.Name, body)
	}
}

func (op *operation) allowedQueries(valid func() *http.Request) []BadInput {
	var allowed []BadInput
	for _, param := range op.params {
		schema := param.Schema.Value
		if schema.Type.Is(openapi3.TypeArray) {
			schema = schema.Items.Value
		}
		if param.In != openapi3.ParameterInQuery || !schema.Type.Is(openapi3.TypeString) {
			continue
		}
		for _, value := range []string{"", badWord} {
			if schema.VisitJSON(value, httpio.StringFormats()) != nil {
				continue
			}
			request := valid()
			query := request.URL.Query()
			query.Set(param.Name, value)
			request.URL.RawQuery = query.Encode()
			allowed = append(allowed, BadInput{
				Name: fmt.Sprintf("query %s=%q", param.Name, value), Request: request,
				LocationType: "query", Location: param.Name,
			})
		}
	}
	return allowed
}

func (op *operation) allowedBodies(t *testing.T, valid func() *http.Request) []BadInput {
	t.Helper()
	described := op.route.Operation.RequestBody
	if described == nil || described.Value.Content["application/json"] == nil {
		return nil
	}
	data, err := io.ReadAll(valid().Body)
	require.NoError(t, err)
	var value map[string]any
	if json.Unmarshal(data, &value) != nil {
		return nil
	}
	schema := described.Value.Content["application/json"].Schema.Value
	var allowed []BadInput
	for _, name := range slices.Sorted(maps.Keys(value)) {
		without := maps.Clone(value)
		delete(without, name)
		empty := maps.Clone(value)
		empty[name] = ""
		for label, body := range map[string]map[string]any{"without": without, "empty": empty} {
			if schema.VisitJSON(body, httpio.StringFormats(), openapi3.VisitAsRequest()) != nil {
				continue
			}
			text, err := json.Marshal(body)
			require.NoError(t, err)
			request := valid()
			request.Body, request.ContentLength = io.NopCloser(strings.NewReader(string(text))), int64(len(text))
			allowed = append(allowed, BadInput{
				Name: label + " /" + name, Request: request, LocationType: "body", Location: "/" + name, Beneath: true,
			})
		}
	}
	return allowed
}
