package jsondoc_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/jsondoc"
)

func mustCompile(tb testing.TB, schema string) *jsondoc.Schema {
	tb.Helper()
	compiled, err := jsondoc.Compile(json.RawMessage(schema))
	require.NoError(tb, err)
	return compiled
}

func newOutline(tb testing.TB, schema, document string, picked jsondoc.Picked) *jsondoc.Outline {
	tb.Helper()
	o, err := mustCompile(tb, schema).Outline(json.RawMessage(document), picked)
	require.NoError(tb, err)
	return o
}

// describePlace returns the statements about a place as lines.
func describePlace(p *jsondoc.Place, indent string, depth int) []string {
	var lines []string
	for _, choice := range p.Choices() {
		if choice.OfTypes {
			continue
		}
		var titles []string
		for _, branch := range choice.Branches {
			titles = append(titles, branch.Title)
		}
		lines = append(lines, fmt.Sprintf("%schoice by %q of %s: %d %v", indent, choice.By, strings.Join(titles, "|"), choice.Selected, choice.Certain))
	}
	members := p.Members()
	for _, named := range members.Named {
		child := p.Member(named.Name)
		line := indent + named.Name + " " + strings.Join(typeNames(allTypes(child)), ",")
		if title := child.Annotations().Title; title != "" {
			line += " “" + title + "”"
		}
		if values := child.Enumeration(); len(values.Values) > 0 {
			line += " of"
			for _, value := range values.Values {
				line += fmt.Sprintf(" %v", value.Value)
			}
			if !values.Closed {
				line += " or more"
			}
		}
		if named.Required.IsRequired() {
			line += " required"
			if named.Required.Because != "" {
				line += " by " + named.Required.Because
			}
		}
		if child.IsRecursive() {
			lines = append(lines, line+" recursive")
			continue
		}
		lines = append(lines, line)
		if depth > 0 {
			lines = append(lines, describePlace(child, indent+"  ", depth-1)...)
		}
	}
	for _, name := range members.Stray {
		lines = append(lines, indent+name+" is stray")
	}
	return lines
}

// allTypes returns the types of a place, also the ones that are not chosen.
func allTypes(p *jsondoc.Place) jsondoc.Types {
	types := p.Types()
	for _, choice := range p.Choices() {
		for _, branch := range choice.Branches {
			if choice.OfTypes {
				types |= branch.Types
			}
		}
	}
	return types
}

func typeNames(types jsondoc.Types) []string {
	if types == jsondoc.TypeAny {
		return []string{"any"}
	}
	var names []string
	for _, t := range []struct {
		name string
		of   jsondoc.Types
	}{
		{"null", jsondoc.TypeNull},
		{"boolean", jsondoc.TypeBoolean},
		{"string", jsondoc.TypeString},
		{"array", jsondoc.TypeArray},
		{"object", jsondoc.TypeObject},
	} {
		if types.Has(t.of) {
			names = append(names, t.name)
		}
	}
	switch {
	case types.Has(jsondoc.TypeFraction):
		names = append(names, "number")
	case types.Has(jsondoc.TypeInteger):
		names = append(names, "integer")
	}
	return names
}

