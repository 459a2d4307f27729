package jsondoc_test

import (
	"encoding/json"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/kuflowref"
)

const (
	someID   = "01970000-0000-7000-8000-0000000000a1"
	otherID  = "01970000-0000-7000-8000-0000000000b2"
	someFile = "kuflow-file:uri=ku:process/" + someID + "/document/" + otherID + ";type=image/png;size=1;name=a.png;"
)

// violationsWith validates a document and lists the violations as "path keyword".
func violationsWith(t *testing.T, schema *jsondoc.Schema, document string, options ...jsondoc.Option) []string {
	t.Helper()
	result, err := schema.Validate(json.RawMessage(document), options...)
	require.NoError(t, err)
	found := []string{}
	for _, e := range result.Errors {
		found = append(found, e.PropertyPath+" "+e.Type)
	}
	require.Equal(t, len(found) == 0, result.Valid)
	return found
}

// everything resolves every reference; all files are the given one.
func everything(file jsondoc.Stored) jsondoc.Option {
	return jsondoc.References(func(kuflowref.Reference) (jsondoc.Stored, bool) { return file, true })
}

func nothing() jsondoc.Option {
	return jsondoc.References(func(kuflowref.Reference) (jsondoc.Stored, bool) { return jsondoc.Stored{}, false })
}

func TestReferenceFormats(t *testing.T) { //nolint:funlen // its subtests share one set-up
	t.Parallel()
	references := map[string]string{
		"kuflow-file":              someFile,
		"kuflow-principal":         "kuflow-principal:id=" + someID + ";type=USER;name=a;",
		"kuflow-group":             "kuflow-group:id=" + someID + ";type=OTHERS;name=a;",
		"kuflow-process":           "kuflow-process:id=" + someID + ";",
		"kuflow-business-artifact": "kuflow-business-artifact:id=" + someID + ";definitionId=" + otherID + ";",
		"kuflow-data-source":       "kuflow-data-source:id=" + someID + ";",
	}
	for format := range references {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			schema := compile(t, `{"properties":{"a":{"type":"string","format":"`+format+`"},"n":{"format":"`+format+`"}}}`)
			for other, text := range references {
				document := `{"a":` + quoted(t, text) + `}`
				want := []string{"/a format"}
				if other == format {
					want = []string{}
				}
				require.Equal(t, want, violations(t, schema, document), text)
				require.Equal(t, want, violationsWith(t, schema, document, everything(jsondoc.Stored{})), text)
				if format != "kuflow-data-source" {
					want = []string{"/a format"}
				}
				require.Equal(t, want, violationsWith(t, schema, document, nothing()), text)
			}
			for _, bad := range []string{"", "x", format, format + ":", format + ":id=x;"} {
				require.Equal(t, []string{"/a format"}, violations(t, schema, `{"a":"`+bad+`"}`), bad)
			}
			require.Equal(t, []string{"/a type"}, violations(t, schema, `{"a":1}`))
			require.Empty(t, violations(t, schema, `{"n":[1,null,{}],"b":"x"}`), "a format is for strings")
		})
	}
	t.Run("in every draft", func(t *testing.T) {
		t.Parallel()
		for _, draft := range drafts() {
			schema := compile(t, `{"$schema":"`+draft+`","properties":{"l":{"items":{"format":"kuflow-process"}}}}`)
			require.Equal(t, []string{"/l/1 format"},
				violations(t, schema, `{"l":["kuflow-process:id=`+someID+`","`+someID+`"]}`), draft)
		}
	})
	t.Run("unknown formats say nothing", func(t *testing.T) {
		t.Parallel()
		require.Empty(t, violations(t, compile(t, `{"properties":{"a":{"format":"kuflow-other"}}}`), `{"a":"x"}`))
	})
	t.Run("the resolver is asked about what is there", func(t *testing.T) {
		t.Parallel()
		schema := compile(t, `{"additionalProperties":{"format":"kuflow-process"},"properties":{"free":{}}}`)
		var requests []kuflowref.Reference
		result := violationsWith(t, schema,
			`{"free":"kuflow-process:id=`+otherID+`","x/y":"KUFLOW-PROCESS:name=a+b;id=`+someID+`"}`,
			jsondoc.References(func(r kuflowref.Reference) (jsondoc.Stored, bool) {
				requests = append(requests, r)
				return jsondoc.Stored{}, false
			}))
		require.Equal(t, []string{"/x~1y format"}, result)
		want, ok := kuflowref.ParseProcess("kuflow-process:id=" + someID + ";name=a%20b;")
		require.True(t, ok)
		require.Equal(t, []kuflowref.Reference{want}, requests)
	})
	t.Run("a resolver counts for one validation", func(t *testing.T) {
		t.Parallel()
		schema := compile(t, `{"properties":{"a":{"format":"kuflow-process"}}}`)
		document := `{"a":"kuflow-process:id=` + someID + `"}`
		var group sync.WaitGroup
		for range 50 {
			group.Go(func() {
				result, err := schema.Validate(json.RawMessage(document), everything(jsondoc.Stored{}))
				unknown, otherErr := schema.Validate(json.RawMessage(document), nothing())
				if err != nil || otherErr != nil || !result.Valid || unknown.Valid {
					t.Errorf("%v %v %v %v", result, err, unknown, otherErr)
				}
			})
		}
		group.Wait()
		require.Equal(t, []string{"/a format"}, violationsWith(t, schema, document, nothing()))
		require.Empty(t, violations(t, schema, document))
		require.Empty(t, violationsWith(t, schema, document, jsondoc.References(nil)))
	})
}

