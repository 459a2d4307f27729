package resource_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// textOf returns a manifest with a spec.
func textOf(kind resource.Kind, spec string) json.RawMessage {
	metadata := `{"code":"x","tenant":"demo"}`
	if kind == resource.KindTenant {
		metadata = `{"code":"x"}`
	}
	return fmt.Appendf(nil, `{"apiVersion":"procession/v1","kind":%q,"metadata":%s,"spec":%s}`, kind, metadata, spec)
}

func decodeOne(t *testing.T, kind resource.Kind, spec string) *resource.Document {
	t.Helper()
	documents, violations := resource.Decode([]json.RawMessage{textOf(kind, spec)})
	require.Empty(t, violations)
	require.Len(t, documents, 1)
	return &documents[0]
}

func TestDecodeFillsInWhatIsNotGiven(t *testing.T) {
	t.Parallel()
	document := decodeOne(t, resource.KindTenant, `{"name":"Demo"}`)
	require.Equal(t, &resource.TenantSpec{Name: "Demo", Plan: domain.PlanFree, TimeZone: "Etc/UTC"}, document.Spec)
	require.Equal(t, resource.Key{Tenant: "x", Kind: resource.KindTenant, Code: "x"}, document.Key())
	document = decodeOne(t, resource.KindProcessDefinition, `{"name":"P","permissions":{"initiators":[{"user":"a"}]},"items":[],
		"elements":[{"code":"A","name":"A","type":"FIELD"},{"code":"B","name":"B","type":"DECISION","options":[{"code":"Y","name":"Y"}],"multiple":false}]}`)
	require.Equal(t, &resource.ProcessDefinitionSpec{
		Name: "P", State: resource.StatePublished, Permissions: resource.ProcessPermissions{Initiators: []resource.Grantee{{User: "a"}}},
		Elements: []resource.ElementSpec{
			{Code: "A", Name: "A", Type: domain.ElementField, FieldType: resource.FieldString},
			{Code: "B", Name: "B", Type: domain.ElementDecision, Options: []resource.OptionSpec{{Code: "Y", Name: "Y"}}},
		},
	}, document.Spec)
}

// The stored spec is the same text, and the same value, however the manifest was written.
func TestDecodeNormalizes(t *testing.T) {
	t.Parallel()
	a := decodeOne(t, resource.KindProcessDefinition, `{"name":"P","metadataSchema":{"properties":{"b":{"maximum":1E2},"a":{"title":"<&>"}}},
		"permissions":{"initiators":[{"user":"a"}],"viewers":[]},"items":[]}`)
	b := decodeOne(t, resource.KindProcessDefinition, `{"state":"PUBLISHED", "permissions": {"initiators": [ {"user": "a"} ]},
		"metadataSchema": {"properties" : {"b": {"maximum": 1E2}, "a": {"title": "<&>"}}}, "name": "P"}`)
	require.Equal(t, a, b)
	text, err := a.SpecJSON()
	require.NoError(t, err)
	// Equal digit for digit and member by member, which is stricter than JSON equality.
	const want = `{"name":"P","state":"PUBLISHED","metadataSchema":{"properties":{"b":{"maximum":1E2},"a":{"title":"<&>"}}},` +
		`"permissions":{"initiators":[{"user":"a"}]}}`
	require.True(t, bytes.Equal([]byte(want), text), "%s", text)
	stored, err := resource.FromStored(a.Kind, a.Metadata, text)
	require.NoError(t, err)
	require.Equal(t, *a, stored)
	whole, err := a.MarshalJSON()
	require.NoError(t, err)
	const around = `{"apiVersion":"procession/v1","kind":"ProcessDefinition","metadata":{"code":"x","tenant":"demo"},"spec":` + want + `}`
	require.True(t, bytes.Equal([]byte(around), whole), "%s", whole)
	again, violations := resource.Decode([]json.RawMessage{whole})
	require.Empty(t, violations)
	require.Equal(t, []resource.Document{*a}, again)
}