func TestOutline(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	const pets = `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","required":["pet"],"properties":{"pet":{"enum":["No","Yes: One"]}},
		"dependencies":{"pet":{"oneOf":[{"properties":{"pet":{"enum":["No"]}}},{"properties":{"pet":{"enum":["Yes: One"]},"age":{"type":"number"}},"required":["age"]}]}}}`
	const kinds = `{"type":"object","oneOf":[{"title":"Basic","properties":{"kind":{"const":"default"},"content":{"type":"string"}},"required":["kind"]},
		{"title":"More","properties":{"kind":{"const":"advanced"},"content":{"type":"integer"},"size":{"type":"integer"}},"required":["kind","size"]}]}`
	for name, test := range map[string]struct {
		schema, document string
		want             []string
	}{
		"nullable": {
			`{"properties":{"a":{"anyOf":[{"type":"integer"},{"type":"null"}],"title":"Age","default":null},"b":{"oneOf":[{"type":"null"},{"$ref":"#/$defs/b"}]},
			"c":{"type":["string","null"]},"d":{"allOf":[{"anyOf":[{"type":"array"},{"type":"null"}]}]},"e":{"anyOf":[{"enum":["x",null]},{"type":"null"}]}},
			"$defs":{"b":{"type":"object","title":"Bee","properties":{"x":{"type":"string"}}}}}`, `{}`,
			[]string{"a null,integer “Age”", "b null,object “Bee”", "  x string", "c null,string", "d null,array", "e null,string of x"},
		},
		"a part of a draft": {
			`{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"z":{"$ref":"http://json-schema.org/draft-04/schema#/properties/title"},
			"n":{"$ref":"http://json-schema.org/draft-04/schema#/definitions/positiveInteger"},"s":{"$ref":"http://json-schema.org/draft-04/schema#/definitions/simpleTypes"}}}`, `{}`,
			[]string{"z string", "n integer", "s string of array boolean integer null number object string"},
		},
		"a mapped discriminator": {
			`{"oneOf":[{"$ref":"#/$defs/Cat"},{"$ref":"#/$defs/Dog"}],"discriminator":{"propertyName":"kind","mapping":{"dog":"#/$defs/Dog","hound":"Dog"}},
			"$defs":{"Cat":{"type":"object","required":["kind"],"properties":{"kind":{"type":"string"},"lives":{"type":"integer"}}},
			"Dog":{"type":"object","required":["kind"],"properties":{"kind":{"type":"string"},"tail":{"type":"number"}}}}}`, `{"kind":"hound"}`,
			[]string{`choice by "kind" of Cat|Dog: 1 true`, "kind string of Cat dog hound required", "tail number"},
		},
		"references": {
			`{"properties":{"z":{"$ref":"#address"},"a":{"$ref":"address2"},"m":{"$ref":"#/definitions/n~1m","title":"Mine"}},
			"$defs":{"a":{"$anchor":"address","type":"object","properties":{"street":{"type":"string"}}},
			"b":{"$id":"address2","type":"object","properties":{"town":{"$ref":"#/$defs/t"}},"$defs":{"t":{"type":"string"}}}},
			"definitions":{"n/m":{"type":"number","title":"Theirs"}}}`, `{}`,
			[]string{"z object", "  street string", "a object", "  town string", "m number “Mine”"},
		},
		"a dependency that does not apply": {pets, `{}`, []string{"pet string of No Yes: One required"}},
		"dependencies": {pets, `{"pet":"Yes: One"}`, []string{
			`choice by "pet" of |: 1 true`, "pet string of No Yes: One required", "age number required by pet",
		}},
		"another branch's value": {pets, `{"pet":"No","age":3}`, []string{
			`choice by "pet" of |: 0 true`, "pet string of No Yes: One required", "age is stray",
		}},
		"dependent keywords": {
			`{"properties":{"a":{},"b":{"type":"string"}},"dependentRequired":{"a":["b"]},"dependentSchemas":{"a":{"properties":{"spouse":{"type":"string"}},"required":["spouse"]}}}`,
			`{"a":1}`,
			[]string{"a any", "b string required by a", "spouse string required by a"},
		},
		"a condition": {
			`{"properties":{"country":{"type":"string"}},"if":{"properties":{"country":{"const":"US"}},"required":["country"]},
			"then":{"properties":{"state":{"type":"string"}},"required":["state"]},"else":{"properties":{"province":{"type":"string"}}}}`,
			`{"country":"US","province":"x"}`,
			[]string{"country string", "state string required by country", "province is stray"},
		},
		"a discriminated choice without a value":         {kinds, `{}`, []string{`choice by "kind" of Basic|More: -1 false`, "kind string of default advanced required"}},
		"a discriminated choice with the value":          {kinds, `{"kind":"advanced","content":5}`, []string{`choice by "kind" of Basic|More: 1 true`, "kind string of default advanced required", "content integer", "size integer required by kind"}},
		"a discriminated choice that the members decide": {kinds, `{"kind":"odd","size":1}`, []string{`choice by "kind" of Basic|More: -1 false`, "kind string of default advanced required", "content is stray", "size is stray"}[:2:2]},
		"a choice of types": {
			`{"properties":{"v":{"anyOf":[{"type":"string"},{"type":"integer"},{"$ref":"#/$defs/point"}]}},"$defs":{"point":{"type":"object","properties":{"x":{"type":"number"}}}}}`,
			`{"v":{"x":1}}`,
			[]string{"v object", `  choice by "" of ||point: 2 true`, "  x number"},
		},
		"suggestions":          {`{"properties":{"v":{"anyOf":[{"const":"a"},{"enum":["b","c"]},{"type":"string"}]}}}`, `{}`, []string{"v string of a b c or more"}},
		"constants":            {`{"properties":{"v":{"oneOf":[{"const":1.0},{"const":2}]}}}`, `{}`, []string{"v integer of 1.0 2"}},
		"formats of one type":  {`{"properties":{"v":{"anyOf":[{"type":"string","format":"date"},{"type":"string","format":"time"}]}}}`, `{}`, []string{"v string"}},
		"alternative members":  {`{"properties":{"a":{},"b":{}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{}`, []string{"a any", "b any"}},
		"an excluded type":     {`{"properties":{"v":{"type":["string","integer"],"not":{"type":"string"}}}}`, `{}`, []string{"v integer"}},
		"recursion":            {`{"properties":{"v":{"type":"string"},"next":{"$ref":"#"}}}`, `{"next":{}}`, []string{"v string", "next any", "  v string", "  next any recursive"}},
		"forbidden members":    {`{"properties":{"a":{}},"additionalProperties":false}`, `{"b":1}`, []string{"a any", "b is stray"}},
		"an impossible schema": {`{"properties":{"a":false}}`, `{}`, []string{"a "}},
		"options of two parts": {`{"properties":{"a":{"allOf":[{"enum":[1,2,3]},{"enum":[2.0,3,4]}]}}}`, `{}`, []string{"a integer of 2 3"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOutline(t, test.schema, test.document, nil)
			require.Equal(t, test.want, describePlace(o.Root(), "", 3))
			require.False(t, o.Exhausted())
		})
	}
}

