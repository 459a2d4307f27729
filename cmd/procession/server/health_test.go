package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cmd/procession/config"
)

func TestReadiness(t *testing.T) {
	t.Parallel()
	up := func(context.Context) error { return nil }
	down := func(context.Context) error { return errors.New("db.example is down") }
	for name, c := range map[string]struct {
		database, temporal func(context.Context) error
		draining           bool
		status             int
		body               string
	}{
		"all is well": {database: up, temporal: up, status: http.StatusOK, body: `{"ready":true,"draining":false,"checks":[
			{"name":"database","ok":true},{"name":"temporal","ok":true,"optional":true}]}`},
		"without Temporal requests are served, and the answer says what is missing": {
			database: up, temporal: down, status: http.StatusOK,
			body: `{"ready":true,"draining":false,"checks":[
			{"name":"database","ok":true},{"name":"temporal","ok":false,"optional":true,"error":"not available"}]}`,
		},
		"without PostgreSQL none are": {database: down, temporal: up, status: http.StatusServiceUnavailable, body: `{"ready":false,"draining":false,
			"checks":[{"name":"database","ok":false,"error":"not available"},{"name":"temporal","ok":true,"optional":true}]}`},
		"draining": {
			database: up, temporal: up, draining: true, status: http.StatusServiceUnavailable,
			body: `{"ready":false,"draining":true,"checks":[{"name":"database","ok":true},{"name":"temporal","ok":true,"optional":true}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHealth(new(atomic.Bool), time.Now, check{name: "database", run: c.database}, check{name: "temporal", optional: true, run: c.temporal})
			h.draining.Store(c.draining)
			answer := httptest.NewRecorder()
			h.serveReadiness(answer, httptest.NewRequest(http.MethodGet, "/readyz", nil))
			require.Equal(t, c.status, answer.Code)
			require.JSONEq(t, c.body, answer.Body.String())
		})
	}
}

// A restart of PostgreSQL, which all replicas notice at once, leaves a balancer its backends.
func TestReadinessToleratesAShortOutage(t *testing.T) {
	t.Parallel()
	now, down := time.Unix(0, 0), error(nil)
	h := newHealth(new(atomic.Bool), func() time.Time { return now }, check{
		name: "database", run: func(context.Context) error { return down }, tolerance: 30 * time.Second,
	})
	for _, probe := range []struct {
		after  time.Duration
		down   bool
		status int
	}{
		{0, false, http.StatusOK},
		{time.Hour, true, http.StatusOK},
		{29 * time.Second, true, http.StatusOK},
		{time.Second, true, http.StatusServiceUnavailable},
		{time.Second, false, http.StatusOK},
		{time.Second, true, http.StatusOK},
		{30 * time.Second, true, http.StatusServiceUnavailable},
	} {
		now, down = now.Add(probe.after), nil
		if probe.down {
			down = errors.New("down")
		}
		answer := httptest.NewRecorder()
		h.serveReadiness(answer, httptest.NewRequest(http.MethodGet, "/readyz", nil))
		require.Equal(t, probe.status, answer.Code, now)
		require.Contains(t, answer.Body.String(), fmt.Sprintf(`"ok":%t`, !probe.down))
	}
}

func TestProfilesAreForLoopback(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		listen, host, path string
		always             bool
		status             int
	}{
		"loopback":               {listen: "127.0.0.1:9090", host: "localhost:9090", status: http.StatusOK},
		"name of another site":   {listen: "127.0.0.1:9090", host: "attacker.example:9090", status: http.StatusNotFound},
		"all addresses":          {listen: ":9090", host: "localhost:9090", status: http.StatusNotFound},
		"setting":                {listen: ":9090", host: "10.0.0.1:9090", always: true, status: http.StatusOK},
		"secrets of the command": {listen: ":9090", host: "localhost", path: "cmdline", always: true, status: http.StatusNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &Service{config: config.Config{HTTP: config.HTTP{ListenHealth: c.listen, HealthProfiles: c.always}}}
			r := httptest.NewRequest(http.MethodGet, "http://"+c.host+profilesPath+c.path, nil)
			answer := httptest.NewRecorder()
			s.profileHandler().ServeHTTP(answer, r)
			require.Equal(t, c.status, answer.Code)
		})
	}
}
