package restapi_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/examples/loan/restapi"
)

func TestRetrieveKmsKey(t *testing.T) {
	t.Parallel()
	asked := make(chan seen, 2)
	client := serving(t, func(w http.ResponseWriter, r *http.Request) {
		asked <- record(t, r)
		if r.RequestURI == "/v2024-06-14/kms/keys/demo-key.2" {
			answer(w, http.StatusOK, `{"id":"demo-key.2","value":"QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl8="}`)
			return
		}
		answer(w, http.StatusNotFound, `{"timestamp":"2026-01-01T00:00:00Z","status":404,"message":"encryption key not found","errors":[]}`)
	})
	key, err := client.RetrieveKmsKey(t.Context(), "demo-key.2")
	require.NoError(t, err)
	require.Equal(t, "demo-key.2", key.ID)
	require.Equal(t, "@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_", string(key.Value))
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		require.NotContains(t, fmt.Sprintf(format, key), "ABC")
		require.NotContains(t, fmt.Sprintf(format, key), "65")
	}
	_, err = client.RetrieveKmsKey(t.Context(), "no/such key")
	var refused *restapi.ResponseError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, http.StatusNotFound, refused.Status)
	require.Equal(t, http.MethodGet, (<-asked).method)
	require.Equal(t, "/v2024-06-14/kms/keys/no%2Fsuch%20key", (<-asked).uri)
}