// TestPicked checks that a picked branch is selected unless the document contradicts.
func TestPicked(t *testing.T) {
	t.Parallel()
	const schema = `{"properties":{"v":{"anyOf":[{"type":"string"},{"type":"object","properties":{"x":{}}}]},
		"k":{"oneOf":[{"properties":{"kind":{"const":"a"}}},{"properties":{"kind":{"const":"b"},"y":{}}}]}}}`
	picked := jsondoc.Picked{
		{Pointer: "/v", Schema: "/properties/v/anyOf"}: 1, {Pointer: "/k", Schema: "/properties/k/oneOf"}: 1,
	}
	v := newOutline(t, schema, `{"v":"x"}`, picked).At("/v")
	require.Equal(t, jsondoc.TypeObject, v.Types())
	require.False(t, v.IsValid())
	require.True(t, v.Accepts(json.RawMessage(`{}`)))
	require.Equal(t, 1, newOutline(t, schema, `{}`, picked).At("/k").Choices()[0].Selected)
	require.Equal(t, 0, newOutline(t, schema, `{"k":{"kind":"a"}}`, picked).At("/k").Choices()[0].Selected)
	require.Equal(t, jsondoc.TypeString, newOutline(t, schema, `{"v":"x"}`, nil).At("/v").Types())
}

func TestPlaceAnnotations(t *testing.T) {
	t.Parallel()
	o := newOutline(t, `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"#/definitions/a","title":"Mine","default":7},
		"b":{"allOf":[{"minimum":1,"maximum":10.50},{"minimum":2.0,"exclusiveMaximum":10}],"readOnly":true,"examples":[1.0,3],"multipleOf":0.5}},
		"definitions":{"a":{"type":"string","title":"Theirs","description":"Help","maxLength":5,"format":"kuflow-file","accept":".pdf, image/*","maxSize":"1 kB"}}}`, `{}`, nil)
	a, b := o.At("/a"), o.At("/b")
	require.Equal(t, jsondoc.Annotations{Title: "Mine", Description: "Help", Default: json.RawMessage("7"), Format: "kuflow-file"}, a.Annotations())
	require.Equal(t, jsondoc.Bounds{
		MinLength: -1, MaxLength: 5, MinItems: -1, MaxItems: -1, Format: "kuflow-file", Accept: []string{".pdf", "image/*"}, MaxSize: 1000,
	}, a.Bounds())
	require.Equal(t, jsondoc.Bounds{
		Minimum: "2.0", Maximum: "10.50", Below: "10", MultipleOf: "0.5", MinLength: -1, MaxLength: -1, MinItems: -1, MaxItems: -1,
	}, b.Bounds())
	require.True(t, b.Annotations().ReadOnly)
	require.Equal(t, []json.RawMessage{json.RawMessage("1.0"), json.RawMessage("3")}, b.Annotations().Examples)
}

