package jsondoc_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/test/kit/cputime"
)

func TestPatchIsBounded(t *testing.T) { //nolint:funlen // its subtests share one set-up
	t.Parallel()
	from := func(path string) *string { return &path }
	apply := func(t *testing.T, document string, patch []jsondoc.Operation) error {
		t.Helper()
		_, err := jsondoc.Apply(json.RawMessage(document), patch)
		return err
	}
	test := jsondoc.Operation{Op: "test", Path: "/a", Value: json.RawMessage(`"x"`)}
	many := make([]jsondoc.Operation, 1001)
	for i := range many {
		many[i] = test
	}
	t.Run("operations", func(t *testing.T) {
		t.Parallel()
		require.NoError(t, apply(t, `{"a":"x"}`, many[:1000]))
		require.True(t, domain.HasCode(apply(t, `{"a":"x"}`, many), domain.CodeValidation))
	})
	doubling := func(first ...jsondoc.Operation) []jsondoc.Operation {
		for i := range 30 {
			first = append(first, jsondoc.Operation{Op: "copy", From: from("/a"), Path: fmt.Sprintf("/a/%d", i+1)})
		}
		return first
	}
	t.Run("copies", func(t *testing.T) {
		t.Parallel()
		document := `{"a":["` + strings.Repeat("x", 100) + `"]}`
		err := apply(t, document, doubling())
		require.ErrorContains(t, err, "the patch copies more than 1048576 bytes")
	})
	t.Run("copies after a test", func(t *testing.T) {
		t.Parallel()
		document := `{"a":["` + strings.Repeat("x", 100) + `"],"b":1}`
		err := apply(t, document, doubling(jsondoc.Operation{Op: "test", Path: "/b", Value: json.RawMessage("1")}))
		require.ErrorContains(t, err, "the patch copies more than 1048576 bytes")
	})
	t.Run("copies of the same add up", func(t *testing.T) {
		t.Parallel()
		document := `{"a":"` + strings.Repeat("x", 400_000) + `"}`
		var patch []jsondoc.Operation
		for i := range 3 {
			patch = append(patch, jsondoc.Operation{Op: "copy", From: from("/a"), Path: fmt.Sprintf("/%d", i)})
		}
		require.NoError(t, apply(t, document, patch[:2]))
		require.True(t, domain.HasCode(apply(t, document, patch), domain.CodePatchTooCostly))
	})
	t.Run("depth of the result", func(t *testing.T) {
		t.Parallel()
		deep := json.RawMessage(strings.Repeat("[", 120) + strings.Repeat("]", 120))
		inside := strings.Repeat("/0", 119) + "/-"
		patch := []jsondoc.Operation{{Op: "add", Path: "/a", Value: deep}, {Op: "add", Path: "/a" + inside, Value: deep}}
		require.NoError(t, apply(t, `{}`, patch[:1]))
		require.ErrorContains(t, apply(t, `{}`, patch), "nested deeper than 128")
	})
	t.Run("work", func(t *testing.T) {
		t.Parallel()
		document := `{"a":"` + strings.Repeat("x", 1_000_000) + `"}`
		require.ErrorContains(t, apply(t, document, many[1:]), "a test of the patch failed")
		var patch []jsondoc.Operation
		for range 100 {
			patch = append(patch,
				jsondoc.Operation{Op: "test", Path: "/a", Value: json.RawMessage(document[5 : len(document)-1])})
		}
		require.ErrorContains(t, apply(t, document, patch), "too much work")
	})
	t.Run("long arrays at their beginning", func(t *testing.T) {
		t.Parallel()
		document := `{"a":[0` + strings.Repeat(",0", 400_000) + `]}`
		patch := slices.Repeat([]jsondoc.Operation{{Op: "add", Path: "/a/0", Value: json.RawMessage("1")}}, 1000)
		require.True(t, domain.HasCode(apply(t, document, patch), domain.CodePatchTooCostly))
	})
	t.Run("long arrays", func(t *testing.T) {
		t.Parallel()
		document := `{"a":[0` + strings.Repeat(",0", 200_000) + `]}`
		var patch []jsondoc.Operation
		for range 500 {
			patch = append(patch, jsondoc.Operation{Op: "add", Path: "/a/0", Value: json.RawMessage("1")})
		}
		require.NoError(t, apply(t, document, patch))
	})
	t.Run("a document that is not JSON", func(t *testing.T) {
		t.Parallel()
		require.Error(t, apply(t, `{"a":`, many[:1]))
	})
	t.Run("a value that is not JSON", func(t *testing.T) {
		t.Parallel()
		err := apply(t, `{}`, []jsondoc.Operation{{Op: "add", Path: "/a", Value: json.RawMessage(`{"a`)}})
		require.True(t, domain.HasCode(err, domain.CodeValidation))
	})
}

// TestPatchTestCostsTheComparison applies pairs of test and replace to documents of 1 MB.
func TestPatchTestCostsTheComparison(t *testing.T) { //nolint:paralleltest // it measures CPU time
	var members, elements strings.Builder
	for i := range 400 {
		fmt.Fprintf(&members, `,"m%d":"%s"`, i, strings.Repeat("x", 2500))
		fmt.Fprintf(&elements, `,"%s"`, strings.Repeat("x", 2500))
	}
	long := json.RawMessage(`"` + strings.Repeat("x", 2500) + `"`)
	for name, c := range map[string]struct { //nolint:paralleltest // as above
		document string
		path     func(i int) string
	}{
		"members":               {`{"a":1` + members.String() + `}`, func(i int) string { return fmt.Sprintf("/m%d", i) }},
		"members of an element": {`{"l":[{"a":1` + members.String() + `}]}`, func(i int) string { return fmt.Sprintf("/l/0/m%d", i) }},
		"elements":              {`{"l":[1` + elements.String() + `]}`, func(i int) string { return fmt.Sprintf("/l/%d", i+1) }},
	} {
		t.Run(name, func(t *testing.T) {
			var patch []jsondoc.Operation
			for i := range 400 {
				patch = append(patch, jsondoc.Operation{Op: "test", Path: c.path(i), Value: long},
					jsondoc.Operation{Op: "replace", Path: c.path(i), Value: json.RawMessage("2")})
			}
			took := cputime.Of(func() {
				_, err := jsondoc.Apply(json.RawMessage(c.document), patch)
				require.NoError(t, err)
			})
			require.Less(t, took, 200*time.Millisecond)
		})
	}
}