func TestReferencesToItemsAreCollected(t *testing.T) {
	t.Parallel()
	reference := "kuflow-data-source:id=" + someID + ";"
	item := func(pointer, source string) domain.ItemReference {
		return domain.ItemReference{Pointer: pointer, Source: source, Text: reference}
	}
	schema := compile(t, `{"$defs":{"g":{"format":"kuflow-data-source","dataSource":"GOODS"}},"properties":{
		"a/b":{"$ref":"#/$defs/g"},"n":{"format":"kuflow-data-source"},"o":{"dataSource":"GOODS"},
		"l":{"items":{"anyOf":[{"$ref":"#/$defs/g"},{"format":"kuflow-data-source","dataSource":"CARS"}]}}}}`)
	found := domain.ItemReferences{}
	require.Equal(t, []string{"/a~1b format"}, violationsWith(t, schema, `{"a/b":"x"}`, jsondoc.Items(found)))
	require.Empty(t, found, "what is no reference is not collected")
	document := `{"a/b":"` + reference + `","n":"` + reference + `","o":"` + reference + `","l":["` + reference + `"]}`
	require.Empty(t, violationsWith(t, schema, document, jsondoc.Items(found)))
	require.Equal(t, []domain.ItemReference{item("/a~1b", "GOODS"), item("/l/0", "CARS"), item("/l/0", "GOODS")}, found.Sorted())
}

func drafts() []string {
	return []string{
		"http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-06/schema#", "http://json-schema.org/draft-07/schema#",
		"https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2020-12/schema",
	}
}

func quoted(t *testing.T, text string) string {
	t.Helper()
	written, err := json.Marshal(text)
	require.NoError(t, err)
	return string(written)
}

