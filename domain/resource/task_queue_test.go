package resource_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/resource"
)

// fill gives a value to every member of a spec: one element to each list, text to each string.
func fill(v reflect.Value, depth int) {
	switch {
	case depth > 12:
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		v.SetBytes([]byte(`{}`))
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth+1)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), depth+1)
			}
		}
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), depth+1)
	case v.Kind() == reflect.String:
		v.SetString("queue")
	}
}

// findQueues adds the places of members with the name of task queues.
func findQueues(value any, pointer string, found map[string]bool) {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			at := pointer + "/" + name
			if _, text := member.(string); text && name == "taskQueue" {
				found[at] = true
			}
			if list, ok := member.([]any); ok && name == "taskQueues" {
				for i := range list {
					found[fmt.Sprint(at, "/", i)] = true
				}
			}
			findQueues(member, at, found)
		}
	case []any:
		for i, element := range value {
			findQueues(element, fmt.Sprint(pointer, "/", i), found)
		}
	}
}

func TestTaskQueuesAreAllMembersThatNameOne(t *testing.T) {
	t.Parallel()
	total := 0
	for _, kind := range resource.Definitions() {
		spec := kind.New()
		fill(reflect.ValueOf(spec).Elem(), 0)
		text, err := json.Marshal(spec)
		require.NoError(t, err, kind.Kind)
		var decoded any
		require.NoError(t, json.Unmarshal(text, &decoded))
		want := map[string]bool{}
		findQueues(decoded, "/spec", want)
		got := map[string]bool{}
		for _, queue := range (resource.Document{Spec: spec}).TaskQueues() {
			got[queue.Pointer] = true
		}
		require.Equal(t, want, got, kind.Kind)
		total += len(want)
	}
	require.Equal(t, 6, total)
}
