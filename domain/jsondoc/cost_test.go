package jsondoc

import (
	"encoding/json"
	"flag"
	"fmt"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/test/kit/cputime"
)

// full makes the test of the cost use the limit of the work and values of a megabyte: -args -full.
var full = flag.Bool("full", false, "validate values of a megabyte")

// scale divides the limit of the work and the size of the values, to keep the test short.
var scale = 16

// documentSize is the size of the values of the attacks.
var documentSize = 1 << 20

// An attack is a schema that Compile accepts, and a value of up to a megabyte that is expensive to validate with it.
type attack struct{ name, schema, document string }

// fill repeats an element in an array, with a number in place of %d, up to the size of a document.
func fill(element string) string {
	var s strings.Builder
	s.WriteString("[")
	for i := 0; s.Len() < documentSize-len(element)-10; i++ {
		if i > 0 {
			s.WriteByte(',')
		}
		s.WriteString(strings.ReplaceAll(element, "%d", strconv.Itoa(i)))
	}
	return s.String() + "]"
}

// object is fill for the members of an object.
func object(member string) string {
	members := fill(member)
	return "{" + members[1:len(members)-1] + "}"
}

func text(part string) string { return `"` + strings.Repeat(part, documentSize/len(part)) + `"` }

// many repeats a subschema in a list.
func many(n int, schema string) string { return strings.TrimSuffix(strings.Repeat(schema+",", n), ",") }

// each applies a schema to the elements of an array, and of an array in an object.
func each(schema string) string { return `{"items":` + schema + `}` }

// draft returns a schema of another draft.
func draft(name, keywords string) string { return `{"$schema":"` + name + `",` + keywords + `}` }

const (
	draft4    = "http://json-schema.org/draft-04/schema#"
	draft7    = "http://json-schema.org/draft-07/schema#"
	draft2019 = "https://json-schema.org/draft/2019-09/schema"
)

// enumOf lists n different values.
func enumOf(n int, value string) string {
	var s []string
	for i := range n {
		s = append(s, strings.ReplaceAll(value, "%d", strconv.Itoa(i)))
	}
	return "[" + strings.Join(s, ",") + "]"
}

// trees lists arrays of different structure with the same elements in a row, for which the library has one hash.
func trees() string {
	const levels, leaves = 7, 14
	var s strings.Builder
	var write func(level, left int, inner string)
	write = func(level, left int, inner string) {
		if s.Len() > documentSize/2 {
			return
		}
		if level == levels-1 {
			s.WriteString(",[" + strings.TrimPrefix(inner+strings.Repeat(`,""`, left), ",") + "]")
			return
		}
		for n := range left + 1 {
			write(level+1, left-n, ",["+strings.TrimPrefix(inner+strings.Repeat(`,""`, n), ",")+"]")
		}
	}
	write(0, leaves, "")
	return "[" + s.String()[1:] + "]"
}