// The stored document is checked, not the claims of the reference.
func TestAcceptAndMaxSize(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	pdf := jsondoc.Stored{Name: "Report.PDF", Type: "application/pdf", Size: 1000}
	for _, c := range []struct {
		keywords string
		stored   jsondoc.Stored
		want     []string
	}{
		{`"accept":"application/pdf"`, pdf, nil},
		{`"accept":" Application/PDF "`, pdf, nil},
		{`"accept":["application/pdf"]`, pdf, nil},
		{`"accept":"image/*,application/pdf"`, pdf, nil},
		{`"accept":"image/*, .pdf"`, pdf, nil},
		{`"accept":["image/*",".pdf"]`, pdf, nil},
		{`"accept":[".PDF"]`, pdf, nil},
		{`"accept":"*/*"`, pdf, nil},
		{`"accept":"application/*"`, pdf, nil},
		{`"accept":"image/*"`, pdf, []string{"/a accept"}},
		{`"accept":"image/png"`, pdf, []string{"/a accept"}},
		{`"accept":["application/pd","application/pdfx","app/*",".df2",".pd"]`, pdf, []string{"/a accept"}},
		{`"accept":"application/pdf"`, jsondoc.Stored{Type: "Application/PDF; version=1.7"}, nil},
		{`"accept":"application/pdf"`, jsondoc.Stored{Type: ""}, []string{"/a accept"}},
		{`"accept":"application/pdf"`, jsondoc.Stored{Name: "a.pdf", Type: "text/html"}, []string{"/a accept"}},
		{`"accept":"*/*"`, jsondoc.Stored{Type: ""}, nil},
		{`"accept":"image/svg+xml"`, jsondoc.Stored{Type: "image/svg+xml"}, nil},
		{`"accept":".tar.gz"`, jsondoc.Stored{Name: "a.tar.gz"}, nil},
		{`"accept":".gz"`, jsondoc.Stored{Name: "a.tar.gz"}, nil},
		{`"accept":".gz"`, jsondoc.Stored{Name: "gz"}, []string{"/a accept"}},
		{`"maxSize":1000`, pdf, nil},
		{`"maxSize":1e3`, pdf, nil},
		{`"maxSize":1000.0`, pdf, nil},
		{`"maxSize":999`, pdf, []string{"/a maxSize"}},
		{`"maxSize":0`, jsondoc.Stored{}, nil},
		{`"maxSize":0`, pdf, []string{"/a maxSize"}},
		{`"maxSize":"1000"`, pdf, nil},
		{`"maxSize":"999 B"`, pdf, []string{"/a maxSize"}},
		{`"maxSize":"1KB"`, jsondoc.Stored{Size: 1000}, nil},
		{`"maxSize":"1KB"`, jsondoc.Stored{Size: 1001}, []string{"/a maxSize"}},
		{`"maxSize":"1 kib"`, jsondoc.Stored{Size: 1024}, nil},
		{`"maxSize":"1 KiB"`, jsondoc.Stored{Size: 1025}, []string{"/a maxSize"}},
		{`"maxSize":"10MB"`, jsondoc.Stored{Size: 10_000_000}, nil},
		{`"maxSize":"10MB"`, jsondoc.Stored{Size: 10_000_001}, []string{"/a maxSize"}},
		{`"maxSize":"10MiB"`, jsondoc.Stored{Size: 10 << 20}, nil},
		{`"maxSize":"10MiB"`, jsondoc.Stored{Size: 10<<20 + 1}, []string{"/a maxSize"}},
		{`"maxSize":"2 GB"`, jsondoc.Stored{Size: 2_000_000_001}, []string{"/a maxSize"}},
		{`"maxSize":"2 GiB"`, jsondoc.Stored{Size: 2 << 30}, nil},
		{`"accept":"image/*","maxSize":1`, pdf, []string{"/a accept", "/a maxSize"}},
	} {
		t.Run(c.keywords+" "+c.stored.Type+c.stored.Name, func(t *testing.T) {
			t.Parallel()
			want := append([]string{}, c.want...)
			schema := compile(t, `{"properties":{"a":{"type":"string","format":"kuflow-file",`+c.keywords+`}}}`)
			document := `{"a":"` + someFile + `"}`
			require.Equal(t, want, violationsWith(t, schema, document, everything(c.stored)))
			require.Empty(t, violations(t, schema, document), "nothing is known of the document")
			require.Equal(t, []string{"/a format"}, violationsWith(t, schema, document, nothing()), "nothing is judged that does not exist")
			require.Equal(t, []string{"/a format"}, violationsWith(t, schema, `{"a":"x"}`, everything(c.stored)))
		})
	}
	t.Run("by themselves they judge documents only", func(t *testing.T) {
		t.Parallel()
		schema := compile(t, `{"properties":{"a":{"accept":"image/*","maxSize":1}}}`)
		for _, document := range []string{
			`{"a":"x"}`, `{"a":1}`, `{"a":["` + someFile + `"]}`, `{"a":"kuflow-process:id=` + someID + `"}`, `{"a":"kuflow-file:"}`,
		} {
			require.Empty(t, violationsWith(t, schema, document, everything(pdf)), document)
			require.Empty(t, violationsWith(t, schema, document, nothing()), document)
		}
		document := `{"a":"` + someFile + `"}`
		require.Equal(t, []string{"/a accept", "/a maxSize"}, violationsWith(t, schema, document, everything(pdf)))
		require.Empty(t, violationsWith(t, schema, document, nothing()))
	})
	t.Run("by reference and in combinations", func(t *testing.T) {
		t.Parallel()
		schema := compile(t, `{"$defs":{"f":{"format":"kuflow-file"},"small":{"maxSize":"1 KB"}},
			"properties":{"l":{"items":{"$ref":"#/$defs/f","allOf":[{"$ref":"#/$defs/small"}],"not":{"accept":".exe"}}}}}`)
		document := `{"l":["` + someFile + `"]}`
		require.Empty(t, violationsWith(t, schema, document, everything(pdf)))
		require.Equal(t, []string{"/l/0 maxSize", "/l/0 not"}, violationsWith(t, schema, document, everything(jsondoc.Stored{Name: "a.exe", Size: 1001})))
	})
}

