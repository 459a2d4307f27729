package reference

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/procession-dev/procession/api/openapi"
	"github.com/procession-dev/procession/domain/shell"
)

// placeholder is a parameter in a path.
var placeholder = regexp.MustCompile(`\{([^}]+)\}`)

// curlCommand returns the arguments of a call of an operation, its path first. The shell variables in it have the names of
// parameters; TOKEN is an access token.
func curlCommand(method, path string, parameters openapi3.Parameters, body openapi3.Content) string {
	line := placeholder.ReplaceAllString(path, "$${$1}")
	headers := []string{"Authorization: Bearer $TOKEN"}
	var query []string
	for _, p := range parameters {
		switch {
		case !p.Value.Required:
		case p.Value.In == openapi3.ParameterInQuery:
			query = append(query, p.Value.Name+"=${"+p.Value.Name+"}")
		case p.Value.In == openapi3.ParameterInHeader:
			headers = append(headers, p.Value.Name+": $"+strings.ReplaceAll(p.Value.Name, "-", "_"))
		}
	}
	if len(query) > 0 {
		line += "?" + strings.Join(query, "&")
	}
	line += `"`
	if method != "GET" {
		line += " \\\n  --request " + method
	}
	mediaType, data := sampleBody(body)
	if mediaType != "" {
		headers = append(headers, "Content-Type: "+mediaType)
	}
	for _, h := range headers {
		line += " \\\n  --header \"" + h + `"`
	}
	return line + data
}

// sampleBody returns the media type of a sample of a body, and the argument that sends it.
func sampleBody(body openapi3.Content) (mediaType, argument string) {
	if of, ok := body["application/json"]; ok {
		return "application/json", " \\\n  --data " + shell.Text(sampleJSON(of.Schema))
	}
	for mediaType := range body {
		return mediaType, " \\\n  --data-binary @file"
	}
	return "", ""
}

// sampleJSON returns a sample for a schema as JSON.
func sampleJSON(of *openapi3.SchemaRef) string {
	var written bytes.Buffer
	encoder := json.NewEncoder(&written)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(sampleValue(of, nil)) //nolint:errchkjson // samples are valid JSON
	return strings.TrimSpace(written.String())
}

// sampleValue returns a value with the required members of a schema. It leaves out members of recursive schemas.
func sampleValue(ref *openapi3.SchemaRef, within []string) any {
	if ref == nil || ref.Value == nil {
		return map[string]any{}
	}
	name, parts := nameOf(ref), partsOf(ref.Value)
	if name != "" {
		if slices.Contains(within, name) {
			return map[string]any{}
		}
		within = append(slices.Clone(within), name)
	}
	members := map[string]any{}
	for _, part := range parts {
		switch {
		case len(part.Examples) > 0:
			return part.Examples[0]
		case part.Default != nil:
			return part.Default
		case len(part.Enum) > 0:
			return part.Enum[0]
		case part.Type.Is(openapi3.TypeArray):
			return []any{sampleValue(part.Items, within)}
		case len(part.OneOf) > 0 && part.OneOf[0].Ref != "":
			return sampleValue(part.OneOf[0], within)
		case part.Type != nil && !part.Type.Is(openapi3.TypeObject):
			return sampleScalar(part)
		}
		addSamples(members, parts, part, within)
	}
	return members
}

// addSamples adds the members of a part of a schema that one of the parts needs.
func addSamples(to map[string]any, parts []*openapi3.Schema, part *openapi3.Schema, within []string) {
	for name, of := range part.Properties {
		needed := slices.ContainsFunc(parts, func(p *openapi3.Schema) bool {
			one := openapi.AtLeastOneOf(p)
			return slices.Contains(p.Required, name) || len(one) > 0 && slices.Min(one) == name
		})
		if needed && !of.Value.ReadOnly {
			to[name] = sampleValue(of, within)
		}
	}
}

// sampleScalar returns a value of a type that has no parts.
func sampleScalar(of *openapi3.Schema) any {
	switch {
	case of.Type.Is(openapi3.TypeBoolean):
		return true
	case of.Type.Is(openapi3.TypeInteger), of.Type.Is(openapi3.TypeNumber):
		if of.Min != nil {
			return *of.Min
		}
		return 1
	case of.Format == "uuid":
		return "00000000-0000-0000-0000-000000000001"
	case of.Format == "date":
		return "2026-01-31"
	case of.Format == "date-time":
		return "2026-01-31T12:00:00Z"
	case of.Format == "email":
		return "carol@example.com"
	case of.Format == "uri":
		return "https://receiver.example/"
	}
	return "text"
}
