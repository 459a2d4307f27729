package contracttest

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"
)

// BodyMembers lists the members that a JSON body of the operation with the id may have, without the read-only ones.
func (c *Contract) BodyMembers(operationID string) []string {
	schema := c.bodySchema(operationID)
	if schema == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(schema.Properties)), func(name string) bool {
		return schema.Properties[name].Value.ReadOnly
	})
}

// bodySchema returns the schema of the JSON body of an operation, nil if it takes none.
func (c *Contract) bodySchema(operationID string) *openapi3.Schema {
	op, err := c.byID(operationID)
	if err != nil || op.route.Operation.RequestBody == nil {
		return nil
	}
	for media, described := range op.route.Operation.RequestBody.Value.Content {
		if media != "application/octet-stream" {
			return described.Schema.Value
		}
	}
	return nil
}

// RunNulls sends the valid request for an operation once without and once with a null for each optional member that
// its body can have at any depth, and requires the same answer: the same status, and the same error. It returns how
// many members there are.
func (c *Contract) RunNulls(t *testing.T, client *http.Client, operationID string, valid func() *http.Request) int {
	t.Helper()
	schema := c.bodySchema(operationID)
	if schema == nil {
		return 0
	}
	data, err := io.ReadAll(valid().Body)
	require.NoError(t, err)
	var value any
	require.NoError(t, json.Unmarshal(data, &value))
	send := func(body any) (status int, failure ErrorBody) {
		text, err := json.Marshal(body)
		require.NoError(t, err)
		request := valid()
		request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
		resp, err := client.Do(Invalid(request))
		require.NoError(t, err)
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		if resp.StatusCode < http.StatusBadRequest {
			// A repeated creation is answered with another status of success.
			return http.StatusOK, ErrorBody{}
		}
		require.NoError(t, json.Unmarshal(answer, &failure))
		failure.Timestamp = ""
		return resp.StatusCode, failure
	}
	send(value) // an operation that refuses repetitions does so from here on
	optional := optionalMembers(value, schema)
	for _, member := range optional {
		wantStatus, want := send(member.body(false))
		gotStatus, got := send(member.body(true))
		require.Equal(t, wantStatus, gotStatus, "%s with null at %s: %+v", operationID, member.name, got)
		require.Equal(t, want, got, "%s with null at %s", operationID, member.name)
	}
	return len(optional)
}

// An optionalMember makes bodies without and with a null at one place.
type optionalMember struct {
	name string
	body func(null bool) any
}

// optionalMembers lists the optional members of a value. Objects and arrays that the value lacks are tried with
// the minimum that their schema requires.
func optionalMembers(value any, schema *openapi3.Schema) []optionalMember {
	switch {
	case schema.Extensions["x-go-type"] == "json.RawMessage":
		return nil
	case schema.Type.Is(openapi3.TypeArray):
		return inArray(value, schema)
	case schema.Discriminator != nil:
		return inAlternatives(value, schema)
	}
	object, ok := value.(map[string]any)
	if !ok && len(schema.Properties) == 0 {
		return nil
	}
	var found []optionalMember
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		property := schema.Properties[name].Value
		if property.ReadOnly {
			continue
		}
		anything := property.Type.IsEmpty() && len(property.OneOf)+len(property.AllOf)+len(property.AnyOf) == 0
		if !anything && !property.PermitsNull() && !slices.Contains(schema.Required, name) {
			found = append(found, optionalMember{"/" + name, func(null bool) any {
				changed := maps.Clone(object)
				if changed == nil {
					changed = map[string]any{}
				}
				delete(changed, name)
				if null {
					changed[name] = nil
				}
				return changed
			}})
		}
		for _, inner := range optionalMembers(object[name], property) {
			found = append(found, optionalMember{"/" + name + inner.name, func(null bool) any {
				changed := maps.Clone(object)
				if changed == nil {
					changed = map[string]any{}
				}
				changed[name] = inner.body(null)
				return changed
			}})
		}
	}
	return found
}

func inArray(value any, schema *openapi3.Schema) []optionalMember {
	var first any
	if elements, ok := value.([]any); ok && len(elements) > 0 {
		first = elements[0]
	}
	found := optionalMembers(first, schema.Items.Value)
	for i, inner := range found {
		found[i] = optionalMember{"/0" + inner.name, func(null bool) any { return []any{inner.body(null)} }}
	}
	return found
}

// inAlternatives lists the members of every alternative that a discriminator chooses.
func inAlternatives(value any, schema *openapi3.Schema) []optionalMember {
	var found []optionalMember
	property := schema.Discriminator.PropertyName
	for _, name := range slices.Sorted(maps.Keys(schema.Discriminator.Mapping)) {
		object, ok := value.(map[string]any)
		if !ok || object[property] != name {
			object = map[string]any{property: name}
		}
		for _, branch := range schema.OneOf {
			if branch.Ref == schema.Discriminator.Mapping[name].Ref {
				found = append(found, optionalMembers(object, branch.Value)...)
			}
		}
	}
	return found
}