func TestRequiredOnUpdate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, schema, document string
		want                   []string
	}{
		{"names", `{"requiredOnUpdate":["a","b/c"]}`, `{"d":1}`, []string{"/a requiredOnUpdate", "/b~1c requiredOnUpdate"}},
		{"one is there", `{"requiredOnUpdate":["a","b"]}`, `{"a":null}`, []string{"/b requiredOnUpdate"}},
		{"all are there", `{"requiredOnUpdate":["a"]}`, `{"a":1}`, nil},
		{"none", `{"requiredOnUpdate":[]}`, `{}`, nil},
		{"true", `{"properties":{"a":{"type":"string","requiredOnUpdate":true},"b":{"requiredOnUpdate":false},"c":true}}`, `{}`, []string{"/a requiredOnUpdate"}},
		{"true beside a reference", `{"properties":{"a":{"$ref":"#/$defs/d","requiredOnUpdate":true}},"$defs":{"d":{}}}`, `{}`, []string{"/a requiredOnUpdate"}},
		{"true behind a reference", `{"properties":{"a":{"$ref":"#/$defs/d"}},"$defs":{"d":{"requiredOnUpdate":true}}}`, `{}`, nil},
		{"true of the whole", `{"requiredOnUpdate":true}`, `{}`, nil},
		{"both ways", `{"properties":{"a":{"requiredOnUpdate":true}},"requiredOnUpdate":["b","a"]}`, `{}`, []string{"/a requiredOnUpdate", "/b requiredOnUpdate"}},
		{"within", `{"properties":{"o":{"requiredOnUpdate":["a"]},"l":{"items":{"properties":{"b":{"requiredOnUpdate":true}}}}}}`, `{"o":{},"l":[{},{"b":1}]}`, []string{"/l/0/b requiredOnUpdate", "/o/a requiredOnUpdate"}},
		{"not of what is absent", `{"properties":{"o":{"requiredOnUpdate":["a"]}}}`, `{}`, nil},
		{"not of other types", `{"properties":{"o":{"requiredOnUpdate":["a"]}}}`, `{"o":["a"]}`, nil},
		{"a property of that name", `{"properties":{"requiredOnUpdate":{"type":"string"}}}`, `{"requiredOnUpdate":1}`, []string{"/requiredOnUpdate type"}},
		{"in draft 7", `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"#/definitions/d","requiredOnUpdate":true}},"definitions":{"d":{}},"requiredOnUpdate":["b"]}`, `{}`, []string{"/a requiredOnUpdate", "/b requiredOnUpdate"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			schema := compile(t, c.schema)
			require.Equal(t, append([]string{}, c.want...), violationsWith(t, schema, c.document, jsondoc.OnUpdate()))
			if c.name != "a property of that name" {
				require.Empty(t, violations(t, schema, c.document), "it does not count for a new value")
			}
		})
	}
	t.Run("beside required", func(t *testing.T) {
		t.Parallel()
		schema := compile(t, `{"required":["a"],"requiredOnUpdate":["a","b"]}`)
		require.Equal(t, []string{"/a required"}, violations(t, schema, `{}`))
		require.Equal(t, []string{"/a required", "/a requiredOnUpdate", "/b requiredOnUpdate"}, violationsWith(t, schema, `{}`, jsondoc.OnUpdate()))
	})
	t.Run("no schema", func(t *testing.T) {
		t.Parallel()
		require.Empty(t, violationsWith(t, nil, `{}`, jsondoc.OnUpdate(), nothing()))
	})
}

func TestKeywordsThatMeanNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ schema, pointer, why string }{
		{`{"properties":{"a/b":{"accept":5}}}`, "/properties/a~1b/accept", "media types"},
		{`{"accept":null}`, "/accept", "media types"},
		{`{"accept":{}}`, "/accept", "media types"},
		{`{"accept":[]}`, "/accept", "media types"},
		{`{"accept":""}`, "/accept", "media types"},
		{`{"accept":"image/*,"}`, "/accept", "media types"},
		{`{"accept":["image/png",1]}`, "/accept", "media types"},
		{`{"accept":["image/png, image/gif"]}`, "/accept", "media types"},
		{`{"accept":"pdf"}`, "/accept", "media types"},
		{`{"accept":"*"}`, "/accept", "media types"},
		{`{"accept":"."}`, "/accept", "media types"},
		{`{"accept":".a b"}`, "/accept", "media types"},
		{`{"accept":"*/pdf"}`, "/accept", "media types"},
		{`{"accept":"image/"}`, "/accept", "media types"},
		{`{"accept":"/png"}`, "/accept", "media types"},
		{`{"accept":"image/p*"}`, "/accept", "media types"},
		{`{"accept":"image/png;q=1"}`, "/accept", "media types"},
		{`{"maxSize":-1}`, "/maxSize", "bytes"},
		{`{"maxSize":1.5}`, "/maxSize", "bytes"},
		{`{"maxSize":1e19}`, "/maxSize", "bytes"},
		{`{"maxSize":true}`, "/maxSize", "bytes"},
		{`{"maxSize":null}`, "/maxSize", "bytes"},
		{`{"maxSize":""}`, "/maxSize", "bytes"},
		{`{"maxSize":"MB"}`, "/maxSize", "bytes"},
		{`{"maxSize":"-1"}`, "/maxSize", "bytes"},
		{`{"maxSize":"1.5MB"}`, "/maxSize", "bytes"},
		{`{"maxSize":"1  MB"}`, "/maxSize", "bytes"},
		{`{"maxSize":"1 MB "}`, "/maxSize", "bytes"},
		{`{"maxSize":"1 TB"}`, "/maxSize", "bytes"},
		{`{"maxSize":"9223372037 GB"}`, "/maxSize", "bytes"},
		{`{"maxSize":"9223372036854775808"}`, "/maxSize", "bytes"},
		{`{"requiredOnUpdate":"a"}`, "/requiredOnUpdate", "names"},
		{`{"requiredOnUpdate":null}`, "/requiredOnUpdate", "names"},
		{`{"requiredOnUpdate":[1]}`, "/requiredOnUpdate", "names"},
		{`{"requiredOnUpdate":["a","a"]}`, "/requiredOnUpdate", "names"},
		{`{"requiredOnUpdate":{}}`, "/requiredOnUpdate", "names"},
		{`{"$id":"http://example.test/s","properties":{"a":{"$id":"inner","items":{"maxSize":"x"}},"b":{"maxSize":"y"}}}`, "/properties/a/items/maxSize", "bytes"},
		{`{"$ref":"#/$defs/é","$defs":{"é":{"maxSize":"x"}}}`, "/$defs/é/maxSize", "bytes"},
	} {
		t.Run(c.schema, func(t *testing.T) {
			t.Parallel()
			schema, err := jsondoc.Compile(json.RawMessage(c.schema))
			require.Nil(t, schema)
			var fault *jsondoc.SchemaError
			require.ErrorAs(t, err, &fault)
			require.Equal(t, c.pointer, fault.Pointer)
			require.Contains(t, fault.Message, c.why)
		})
	}
	t.Run("not where they are no keywords", func(t *testing.T) {
		t.Parallel()
		compile(t, `{"properties":{"accept":{},"maxSize":{},"requiredOnUpdate":true},"const":{"accept":1},"enum":[{"maxSize":"x"}],"default":{"accept":1}}`)
	})
}