func TestDecodeKeepsTimesAsTheDatabaseDoes(t *testing.T) {
	t.Parallel()
	document := decodeOne(t, resource.KindApplication, `{"name":"A","secrets":[{"name":"s","sha256":"`+strings.Repeat("0a", 32)+
		`","expiresAt":"2030-01-31T12:00:00.123456789+02:00"}]}`)
	spec, ok := document.Spec.(*resource.ApplicationSpec)
	require.True(t, ok)
	require.Equal(t, time.Date(2030, 1, 31, 10, 0, 0, 123456000, time.UTC), *spec.Secrets[0].ExpiresAt)
}

func TestFromStoredRefusesWhatWasNeverStored(t *testing.T) {
	t.Parallel()
	_, err := resource.FromStored("Nothing", resource.Metadata{}, []byte(`{}`))
	require.ErrorContains(t, err, "Nothing")
	_, err = resource.FromStored(resource.KindGroup, resource.Metadata{}, []byte(`[]`))
	require.ErrorContains(t, err, "Group")
}

func TestDecodeRefusesTextThatParsersDisagreeOn(t *testing.T) {
	t.Parallel()
	user := func(metadata string) string {
		return string(textOf(resource.KindUser, `{"name":"U","email":"u@demo.example","metadata":`+metadata+`}`))
	}
	for _, c := range []struct{ name, text, pointer, message string }{
		{"nothing", "", "", "is not well-formed JSON (byte 0)"},
		{"half of it", `{"apiVersion":`, "/apiVersion", "is not well-formed JSON (byte 14)"},
		{"two values", `{} {}`, "", "has text after the JSON value"},
		{"another value", `[]`, "", "must be an object with apiVersion, kind, metadata and spec"},
		{"null", `null`, "", "must be an object with apiVersion, kind, metadata and spec"},
		{"invalid UTF-8", "{\"a\":\"\xff\"}", "", "is not valid UTF-8"},
		{"a member twice", `{"kind":"Group","kind":"User"}`, "/kind", "is given twice"},
		{"a member twice in other words", user(`{"a/b":1,"\u0061/b":2}`), "/spec/metadata/a~1b", "is given twice"},
		{"a member in capitals", string(textOf(resource.KindUser, `{"name":"U","email":"u@demo.example","NAME":"V"}`)), "/spec/NAME", "is not a member of User; did you mean name?"},
		{"nesting", user(strings.Repeat(`{"a":`, 127) + `1` + strings.Repeat(`}`, 127)), "/spec/metadata" + strings.Repeat("/a", 126), "is nested deeper than 128"},
		{"a huge exponent", user(`{"a":[1e9999999]}`), "/spec/metadata/a/0", "is a number of more than 1000 characters or with an exponent beyond ±400"},
		{"size", user(`"` + strings.Repeat("x", 1<<20) + `"`), "", "has more than 1048576 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			documents, violations := resource.Decode([]json.RawMessage{json.RawMessage(c.text)})
			if c.name != "a member in capitals" {
				require.Empty(t, documents)
			}
			require.Equal(t, []resource.Violation{{Pointer: c.pointer, Message: c.message}}, violations)
		})
	}
	t.Run("not what is just below", func(t *testing.T) {
		t.Parallel()
		_, violations := resource.Decode([]json.RawMessage{json.RawMessage(user(strings.Repeat(`{"a":`, 126) + `1e400` + strings.Repeat(`}`, 126)))})
		require.Empty(t, violations)
	})
}

