// Package webhooks receives the events of a webhook subscription: it verifies who they are from and has each handled once.
// Programs that drive processes by events need no Temporal.
package webhooks

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"

	"github.com/google/uuid"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/procession-dev/procession/sdk/rest"
)

const (
	maxBody = 1 << 20
	// remembered is how many events are remembered as done.
	remembered = 10_000

	secretPrefix = "whsec_"
	// Standard Webhooks bounds the length of a key.
	minKeyBytes, maxKeyBytes = 24, 64
)

// Event is the body of a webhook. Data is different for each type; Decode reads it.
type Event struct {
	ID   string          `json:"id"`
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

// Types of events that are about processes and tasks. Others may come, and should be taken as handled.
const (
	ProcessStateChanged = "PROCESS.STATE_CHANGED"
	TaskStateChanged    = "PROCESS_ITEM.TASK_STATE_CHANGED"
)

// ProcessState is the data of ProcessStateChanged.
type ProcessState struct {
	ProcessID uuid.UUID         `json:"processId"`
	State     rest.ProcessState `json:"processState"`
}

// TaskState is the data of TaskStateChanged.
type TaskState struct {
	ProcessID uuid.UUID                 `json:"processId"`
	ItemID    uuid.UUID                 `json:"processItemId"`
	State     rest.ProcessItemTaskState `json:"processItemState"`
	Code      string                    `json:"processItemDefinitionCode"`
}

// Decode reads the data of an event.
func Decode[T any](e Event) (T, error) {
	var data T
	if err := json.Unmarshal(e.Data, &data); err != nil {
		return data, fmt.Errorf("reading a %s: %w", e.Type, err)
	}
	return data, nil
}

// Handler receives webhooks: it verifies the signature, calls the function once per event, and acknowledges it. After an
// error the service resends the event, so events may arrive late and out of order. Handler remembers the last 10,000
// events until the program ends; the function must tolerate repeated events.
type Handler struct {
	verifiers []*standardwebhooks.Webhook
	handle    func(context.Context, Event) error
	logger    *slog.Logger

	mu   sync.Mutex
	done map[string]bool
	// order are the ids in done, the oldest first.
	order []string
	// underWay holds the ids that are being handled.
	underWay map[string]bool
}

// NewHandler returns a handler that accepts one or more secrets of a subscription: two during a rotation. A secret is
// whsec_ and the base64 of 24 to 64 bytes, as the service issues it. No secret, and any other text, is an error: a
// handler with an empty or guessable key accepts forged events.
func NewHandler(secrets []string, handle func(context.Context, Event) error, logger *slog.Logger) (*Handler, error) {
	if len(secrets) == 0 {
		return nil, errors.New("webhook secrets must not be empty: pass the secret of the subscription")
	}
	r := &Handler{handle: handle, logger: logger, done: map[string]bool{}, underWay: map[string]bool{}}
	for i, secret := range secrets {
		verifier, err := newVerifier(secret)
		if err != nil {
			return nil, fmt.Errorf("webhook secret %d %w", i+1, err)
		}
		r.verifiers = append(r.verifiers, verifier)
	}
	return r, nil
}

// newVerifier checks a secret by the rules of Standard Webhooks. Errors do not quote it.
func newVerifier(secret string) (*standardwebhooks.Webhook, error) {
	encoded, found := strings.CutPrefix(secret, secretPrefix)
	if !found {
		return nil, errors.New("must begin with " + secretPrefix)
	}
	key, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil {
		return nil, errors.New("must be base64 after " + secretPrefix)
	}
	if len(key) < minKeyBytes || len(key) > maxKeyBytes {
		return nil, fmt.Errorf("must have %d to %d bytes, not %d", minKeyBytes, maxKeyBytes, len(key))
	}
	return standardwebhooks.NewWebhookRaw(key)
}

// ServeHTTP implements http.Handler.
func (r *Handler) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, maxBody))
	if err != nil {
		http.Error(w, "the body cannot be read", http.StatusBadRequest)
		return
	}
	if !r.isVerified(body, request.Header) {
		http.Error(w, "the signature is not valid", http.StatusUnauthorized)
		return
	}
	var event Event
	if err := json.Unmarshal(body, &event); err != nil {
		http.Error(w, "the body is not an event", http.StatusBadRequest)
		return
	}
	// The id of the webhook is the id of the event, on every attempt.
	id := request.Header.Get(standardwebhooks.HeaderWebhookID)
	if again, busy := r.beginEvent(id); again {
		return
	} else if busy {
		http.Error(w, "the event is being handled", http.StatusServiceUnavailable)
		return
	}
	if err := r.handleOnce(request.Context(), id, event); err != nil {
		r.logger.WarnContext(request.Context(), "an event could not be handled", slog.String("id", id),
			slog.String("type", event.Type), slog.Any("error", err))
		http.Error(w, "the event could not be handled", http.StatusServiceUnavailable)
		return
	}
	r.logger.InfoContext(request.Context(), "an event was handled", slog.String("id", id), slog.String("type", event.Type))
}

// handleOnce handles an event that begin admitted. A panic leaves it to the next attempt.
func (r *Handler) handleOnce(ctx context.Context, id string, event Event) (err error) {
	handled := false
	defer func() { r.endEvent(id, handled) }()
	err = r.handle(ctx, event)
	handled = err == nil
	return err
}

// isVerified reports whether one of the secrets signed the body, within the last minutes.
func (r *Handler) isVerified(body []byte, header http.Header) bool {
	err := errors.New("no secret")
	for _, verifier := range r.verifiers {
		if err = verifier.Verify(body, header); err == nil {
			return true
		}
	}
	r.logger.Warn("a webhook was refused", slog.Any("error", err))
	return false
}

// beginEvent reports whether an event was handled already, or is being handled; else it is the caller's to handle.
func (r *Handler) beginEvent(id string) (again, busy bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	again, busy = r.done[id], r.underWay[id]
	if !again && !busy {
		r.underWay[id] = true
	}
	return again, busy
}

// endEvent remembers an event that was handled.
func (r *Handler) endEvent(id string, handled bool) {
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
