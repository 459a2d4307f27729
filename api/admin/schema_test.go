package admin_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/test/kit/apitest"
)

const schemasPath = "/schemas/procession/v1/"

func TestTheSchemasOfDocumentsArePublic(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	documents := map[string][]byte{"resource": resource.SchemaOfAny()}
	for _, kind := range resource.Kinds() {
		documents[string(kind)] = resource.Schema(kind)
	}
	for name, document := range documents {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, apitest.Host+schemasPath+name+".json", nil)
		require.NoError(t, err)
		got := s.Send(r)
		require.Equal(t, 200, got.Status, name)
		require.Equal(t, string(document), got.Body)
		require.Equal(t, "application/schema+json", got.Header.Get("Content-Type"))
		require.Equal(t, "public, max-age=3600", got.Header.Get("Cache-Control"))
		var schema struct {
			ID string `json:"$id"`
		}
		require.NoError(t, json.Unmarshal([]byte(got.Body), &schema))
		require.Equal(t, schemasPath+name+".json", schema.ID)

		r.Header.Set("If-None-Match", got.Header.Get("ETag"))
		require.Equal(t, 304, s.Send(r).Status)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, apitest.Host+schemasPath+"Nothing.json", nil)
	require.NoError(t, err)
	require.Equal(t, 404, s.Send(r).Status)
}
