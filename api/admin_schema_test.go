package api_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/resource"
)

const schemasPath = "/schemas/procession/v1/"

func TestTheSchemasOfDocumentsArePublic(t *testing.T) {
	t.Parallel()
	s := newService(t)
	documents := map[string][]byte{"resource": resource.SchemaOfAny()}
	for _, kind := range resource.Kinds() {
		documents[string(kind)] = resource.Schema(kind)
	}
	for name, document := range documents {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, host+schemasPath+name+".json", nil)
		require.NoError(t, err)
		got := s.send(r)
		require.Equal(t, 200, got.status, name)
		require.Equal(t, string(document), got.body)
		require.Equal(t, "application/schema+json", got.header.Get("Content-Type"))
		require.Equal(t, "public, max-age=3600", got.header.Get("Cache-Control"))
		var schema struct {
			ID string `json:"$id"`
		}
		require.NoError(t, json.Unmarshal([]byte(got.body), &schema))
		require.Equal(t, schemasPath+name+".json", schema.ID)

		r.Header.Set("If-None-Match", got.header.Get("ETag"))
		require.Equal(t, 304, s.send(r).status)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, host+schemasPath+"Nothing.json", nil)
	require.NoError(t, err)
	require.Equal(t, 404, s.send(r).status)
}
