package server

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/pprof"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/cmd/procession/config"
)

// checkTimeout bounds one readiness check.
const checkTimeout = 2 * time.Second

// check is a condition of readiness. The failure of an optional check is reported but leaves the service ready.
type check struct {
	name     string
	optional bool
	run      func(ctx context.Context) error
	// tolerance is how long the check may fail before the service is not ready.
	tolerance time.Duration
}

// health answers probes of liveness and readiness. While draining it reports not ready, so that load balancers
// stop sending requests before the listener closes.
type health struct {
	checks   []check
	draining *atomic.Bool
	clock    func() time.Time

	mu sync.Mutex
	// failing contains the beginning of the present failure of each check by its name.
	failing map[string]time.Time
}

// newHealth returns a health with the checks.
func newHealth(draining *atomic.Bool, clock func() time.Time, checks ...check) *health {
	return &health{checks: checks, draining: draining, clock: clock, failing: map[string]time.Time{}}
}

// record records the result of a check and reports whether the service is ready in spite of it. The tolerance begins with the first
// failure that a probe has found.
func (h *health) record(c check, err error) (ready bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err == nil {
		delete(h.failing, c.name)
		return true
	}
	since, ok := h.failing[c.name]
	if !ok {
		since = h.clock()
		h.failing[c.name] = since
	}
	return c.optional || h.clock().Sub(since) < c.tolerance
}

type checkResult struct {
	Name     string `json:"name"`
	Ok       bool   `json:"ok"`
	Optional bool   `json:"optional,omitempty"`
	Error    string `json:"error,omitempty"`
}

func (h *health) serveLiveness(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]bool{"live": true})
}

func (h *health) serveReadiness(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), checkTimeout)
	defer cancel()
	results := make([]checkResult, len(h.checks))
	ready := !h.draining.Load()
	for i, c := range h.checks {
		results[i] = checkResult{Name: c.name, Ok: true, Optional: c.optional}
		err := c.run(ctx)
		if err != nil {
			// The cause may name hosts; it goes to the log where it occurs.
			results[i].Ok, results[i].Error = false, "not available"
		}
		ready = h.record(c, err) && ready
	}
	status := http.StatusOK
	if !ready {
		status = http.StatusServiceUnavailable
	}
	writeJSON(w, status, map[string]any{"ready": ready, "draining": h.draining.Load(), "checks": results})
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// A client that has gone away is not an error of the service.
	_ = json.NewEncoder(w).Encode(body) //nolint:errchkjson // see above
}

// addHealth creates the checks and the handler of the health listener.
func (s *Service) addHealth(documents *blobstore.Store, m *metrics) {
	s.health = newHealth(&s.draining, time.Now,
		check{name: "database", run: s.checkDatabase, tolerance: s.config.DatabaseOutageTolerance},
		check{name: "documents", optional: true, run: documents.Ready},
		check{name: "temporal", optional: true, run: s.temporalReady},
	)
	mux := http.NewServeMux()
	for path, handler := range map[string]http.Handler{
		"/livez": http.HandlerFunc(s.health.serveLiveness), "/readyz": http.HandlerFunc(s.health.serveReadiness),
		"/metrics":   promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry}),
		profilesPath: s.profileHandler(),
	} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			httpio.RecordOf(r.Context()).Route = path
			handler.ServeHTTP(w, r)
		})
	}
	s.healthHandler = mux
}

// profilesPath is the path of profiles of the process, as go tool pprof expects it.
const profilesPath = "/debug/pprof/"

// profileHandler serves the profiles of the process. Unless --health-profiles is set, it answers only on a loopback address and to a
// loopback Host, so that a web page cannot read them through a name of its own. The command line is not served: it may
// have secrets.
func (s *Service) profileHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc(profilesPath, pprof.Index)
	mux.HandleFunc(profilesPath+"cmdline", http.NotFound)
	mux.HandleFunc(profilesPath+"profile", pprof.Profile)
	mux.HandleFunc(profilesPath+"symbol", pprof.Symbol)
	mux.HandleFunc(profilesPath+"trace", pprof.Trace)
	if s.config.HealthProfiles {
		return mux
	}
	if !config.IsLoopback(config.HostOf(s.config.ListenHealth)) {
		return http.NotFoundHandler()
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !config.IsLoopback(config.HostOf(r.Host)) {
			http.NotFound(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
