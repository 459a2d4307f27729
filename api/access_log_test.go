package api_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

func TestAccessLog(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	var logged bytes.Buffer
	s := apitest.NewService(t, func(o *api.Options) {
		o.Log = slog.New(slog.NewJSONHandler(&logged, nil))
		o.TrustedProxies = httpio.Proxies{netip.MustParsePrefix("10.0.0.0/8")}
	})
	tenant := demo.TenantDemo().String()
	for name, test := range map[string]struct {
		as     *demo.Account
		peer   string
		chain  []string
		status int
		want   map[string]any
	}{
		"user": {
			new(demo.Alice()), "192.0.2.1:4711", nil, 200,
			map[string]any{"peer": "192.0.2.1", "principal": demo.Alice().ID.String(), "principal_kind": "USER", "tenant": tenant},
		},
		"application": {
			new(demo.LoanWorker()), "[::ffff:192.0.2.1]:4711", nil, 200,
			map[string]any{"peer": "192.0.2.1", "principal": demo.LoanWorker().ID.String(), "principal_kind": "APPLICATION", "tenant": tenant},
		},
		"nothing is believed of others": {
			nil, "192.0.2.1:4711",
			[]string{"203.0.113.9"},
			401,
			map[string]any{"peer": "192.0.2.1"},
		},
		"behind proxies": {
			nil, "10.0.0.1:4711",
			[]string{"198.51.100.1, 203.0.113.9", "10.9.9.9"},
			401,
			map[string]any{"peer": "10.0.0.1", "client": "203.0.113.9"},
		},
		"behind a proxy without a usable header": {
			nil, "10.0.0.1:4711",
			[]string{"203.0.113.9, unknown"},
			401,
			map[string]any{"peer": "10.0.0.1"},
		},
		"through the proxies only": {
			nil, "10.0.0.1:4711",
			[]string{"10.0.0.3,10.0.0.2"},
			401,
			map[string]any{"peer": "10.0.0.1", "client": "10.0.0.3"},
		},
	} {
		logged.Reset()
		r := apitest.Request(t, demo.Alice(), http.MethodGet, "/tenants/"+tenant+"?secret=1", "")
		r.Header.Set("X-Request-Id", "mine")
		r.Header.Set("Authorization", "Bearer wrong")
		if test.as != nil {
			r.Header.Set("Authorization", apitest.Authorization(*test.as))
		}
		r.RemoteAddr = test.peer
		r.Header["X-Forwarded-For"] = test.chain
		require.Equal(t, test.status, s.Send(r).Status, name)
		lines := strings.Split(strings.TrimSpace(logged.String()), "\n")
		require.Len(t, lines, 1, name)
		var got map[string]any
		require.NoError(t, json.Unmarshal([]byte(lines[0]), &got))
		for _, member := range []string{"time", "level", "msg", "duration_ms"} {
			require.Contains(t, got, member)
			delete(got, member)
		}
		test.want["method"], test.want["route"], test.want["request_id"] = "GET", "/v2024-06-14/tenants/:id", "mine"
		test.want["status"] = float64(test.status)
		require.Equal(t, test.want, got, name)
	}
}

// The duration is in milliseconds, and polls of published documents do not fill the log.
func TestAccessLogOfPolls(t *testing.T) {
	t.Parallel()
	var logged bytes.Buffer
	at := time.Date(2026, time.March, 2, 10, 30, 0, 0, time.UTC)
	s := apitest.NewService(t, func(o *api.Options) {
		o.Log = slog.New(slog.NewJSONHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
		o.Clock = func() time.Time { at = at.Add(1500 * time.Microsecond); return at }
	})
	for _, c := range []struct {
		path, level string
	}{
		{"/.well-known/jwks.json", "DEBUG"},
		{"/.well-known/nothing", "INFO"},
		{"/openapi/admin.yaml", "INFO"},
	} {
		logged.Reset()
		public(s, http.MethodGet, c.path)
		var got struct {
			Level    string
			Duration float64 `json:"duration_ms"`
		}
		lines := strings.Split(strings.TrimSpace(logged.String()), "\n")
		last := lines[len(lines)-1]
		require.Contains(t, last, `"msg":"request"`)
		require.NoError(t, json.Unmarshal([]byte(last), &got), c.path)
		require.Equal(t, c.level, got.Level, c.path)
		require.GreaterOrEqual(t, got.Duration, 1.5)
		require.Less(t, got.Duration, 1000.0)
	}
}