// attacks lists attacks by each keyword that the library implements, in each draft that has it.
func attacks() []attack { //nolint:funlen // it is a table
	long, numbers, empty := text("a"), fill("1"), fill("{}")
	members, names := object(`"%d":1`), object(`"%daaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa":1`)
	bigNumber := strings.Repeat("9", 1000)
	list := []attack{
		{"pattern of many instructions", `{"pattern":"(a?){900}b"}`, long},
		{"pattern of many instructions, shorter text", `{"pattern":"(a?){900}b"}`, `"` + strings.Repeat("a", 64_000/scale) + `"`},
		{"pattern of a class", `{"pattern":"^[\\pL\\pN]*[\\pL]*x$"}`, long},
		{"pattern of alternatives", `{"pattern":"(a|aa|aaa|b)*c"}`, long},
		{"pattern at the end", `{"pattern":"a.*b.*c.*d$"}`, long},
		{"pattern of short texts", each(`{"pattern":"(a?){300}b"}`), fill(`"aaaa"`)},
		{"pattern of other characters", `{"pattern":"(é?){400}b"}`, text("é")},
		{"pattern of any case", `{"pattern":"(?i)(k?s?){200}b"}`, text("K")},
		{"pattern after maxLength", `{"maxLength":20,"pattern":"(a?){900}b"}`, long},
		{"patternProperties", `{"patternProperties":{"(a?){900}b":true}}`, names},
		{"patternProperties that match", `{"patternProperties":{` + strings.TrimSuffix(enumPatterns(1000), ",") + `}}`, members},
		{"additionalProperties false beside patterns", `{"patternProperties":{"(a?){100}b":true},"additionalProperties":false}`, names},
		{"additionalProperties false", `{"additionalProperties":false}`, members},
		{"additionalProperties", `{"additionalProperties":{"type":"string"}}`, members},
		{"propertyNames", `{"propertyNames":{"minLength":1000}}`, members},
		{"properties", `{"properties":{` + properties(2000, `{"type":"string"}`) + `}}`, members},
		{"properties of many objects", each(`{"properties":{` + properties(2000, `{"type":"string"}`) + `}}`), empty},
		{"required", each(`{"required":` + enumOf(20_000, `"n%d"`) + `}`), empty},
		{"required of one object", `{"required":` + enumOf(20_000, `"n%d"`) + `}`, `{}`},
		{"dependentRequired", each(`{"dependentRequired":{"a":` + enumOf(20_000, `"n%d"`) + `}}`), fill(`{"a":1}`)},
		{"dependencies", each(`{"dependencies":{"a":` + enumOf(20_000, `"n%d"`) + `}}`), fill(`{"a":1}`)},
		{"dependentSchemas", `{"dependentSchemas":{` + properties(2000, `{"maxProperties":1}`) + `}}`, members},
		{"minProperties", each(`{"minProperties":1}`), empty},
		{"maxProperties", `{"maxProperties":1}`, members},
		{"unevaluatedProperties", `{"unevaluatedProperties":false,"allOf":[{"properties":{"1":true}}]}`, members},
		{"unevaluatedItems", `{"unevaluatedItems":false,"allOf":[{"prefixItems":[true]}]}`, numbers},
		{"false", each(`false`), numbers},
		{"type", each(`{"type":"string"}`), numbers},
		{"types", each(`{"type":["string","object","integer"]}`), fill("1.5")},
		{"integers", each(`{"type":"integer"}`), fill("1e400")},
		{"enum of texts", each(`{"enum":` + enumOf(20_000, `"n%d"`) + `}`), fill(`"a"`)},
		{"enum of numbers", each(`{"enum":` + enumOf(30_000, `1%d`) + `}`), fill(bigNumber)},
		{"enum of small exponents", each(`{"enum":[` + many(20_000, "1e400") + `]}`), fill("1e399")},
		{"enum of arrays", each(`{"enum":` + enumOf(4900, `[1,%d]`) + `}`), fill("[1,-1]")},
		{"enum of arrays of numbers", each(`{"enum":` + enumOf(4900, `[%d]`) + `}`), fill("[" + bigNumber + "]")},
		{"enum of objects", each(`{"enum":` + enumOf(2400, `{"a":{"b":%d}}`) + `}`), fill(`{"a":{"b":-1}}`)},
		{"const of a large object", each(`{"const":{"a":` + enumOf(4900, `{"n":%d}`) + `}}`), fill(`{"a":[]}`)},
		{"const of a long text", each(`{"const":"` + strings.Repeat("a", 200_000) + `"}`), fill(`"a"`)},
		{"const of a document", `{"const":` + enumOf(40_000, `1`) + `}`, enumOf(40_000, `1`)},
		{"not", `{"not":{"items":{"type":"string"}}}`, numbers},
		{"allOf", `{"items":{"allOf":[` + many(1000, `{"type":"string"}`) + `]}}`, numbers},
		{"anyOf", each(`{"anyOf":[` + many(1000, `{"type":"string"}`) + `]}`), numbers},
		{"oneOf", each(`{"oneOf":[` + many(1000, `{"maximum":0}`) + `]}`), numbers},
		{"if", each(`{"if":{"type":"string"},"then":false,"else":{"minimum":2}}`), numbers},
		{"if of the whole", `{"if":{"items":false},"then":false,"else":{"items":false}}`, numbers},
		{"recursion", `{"items":{"$ref":"#"},"anyOf":[{"type":"object"},{"items":{"$ref":"#"}}]}`, nestedArrays(100)},
		{"doubling recursion", `{"properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}`, nestedObjects(120)},
		{"doubling recursion in a dead end", `{"not":{"properties":{"a":{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}}}}`, nestedObjects(120)},
		{"references in a row", referencesInARow(55), numbers},
		{"dynamic references", `{"$dynamicAnchor":"n","items":{"$dynamicRef":"#n"},"type":"array"}`, fill("[1]")},
		{"recursive references", draft(draft2019, `"$recursiveAnchor":true,"items":{"$recursiveRef":"#"},"type":"array"`), fill("[1]")},
		{"failures below others", `{"allOf":[` + nestedAllOf(30, `{"items":false}`) + `]}`, numbers},
		{"failures at the bottom of long locations", `{"patternProperties":{"^` + strings.Repeat("(a)", 200) + `?|a$":{"$ref":"#"}},"items":false}`, nestedObjectsAround(100, "["+many(documentSize/4, "1")+"]")},
		{"failures below long names", `{"additionalProperties":{"$ref":"#"},"items":{"anyOf":[` + many(500, "false") + `]}}`, `{"` + strings.Repeat("x", 100_000/scale) + `":[` + many(250, "1") + `]}`},
		{"values below long names", `{"allOf":[` + many(1500, `{"additionalProperties":{"items":true}}`) + `]}`, `{"` + strings.Repeat("x", 400_000/scale) + `":[` + many(60, "1") + `]}`},
		{"failures in deep values", `{"additionalProperties":{"$ref":"#"},"items":{"$ref":"#"},"type":["object","array"]}`, nestedObjectsAround(120, "["+many(documentSize/4, "1")+"]")},
		{"minItems", each(`{"minItems":2}`), fill("[]")},
		{"maxItems", each(`{"maxItems":0}`), fill("[1]")},
		{"uniqueItems of numbers", `{"uniqueItems":true}`, fill("%d")},
		{"uniqueItems of objects", `{"uniqueItems":true}`, fill(`{"b":1,"a":"%d"}`)},
		{"uniqueItems of equal hashes", `{"uniqueItems":true}`, trees()},
		{"uniqueItems of exponents", `{"uniqueItems":true}`, fill("1%de390")},
		{"uniqueItems of small arrays", each(`{"uniqueItems":true}`), fill("[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]")},
		{"items", each(`{"items":{"items":{"type":"string"}}}`), fill("[[1]]")},
		{"items of draft 7", draft(draft7, `"items":[`+many(2000, `{"type":"string"}`)+`],"additionalItems":{"type":"string"}`), numbers},
		{"additionalItems false", draft(draft7, `"items":[true],"additionalItems":false`), numbers},
		{"prefixItems", `{"prefixItems":[` + many(4000, `{"type":"string"}`) + `],"items":false}`, numbers},
		{"contains", `{"contains":{"type":"string"}}`, numbers},
		{"contains once", `{"contains":{"minimum":9},"minContains":1}`, numbers[:len(numbers)-1] + ",9]"},
		{"maxContains", `{"contains":true,"maxContains":2}`, numbers},
		{"minLength", `{"minLength":2000000,"allOf":[` + many(2000, `{"minLength":2000000}`) + `]}`, long},
		{"maxLength", `{"allOf":[` + many(2000, `{"maxLength":1}`) + `]}`, long},
		{"bounds", each(`{"minimum":9e399,"maximum":-9e399}`), fill("1e-400")},
		{"exclusive bounds", each(`{"exclusiveMinimum":9e399,"exclusiveMaximum":-9e399}`), fill("1e-400")},
		{"bounds of long numbers", each(`{"minimum":` + bigNumber + `,"maximum":1}`), fill(bigNumber)},
		{"multipleOf of exponents", each(`{"multipleOf":7e-400}`), fill("1e400")},
		{"multipleOf of long numbers", each(`{"multipleOf":0.` + strings.Repeat("7", 990) + `}`), fill(bigNumber)},
		{"content of draft 7", draft(draft7, `"allOf":[`+many(1000, `{"contentEncoding":"base64","contentMediaType":"application/json"}`)+`]`), long},
		{"content of draft 7, nested", draft(draft7, `"allOf":[`+many(1000, `{"contentMediaType":"application/json"}`)+`]`), `"` + strings.Repeat("[", 5000/scale) + strings.Repeat("]", 5000/scale) + strings.Repeat(" ", 900_000/scale) + `"`},
		{"content of draft 7 with many values", draft(draft7, `"allOf":[`+many(1000, `{"contentMediaType":"application/json"}`)+`]`), `"` + strings.ReplaceAll(fill(`[]`), `"`, ``) + `"`},
		{"the schema of draft 7", `{"$ref":"` + draft7 + `"}`, `{"enum":` + trees() + `}`},
		{"the schema of draft 4", `{"additionalProperties":{"$ref":"` + draft4 + `"}}`, object(`"%d":{"pattern":"x{1000}x{1000}x{1000}"}`)},
		{"the schema of 2020-12", `{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, nestedObjects(120)},
		{"accept", each(`{"accept":["image/*",".pdf"],"maxSize":1}`), fill(`"kuflow-file:uri=%d"`)},
		{"references", each(`{"format":"kuflow-principal"}`), fill(`"kuflow-principal:id=%d"`)},
	}
	return list
}

// formatAttacks lists attacks by all formats together, and by regex alone, with one long text and with many short ones.
func formatAttacks() []attack {
	var formats []string
	for name := range jsonschema.Formats {
		if name != "regex" {
			formats = append(formats, `{"format":"`+name+`"}`)
		}
	}
	all := strings.Join(formats, ",")
	var list []attack
	for _, part := range []string{"a", "1", "P1Y", "1Y", ".", "/", ":", "~0", "{a}", "%41", "-", "+", "@"} {
		list = append(list, attack{"formats of a text of " + part, `{"allOf":[` + many(50, all) + `]}`, text(part)})
	}
	for _, value := range []string{
		"P1Y2M3DT4H5M6S", "2024-01-01T00:00:00.123456789+01:00/P1Y", "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w.x.y.z",
		"(a) b (c) <d@e.example>", "1:2:3:4:5:6:7:8", "1.2.3.4", "http://a:b@[::1]:1/%41?b#c", "{a}/{b}", "/~0/~1",
	} {
		list = append(list, attack{"formats of short texts like " + value, each(`{"allOf":[` + many(50, all) + `]}`), fill(`"` + value + `"`)})
	}
	for _, value := range []string{
		"(a", strings.Repeat(`\\pL`, 40), `[` + strings.Repeat(`[:word:]`, 24) + `]`, strings.Repeat("x{1000}", 28), `(?i)[` + strings.Repeat(`\\pL\\PL`, 24) + `]`,
		`(?i)` + strings.Repeat(`[^\\pL]`, 24), strings.Repeat("(", 90) + strings.Repeat(")", 90), strings.Repeat("(a{9}){9}", 20),
	} {
		list = append(list, attack{"regex of " + value, each(`{"allOf":[` + many(50, `{"format":"regex"}`) + `]}`), fill(`"` + value + `"`)})
	}
	return list
}

func properties(n int, schema string) string {
	var s []string
	for i := range n {
		s = append(s, `"`+strconv.Itoa(i)+`":`+schema)
	}
	return strings.Join(s, ",")
}

func enumPatterns(n int) string {
	var s strings.Builder
	for i := range n {
		s.WriteString(`"^[0-9]|` + strconv.Itoa(i) + `":true,`)
	}
	return s.String()
}

func nestedArrays(depth int) string {
	return strings.Repeat("[[],", depth) + "1" + strings.Repeat("]", depth)
}

func nestedObjects(depth int) string { return nestedObjectsAround(depth, "{}") }

func nestedObjectsAround(depth int, inner string) string {
	return strings.Repeat(`{"a":`, depth) + inner + strings.Repeat("}", depth)
}

func nestedAllOf(depth int, schema string) string {
	return strings.Repeat(strings.TrimSuffix(schema, "}")+`,"allOf":[`, depth) + schema + strings.Repeat("]}", depth)
}

func referencesInARow(n int) string {
	var s []string
	for i := range n {
		s = append(s, fmt.Sprintf(`"%d":{"items":{"type":"string"},"$ref":"#/$defs/%d"}`, i, i+1))
	}
	return `{"$ref":"#/$defs/0","$defs":{` + strings.Join(s, ",") + `,"` + strconv.Itoa(n) + `":true}}`
}

// TestValidationIsBounded validates each attack, alone and, with -full, by a schema that repeats it.
func TestValidationIsBounded(t *testing.T) { //nolint:paralleltest // it measures the processor time of the process
	if *full {
		scale = 1
	}
	documentSize /= scale
	used := map[string]bool{}
	for _, a := range formatAttacks() {
		compiled, err := Compile(json.RawMessage(a.schema))
		require.NoError(t, err, a.name)
		requireBounded(t, compiled, a)
	}
	for _, a := range attacks() {
		for i, schema := range []string{a.schema, `{"allOf":[` + many(repetitions(a.schema), a.schema) + `]}`} {
			compiled, err := Compile(json.RawMessage(schema))
			if i > 0 && (!*full || err != nil) {
				continue // It may be too large.
			}
			require.NoError(t, err, a.name)
			for _, node := range compiled.nodes {
				markUsed(used, node)
			}
			requireBounded(t, compiled, a)
		}
	}
	for field := range reflect.TypeFor[jsonschema.Schema]().Fields() {
		if field.IsExported() && !notAsserted[field.Name] {
			require.True(t, used[field.Name], "no attack uses %s", field.Name)
		}
	}
}

// notAsserted are the members of a schema of the library that have no cost.
var notAsserted = map[string]bool{
	"Location": true, "Draft": true, "Title": true, "Description": true, "Default": true, "Comment": true, "ReadOnly": true, "WriteOnly": true,
	"Examples": true, "Deprecated": true, "Extensions": true, "ContentSchema": true, "RegexProperties": true,
}

// repetitions is how often a schema fits into another one.
func repetitions(schema string) int {
	return max(1, min(60_000/len(schema), 300/strings.Count(schema, "{")))
}

// markUsed notes the members of a subschema that are set.
func markUsed(used map[string]bool, s *jsonschema.Schema) {
	value, none := reflect.ValueOf(*s), reflect.ValueOf(*blankSchema(s))
	for i := range value.NumField() {
		if field := value.Type().Field(i); field.IsExported() && !reflect.DeepEqual(value.Field(i).Interface(), none.Field(i).Interface()) {
			used[field.Name] = true
		}
	}
}

// requireBounded validates a document and checks the processor time of the process.
func requireBounded(t *testing.T, schema *Schema, a attack) {
	t.Helper()
	value, levels, err := decodeText([]byte(a.document))
	require.NoError(t, err, a.name)
	var r reading
	r.measureValue(value, 0)
	run := newRun(schema)
	limit := 2 * time.Second / time.Duration(scale)
	took := time.Hour
	for range 3 {
		took = min(took, cputime.OfProcess(func() {
			_, _ = run.validateValue(value, levels, r.longest, validationOptions{limit: MaxWork / scale})
		}))
		if took < limit {
			break
		}
		runtime.GC()
	}
	t.Logf("%8d units %4d ms %4d ns/unit %s", run.meter.spent, took.Milliseconds(), took.Nanoseconds()/int64(max(run.meter.spent, 1)), a.name)
	require.Less(t, took, limit, a.name)
}