func TestElements(t *testing.T) {
	t.Parallel()
	o := newOutline(t, `{"properties":{"list":{"type":"array","items":{"oneOf":[{"$ref":"#/definitions/eth"},{"$ref":"#/definitions/bond"}]}},
		"pair":{"prefixItems":[{"type":"string"},{"type":"number"}],"items":false},"map":{"additionalProperties":{"type":"integer"},"patternProperties":{"^x":{"type":"boolean"}}}},
		"definitions":{"eth":{"type":"object","required":["type"],"properties":{"type":{"const":"ethernet"},"mtu":{"type":"integer"}}},
		"bond":{"type":"object","required":["type"],"properties":{"type":{"const":"bond"},"members":{"type":"array","items":{"type":"string"}}}}}}`,
		`{"list":[{"type":"bond"},{"type":"ethernet"}],"pair":["a"]}`, nil)
	require.Equal(t, []string{`choice by "type" of eth|bond: 1 true`, "type string of ethernet bond required", "members array"}, describePlace(o.At("/list/0"), "", 1))
	require.Equal(t, []string{`choice by "type" of eth|bond: 0 true`, "type string of ethernet bond required", "mtu integer"}, describePlace(o.At("/list/1"), "", 1))
	require.Equal(t, []string{`choice by "type" of eth|bond: -1 false`, "type string of ethernet bond required"}, describePlace(o.At("/list/-"), "", 1))
	require.Equal(t, jsondoc.Elements{Prefix: 2}, o.At("/pair").Elements())
	require.Equal(t, jsondoc.TypeNumber, o.At("/pair/1").Types())
	require.True(t, o.At("/map").Members().Typed)
	require.Equal(t, jsondoc.TypeBoolean, o.At("/map/x1").Types())
	require.Equal(t, jsondoc.TypeInteger, o.At("/map/y").Types())
	require.Nil(t, newOutline(t, `{}`, `{}`, nil).At("a"))
}

// TestOutlineLimits checks that expensive schemas yield an outline within the work of one validation.
func TestOutlineLimits(t *testing.T) {
	t.Parallel()
	branches := strings.TrimSuffix(strings.Repeat(`{"type":"object","properties":{"a":{"type":"array","items":{"pattern":"^(a|b|c)*$"}}}},`, 60), ",")
	schema := `{"type":"array","items":{"type":"object","properties":{"x":{"anyOf":[` + branches + `]}}}}`
	element := `{"x":{"a":["` + strings.Repeat("abcabc", 3000) + `d"]}}`
	o := newOutline(t, schema, `[`+strings.TrimSuffix(strings.Repeat(element+",", 100), ",")+`]`, nil)
	for i := range 100 {
		o.Root().Item(strconv.Itoa(i)).Member("x")
	}
	require.True(t, o.Exhausted())
	require.True(t, o.Root().IsLimited())

	many := strings.TrimSuffix(strings.Repeat(`{"type":"object","properties":{"a":{}}},`, 101), ",")
	require.True(t, newOutline(t, `{"anyOf":[`+many+`]}`, `{}`, nil).Root().IsLimited())
	parts := strings.TrimSuffix(strings.Repeat(`{"minProperties":0},`, 250), ",")
	require.True(t, newOutline(t, `{"allOf":[`+parts+`]}`, `{}`, nil).Root().IsLimited())
	for number, types := range map[string]jsondoc.Types{
		"1e9999": jsondoc.TypeInteger, "-1e99999999999999999999": jsondoc.TypeInteger, "1e-9999": jsondoc.TypeInteger,
		strings.Repeat("1", 2000) + ".5": jsondoc.TypeInteger, "0e9999": jsondoc.TypeInteger,
	} {
		schema := `{"oneOf":[{"type":"number","minimum":10},{"type":"number","exclusiveMaximum":10}]}`
		o, err := mustCompile(t, schema).Outline(json.RawMessage(number), nil)
		require.NoError(t, err)
		require.True(t, o.Root().IsValid(), number)
		require.True(t, o.Root().Types().Has(types))
	}
	o, err := (*jsondoc.Schema)(nil).Outline(nil, nil)
	require.NoError(t, err)
	require.Equal(t, jsondoc.TypeAny, o.At("/a/0").Types())
}

