package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const (
	maxBody = 1 << 20
	// remembered is how many events are remembered as done.
	remembered = 10_000
)

// event is the body of a webhook. Data is different for each type.
type event struct {
	ID   string          `json:"id"`
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

// receiver takes webhooks: it verifies who they are from, has each event handled once, and says that it was. What
// cannot be handled now is refused, and the service sends it again.
type receiver struct {
	verifiers []*standardwebhooks.Webhook
	handle    func(context.Context, event) error
	logger    *slog.Logger

	mu   sync.Mutex
	done map[string]bool
	// order are the ids in done, the oldest first.
	order []string
	// underWay holds the ids that are being handled.
	underWay map[string]bool
}

// newReceiver makes a receiver that knows one or more secrets.
func newReceiver(secrets []string, handle func(context.Context, event) error, logger *slog.Logger) (*receiver, error) {
	r := &receiver{handle: handle, logger: logger, done: map[string]bool{}, underWay: map[string]bool{}}
	for i, secret := range secrets {
		verifier, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			return nil, fmt.Errorf("webhook secret %d is not whsec_ and base64", i+1)
		}
		r.verifiers = append(r.verifiers, verifier)
	}
	return r, nil
}

// ServeHTTP implements http.Handler.
func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, maxBody))
	if err != nil {
		http.Error(w, "the body cannot be read", http.StatusBadRequest)
		return
	}
	if !r.verified(body, request.Header) {
		http.Error(w, "the signature is not valid", http.StatusUnauthorized)
		return
	}
	var told event
	if err := json.Unmarshal(body, &told); err != nil {
		http.Error(w, "the body is not an event", http.StatusBadRequest)
		return
	}
	// The id of the webhook is that of the event, on every attempt.
	id := request.Header.Get(standardwebhooks.HeaderWebhookID)
	if again, busy := r.begin(id); again {
		return
	} else if busy {
		http.Error(w, "the event is being handled", http.StatusServiceUnavailable)
		return
	}
	err = r.handle(request.Context(), told)
	r.end(id, err == nil)
	if err != nil {
		r.logger.WarnContext(request.Context(), "an event could not be handled", slog.String("id", id),
			slog.String("type", told.Type), slog.Any("error", err))
		http.Error(w, "the event could not be handled", http.StatusServiceUnavailable)
	}
}

// verified reports whether one of the secrets signed the body, within the last minutes.
func (r *receiver) verified(body []byte, header http.Header) bool {
	err := errors.New("no secret")
	for _, verifier := range r.verifiers {
		if err = verifier.Verify(body, header); err == nil {
			return true
		}
	}
	r.logger.Warn("a webhook was refused", slog.Any("error", err))
	return false
}

// begin reports whether an event was handled already, or is being handled; else it is the caller's to handle.
func (r *receiver) begin(id string) (again, busy bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	again, busy = r.done[id], r.underWay[id]
	if !again && !busy {
		r.underWay[id] = true
	}
	return again, busy
}

// end remembers an event that was handled.
func (r *receiver) end(id string, handled bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.underWay, id)
	if !handled {
		return
	}
	r.done[id] = true
	if r.order = append(r.order, id); len(r.order) > remembered {
		delete(r.done, r.order[0])
		r.order = r.order[1:]
	}
}
