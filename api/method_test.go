package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// The request method may be any token, so metrics must not use its text as a
// label.
func TestUnknownMethodsAreOneLabel(t *testing.T) {
	t.Parallel()
	requests := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "requests"}, []string{"method", "route", "code"})
	var logged bytes.Buffer
	s := apitest.NewService(t, func(o *api.Options) {
		o.Log = slog.New(slog.NewJSONHandler(&logged, nil))
		o.Observe = func(method, route string, status int, _ time.Duration) {
			requests.WithLabelValues(method, route, fmt.Sprint(status)).Inc()
		}
	})
	server := s.Served()
	for i := range 100 {
		for _, path := range []string{"/v2024-06-14/processes", "/nothing"} {
			r, err := http.NewRequestWithContext(t.Context(), fmt.Sprintf("M%03d%s", i, strings.Repeat("A", 2000)), server.URL+path, nil)
			require.NoError(t, err)
			answer, err := server.Client().Do(r)
			require.NoError(t, err)
			require.NoError(t, answer.Body.Close())
			require.Contains(t, []int{http.StatusMethodNotAllowed, http.StatusNotFound}, answer.StatusCode)
		}
	}
	server.Close() // All lines are written.
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(requests)
	families, err := registry.Gather()
	require.NoError(t, err)
	require.Len(t, families, 1)
	require.LessOrEqual(t, len(families[0].GetMetric()), 2)
	methods := map[string]int{}
	for line := range strings.Lines(logged.String()) {
		var entry struct{ Method string }
		require.NoError(t, json.Unmarshal([]byte(line), &entry))
		methods[entry.Method]++
	}
	require.Equal(t, map[string]int{"OTHER": 200}, methods)
}
