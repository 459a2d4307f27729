package main

import (
	"context"
	"encoding/json"
	"net/http"
	"sync/atomic"
	"time"
)

// checkTimeout bounds one readiness check.
const checkTimeout = 2 * time.Second

// check is a condition for being ready. An optional check is reported but does
// not make the service unready: it serves requests all the same.
type check struct {
	name     string
	optional bool
	run      func(ctx context.Context) error
}

// health answers whether the program lives and whether it should be sent
// requests. Draining makes it unready while requests are still answered, so
// that load balancers turn away before the listener closes.
type health struct {
	checks   []check
	draining atomic.Bool
}

type checkResult struct {
	Name     string `json:"name"`
	Ok       bool   `json:"ok"`
	Optional bool   `json:"optional,omitempty"`
	Error    string `json:"error,omitempty"`
}

func (h *health) live(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]bool{"live": true})
}

func (h *health) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), checkTimeout)
	defer cancel()
	results := make([]checkResult, len(h.checks))
	ready := !h.draining.Load()
	for i, c := range h.checks {
		results[i] = checkResult{Name: c.name, Ok: true, Optional: c.optional}
		if err := c.run(ctx); err != nil {
			// The cause may name hosts; it goes to the log where it occurs.
			results[i].Ok, results[i].Error = false, "not available"
			ready = ready && c.optional
		}
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
