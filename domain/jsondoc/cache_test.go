package jsondoc_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/jsondoc"
)

func TestCache(t *testing.T) {
	t.Parallel()
	source := func(i int) json.RawMessage {
		return json.RawMessage(fmt.Sprintf(`{"maxLength":%4d,"title":"%s"}`, i, strings.Repeat("x", 80)))
	}
	size := len(source(0))
	c := jsondoc.NewCache(3 * size)
	compile := func(i int) *jsondoc.Schema {
		s, err := c.Compile(source(i))
		require.NoError(t, err)
		return s
	}
	first, second := compile(1), compile(2)
	require.Same(t, first, compile(1))
	compile(3)
	require.Same(t, first, compile(1), "it is the most recently used")
	compile(4)
	require.Same(t, first, compile(1))
	require.NotSame(t, second, compile(2), "it was the least recently used")

	none, err := c.Compile(nil)
	require.NoError(t, err)
	require.Nil(t, none)
	_, err = c.Compile(json.RawMessage(`{"type":7}`))
	require.Error(t, err)
	_, again := c.Compile(json.RawMessage(`{"type":7}`))
	require.Equal(t, err, again)
	large := json.RawMessage(`{"title":"` + strings.Repeat("x", 3*size) + `"}`)
	_, err = c.Compile(large)
	require.NoError(t, err)
}

func TestCacheConcurrently(t *testing.T) {
	t.Parallel()
	c := jsondoc.NewCache(100)
	var wait sync.WaitGroup
	for i := range 16 {
		wait.Go(func() {
			for k := range 50 {
				s, err := c.Compile(json.RawMessage(fmt.Sprintf(`{"maximum":%d}`, (i+k)%7)))
				if err != nil {
					t.Error(err)
					return
				}
				valid, err := s.Validate(json.RawMessage(`{}`))
				if err != nil || !valid.Valid {
					t.Error(valid, err)
				}
			}
		})
	}
	wait.Wait()
}
