package contracttest

import (
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/domain"
)

// RequireFields requires that some request of the contract has a place for each of the fields, and that errors may name
// the place.
func (c *Contract) RequireFields(t require.TestingT, fields httpio.Fields) {
	for field := range fields {
		place := fields.Locate(domain.Detail{Field: field})
		require.True(t, slices.ContainsFunc(c.operations, func(op *operation) bool {
			if place.LocationType != domain.LocationBody {
				return slices.ContainsFunc(op.params, func(p *openapi3.Parameter) bool {
					return p.In == string(place.LocationType) && p.Name == place.Location
				})
			}
			return op.route.Operation.RequestBody != nil && slices.ContainsFunc(bodyPlaces(op.route.Operation), func(s *openapi3.SchemaRef) bool {
				return leadsTo(s, strings.Split(place.Location, "/")[1:])
			})
		}), "%s: no request of %s has %s %q", field, c.name, place.LocationType, place.Location)
	}
}

// bodyPlaces returns the schemas of the bodies of an operation.
func bodyPlaces(op *openapi3.Operation) []*openapi3.SchemaRef {
	var schemas []*openapi3.SchemaRef
	for _, media := range op.RequestBody.Value.Content {
		if media.Schema != nil {
			schemas = append(schemas, media.Schema)
		}
	}
	return schemas
}

// leadsTo reports whether the names lead through a schema.
func leadsTo(schema *openapi3.SchemaRef, names []string) bool {
	if len(names) == 0 {
		return true
	}
	if member := schema.Value.Properties[names[0]]; member != nil && leadsTo(member, names[1:]) {
		return true
	}
	for _, parts := range []openapi3.SchemaRefs{schema.Value.AllOf, schema.Value.OneOf} {
		if slices.ContainsFunc(parts, func(part *openapi3.SchemaRef) bool { return leadsTo(part, names) }) {
			return true
		}
	}
	return false
}