func TestDecodeBoundsARequest(t *testing.T) {
	t.Parallel()
	texts := make([]json.RawMessage, 1001)
	for i := range texts {
		texts[i] = fmt.Appendf(nil, `{"apiVersion":"procession/v1","kind":"Group","metadata":{"code":"g%d","tenant":"demo"},"spec":{"name":"G"}}`, i)
	}
	documents, violations := resource.Decode(texts[:1000])
	require.Empty(t, violations)
	require.Len(t, documents, 1000)
	documents, violations = resource.Decode(texts)
	require.Nil(t, documents)
	require.Equal(t, []resource.Violation{{Document: 1000, Message: "is one too many: at most 1000 documents are applied at once"}}, violations)
	for i := range texts {
		texts[i] = json.RawMessage(`{}`)
	}
	_, violations = resource.Decode(texts[:1000])
	require.Len(t, violations, 100)
	require.Equal(t, 49, violations[99].Document)
	documents, violations = resource.Decode(nil)
	require.Empty(t, documents)
	require.Empty(t, violations)
}

// The JSON Pointers of all values together may be much longer than the document:
// these take 80 GB.
func TestDecodeIsNotSlowedDownByLongNames(t *testing.T) {
	t.Parallel()
	metadata := `{"` + strings.Repeat("n", 400_000) + `":[` + strings.Repeat("0,", 200_000) + `0]}`
	started := time.Now()
	decodeOne(t, resource.KindUser, `{"name":"U","email":"u@demo.example","metadata":`+metadata+`}`)
	require.Less(t, time.Since(started), 20*time.Second)
}

func TestMissingReferencesAreBounded(t *testing.T) {
	t.Parallel()
	var members []string
	for i := range 300 {
		members = append(members, fmt.Sprintf(`{"user":"u%d"}`, i))
	}
	document := decodeOne(t, resource.KindGroup, `{"name":"G","members":[`+strings.Join(members, ",")+`]}`)
	queries := 0
	missing := resource.MissingReferences([]resource.Document{*document}, func(key resource.Key) resource.Presence {
		queries++
		if key.Kind == resource.KindTenant {
			return resource.Present
		}
		return resource.Absent
	})
	require.Len(t, missing, 100)
	require.Equal(t, "/spec/members/99/user", missing[99].Pointer)
	require.Equal(t, 301, queries)
}

// FuzzDecode checks that accepted manifests can be stored and are accepted again.
func FuzzDecode(f *testing.F) {
	for _, kind := range resource.Kinds() {
		f.Add([]byte(textOf(kind, `{"name":"N","email":"a@demo.example","schema":{},"url":"https://example.com/"}`)))
	}
	f.Add([]byte(textOf(resource.KindProcessDefinition, `{"name":"P","permissions":{"initiators":[{"user":"a"}]},
		"items":[{"code":"T","type":"TASK","name":"T","dataSchema":{"$ref":"#"},"assistance":{"prompt":"{{ a }}","temperature":1e1}}],
		"userActions":[{"code":"A","name":"A","type":"CREATE_TASK","item":"T","permissions":["MANAGER"],"availability":"${ true }"}]}`)))
	f.Add([]byte(textOf(resource.KindBusinessArtifactDefinition, `{"name":"C","dataSchema":{"properties":{"a":{"pattern":"("}}},
		"indexes":[{"field":"a","type":"DATE"}],"actions":[{"code":"A","name":"A","type":"DOWNLOADABLE"}]}`)))
	f.Fuzz(func(t *testing.T, text []byte) {
		documents, violations := resource.Decode([]json.RawMessage{text})
		missing := resource.MissingReferences(documents, func(resource.Key) resource.Presence { return resource.Absent })
		if len(violations) > 0 {
			for _, v := range append(violations, missing...) {
				require.NotEmpty(t, v.Message)
			}
			return
		}
		stored, err := documents[0].SpecJSON()
		require.NoError(t, err)
		again, err := resource.FromStored(documents[0].Kind, documents[0].Metadata, stored)
		require.NoError(t, err)
		require.Equal(t, documents[0], again)
		written, err := again.MarshalJSON()
		require.NoError(t, err)
		require.Less(t, len(written), 2<<20)
		_, violations = resource.Decode([]json.RawMessage{written})
		require.Empty(t, violations)
	})
}
