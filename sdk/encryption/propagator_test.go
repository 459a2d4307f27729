package encryption

import (
	"testing"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
)

// header is the header of a workflow or an activity.
type header map[string]*commonpb.Payload

func (h header) Set(name string, value *commonpb.Payload) { h[name] = value }

func (h header) Get(name string) (*commonpb.Payload, bool) {
	value, ok := h[name]
	return value, ok
}

func (h header) ForEachKey(f func(string, *commonpb.Payload) error) error {
	for name, value := range h {
		if err := f(name, value); err != nil {
			return err
		}
	}
	return nil
}

func headerOf(t *testing.T, values map[string]any) header {
	t.Helper()
	h := header{}
	for name, value := range values {
		payload, err := converter.GetDefaultDataConverter().ToPayload(value)
		require.NoError(t, err)
		h[name] = payload
	}
	return h
}

func TestKeyIsPropagated(t *testing.T) {
	t.Parallel()
	given := headerOf(t, map[string]any{
		"x-kuflow-encoding": "binary/encrypted?vendor=KuFlow", "x-kuflow-encoding-encrypted-key-id": "demo-key", "traceId": "1",
	})
	ctx, err := Propagator{}.Extract(t.Context(), given)
	require.NoError(t, err)
	passed := header{}
	require.NoError(t, Propagator{}.Inject(ctx, passed))
	delete(given, "traceId")
	require.Equal(t, given, passed, "byte for byte")
	require.Equal(t, `"binary/encrypted?vendor=KuFlow"`, string(passed["x-kuflow-encoding"].GetData()))
}

func TestHeadersWithoutEncryptionAreNotPropagated(t *testing.T) {
	t.Parallel()
	for _, given := range []header{{}, headerOf(t, map[string]any{"x-kuflow-encoding-encrypted-key-id": "demo-key"})} {
		ctx, err := Propagator{}.Extract(t.Context(), given)
		require.NoError(t, err)
		passed := header{}
		require.NoError(t, Propagator{}.Inject(ctx, passed))
		require.Empty(t, passed)
	}
}

func TestHeadersThatMakeNoSense(t *testing.T) {
	t.Parallel()
	for name, values := range map[string]map[string]any{
		"another encoding": {"x-kuflow-encoding": "binary/other", "x-kuflow-encoding-encrypted-key-id": "demo-key"},
		"no key":           {"x-kuflow-encoding": "binary/encrypted?vendor=KuFlow"},
		"no text":          {"x-kuflow-encoding": 1},
	} {
		_, err := Propagator{}.Extract(t.Context(), headerOf(t, values))
		require.Error(t, err, name)
	}
}
