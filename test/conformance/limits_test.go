package conformance

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api/openapi"
)

var update = flag.Bool("update", false, "write the generated tables of docs/limits.md")

const limitsDocument = "../../docs/limits.md"

// The document has every limit of the code, of the contracts and of the schemas of manifests.
func TestLimitsAreDocumented(t *testing.T) {
	t.Parallel()
	stored, err := os.ReadFile(limitsDocument)
	require.NoError(t, err)
	text := string(stored)
	for section, rows := range map[string][]string{
		"code": limitRows(t), "contracts": contractRows(t), "manifests": manifestRows(t),
	} {
		begin, end := "<!-- generated: limits of "+section+" -->\n", "<!-- end -->"
		before, rest, found := strings.Cut(text, begin)
		require.True(t, found, "the document lacks %s", begin)
		_, after, found := strings.Cut(rest, end)
		require.True(t, found, "the document lacks the end of %s", begin)
		text = before + begin + strings.Join(rows, "\n") + "\n" + end + after
	}
	if *update {
		require.NoError(t, os.WriteFile(limitsDocument, []byte(text), 0o600))
		return
	}
	require.Equal(t, text, string(stored), "run go test ./conformance -run TestLimitsAreDocumented -update")
}

// A bounded set holds the places that a limit is for, by the limit.
type bounded map[bound]map[string]bool

// A bound is a keyword of JSON Schema with its value.
type bound struct {
	keyword string
	value   int64
}

func (b bounded) add(keyword string, value int64, place string) {
	key := bound{keyword, value}
	if b[key] == nil {
		b[key] = map[string]bool{}
	}
	b[key][place] = true
}

// rows returns the table of the places by their limits.
func (b bounded) rows() []string {
	rows := []string{"| at most | for |", "|---|---|"}
	units := map[string]string{"maxLength": "characters", "maxItems": "elements", "maxProperties": "members", "maximum": ""}
	keys := slices.SortedFunc(maps.Keys(b), func(x, y bound) int {
		return cmp.Or(strings.Compare(x.keyword, y.keyword), cmp.Compare(x.value, y.value))
	})
	for _, key := range keys {
		places := slices.Sorted(maps.Keys(b[key]))
		rows = append(rows, fmt.Sprintf("| %s | `%s` |", quantity(key.value, units[key.keyword]), strings.Join(places, "`, `")))
	}
	return rows
}

// contractRows returns the limits of parameters and bodies of requests in the three contracts.
func contractRows(t *testing.T) []string {
	t.Helper()
	found := bounded{}
	for _, name := range []string{openapi.ShapeA, openapi.ShapeB, openapi.Admin} {
		doc, err := openapi.Load(name)
		require.NoError(t, err)
		seen := map[*openapi3.Schema]bool{}
		for _, item := range doc.Paths.Map() {
			for _, op := range item.Operations() {
				for _, param := range append(slices.Clone(item.Parameters), op.Parameters...) {
					found.schema(&openapi3.SchemaRef{Value: param.Value.Schema.Value}, "?"+param.Value.Name, map[*openapi3.Schema]bool{})
				}
				if op.RequestBody == nil {
					continue
				}
				for _, described := range op.RequestBody.Value.Content {
					found.schema(described.Schema, op.OperationID, seen)
				}
			}
		}
	}
	return found.rows()
}

// schema adds the limits of a schema, which is named by its reference or else by its place.
func (b bounded) schema(ref *openapi3.SchemaRef, place string, seen map[*openapi3.Schema]bool) {
	if ref == nil || seen[ref.Value] {
		return
	}
	seen[ref.Value] = true
	s := ref.Value
	if ref.Ref != "" {
		place = path.Base(ref.Ref)
	}
	if s.MaxLength != nil {
		b.add("maxLength", int64(min(*s.MaxLength, 1<<62)), place)
	}
	if s.MaxItems != nil {
		b.add("maxItems", int64(min(*s.MaxItems, 1<<62)), place)
	}
	if s.MaxProps != nil {
		b.add("maxProperties", int64(min(*s.MaxProps, 1<<62)), place)
	}
	if s.Max != nil {
		b.add("maximum", int64(*s.Max), place)
	}
	for name, property := range s.Properties {
		if !property.Value.ReadOnly {
			b.schema(property, place+"."+name, seen)
		}
	}
	b.schema(s.Items, place+"[]", seen)
	b.schema(s.AdditionalProperties.Schema, place+".*", seen)
	for _, part := range slices.Concat(s.AllOf, s.OneOf, s.AnyOf) {
		b.schema(part, place, seen)
	}
}

// manifestRows returns the limits of the schemas of manifests.
func manifestRows(t *testing.T) []string {
	t.Helper()
	found := bounded{}
	files, err := fs.Glob(os.DirFS("../../domain/resource/schemas"), "*.json")
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile("../../domain/resource/schemas/" + file)
		require.NoError(t, err)
		var schema map[string]any
		require.NoError(t, json.Unmarshal(text, &schema))
		found.manifest(schema, strings.TrimSuffix(file, ".json"))
	}
	for _, places := range found {
		merge(places)
	}
	return found.rows()
}

// merge replaces the definitions that many kinds share, which have a name after #, by one of all kinds.
func merge(places map[string]bool) {
	const many = 5
	kinds := map[string][]string{}
	for place := range places {
		if _, name, shared := strings.Cut(place, "#"); shared {
			kinds[name] = append(kinds[name], place)
		}
	}
	for name, of := range kinds {
		if len(of) >= many {
			maps.DeleteFunc(places, func(place string, _ bool) bool { return slices.Contains(of, place) })
			places["*#"+name] = true
		}
	}
}

// manifest adds the limits of a JSON Schema at a place.
func (b bounded) manifest(schema map[string]any, place string) {
	for keyword, value := range schema {
		number, isNumber := value.(float64)
		inner, _ := value.(map[string]any)
		switch keyword {
		case "maxLength", "maxItems", "maxProperties", "maximum":
			if isNumber {
				b.add(keyword, int64(number), place)
			}
		case "properties":
			for name, property := range inner {
				if s, ok := property.(map[string]any); ok {
					b.manifest(s, place+"."+name)
				}
			}
		case "$defs", "definitions":
			for name, definition := range inner {
				if s, ok := definition.(map[string]any); ok {
					b.manifest(s, place+"#"+name)
				}
			}
		case "items", "additionalProperties", "propertyNames":
			b.manifest(inner, place+map[string]string{"items": "[]", "additionalProperties": ".*", "propertyNames": " (names)"}[keyword])
		case "allOf", "anyOf", "oneOf":
			parts, _ := value.([]any)
			for _, part := range parts {
				if s, ok := part.(map[string]any); ok {
					b.manifest(s, place)
				}
			}
		}
	}
}