// FuzzOutline checks that no schema or document causes a panic, that limits hold, and that a valid document selects valid
// branches.
func FuzzOutline(f *testing.F) {
	f.Add(`{"oneOf":[{"properties":{"k":{"const":1}}},{"properties":{"k":{"enum":[2]}},"required":["k"]}]}`, `{"k":2}`)
	f.Add(`{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":{"$ref":"#"},"b":["a"]},"items":[{}],"additionalItems":false}`, `{"a":[1],"b":{}}`)
	f.Add(`{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"type":"null"},{"allOf":[{"$ref":"#/$defs/a/anyOf/0"}]}],"if":true,"then":{"patternProperties":{"x":{}}}}}}`, `{"x":null}`)
	f.Add(`{"$dynamicAnchor":"a","prefixItems":[{"$dynamicRef":"#a"}],"not":{"type":"string"},"unevaluatedProperties":{"const":{"b":[1.0]}}}`, `[[{"q":"x"}]]`)
	f.Fuzz(func(t *testing.T, source, document string) {
		if len(source) > 2000 || len(document) > 2000 || !json.Valid([]byte(document)) {
			return
		}
		schema, err := jsondoc.Compile(json.RawMessage(source))
		if err != nil {
			return
		}
		o, err := schema.Outline(json.RawMessage(document), nil)
		if err != nil {
			return
		}
		checked, err := schema.Validate(json.RawMessage(document))
		if all, best := o.Explain(); err == nil && !o.Exhausted() {
			require.Equal(t, checked.Errors, all)
			require.Equal(t, len(all) == 0, len(best) == 0)
		}
		visitPlaces(o.Root(), 6, func(p *jsondoc.Place) {
			p.Annotations()
			p.Bounds()
			p.Enumeration()
			for _, choice := range p.Choices() {
				require.Less(t, choice.Selected, len(choice.Branches))
			}
			if err == nil && checked.Valid && !p.IsLimited() && p.Present() && len(p.Choices()) == 0 {
				require.True(t, p.IsValid(), p.Pointer())
			}
		})
	})
}

func visitPlaces(p *jsondoc.Place, depth int, visit func(*jsondoc.Place)) {
	if depth == 0 {
		return
	}
	visit(p)
	members := p.Members()
	for _, named := range members.Named {
		visitPlaces(p.Member(named.Name), depth-1, visit)
	}
	for _, name := range members.Stray {
		visitPlaces(p.Member(name), depth-1, visit)
	}
	p.Elements()
	for i := range 3 {
		visitPlaces(p.Item(strconv.Itoa(i)), depth-1, visit)
	}
}

// BenchmarkOutline visits the places of a form with 300 fields.
func BenchmarkOutline(b *testing.B) {
	var properties, values []string
	for i := range 300 {
		properties = append(properties, fmt.Sprintf(`"f%d":{"anyOf":[{"type":"string","title":"Field","maxLength":%d},{"type":"null"}]}`, i, i+1))
		values = append(values, fmt.Sprintf(`"f%d":"x"`, i))
	}
	schema, err := jsondoc.Compile(json.RawMessage(`{"type":"object","properties":{` + strings.Join(properties, ",") + `}}`))
	require.NoError(b, err)
	document := json.RawMessage(`{` + strings.Join(values, ",") + `}`)
	b.ReportAllocs()
	for b.Loop() {
		o, err := schema.Outline(document, nil)
		require.NoError(b, err)
		for _, named := range o.Root().Members().Named {
			p := o.Root().Member(named.Name)
			p.Annotations()
			p.Bounds()
		}
	}
}
