package authn

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/procession-dev/procession/internal/loop"
	"github.com/procession-dev/procession/persistence"
)

// DefaultRevocationReload is how often RefreshEvery should reload, so that a
// revocation in another replica is known within ten seconds.
const DefaultRevocationReload = 5 * time.Second

// Revocations is an in-memory list of the engine tokens and certificates that
// were revoked and have not expired. It is safe for concurrent use.
type Revocations struct {
	reader *persistence.Reader
	clock  func() time.Time
	// reloading lets the newest list win.
	reloading sync.Mutex
	document  atomic.Pointer[[]byte]
}

// NewRevocations returns Revocations, which are not known before Reload.
func NewRevocations(reader *persistence.Reader, clock func() time.Time) *Revocations {
	return &Revocations{reader: reader, clock: clock}
}

// revocationList is the published form. Both lists are present even when empty.
type revocationList struct {
	GeneratedAt  time.Time `json:"generatedAt"`
	Tokens       []string  `json:"tokens"`
	Certificates []string  `json:"certificates"`
}

// Document returns the list in JSON, nil before the first Reload. It must not be
// changed.
func (r *Revocations) Document() []byte {
	if document := r.document.Load(); document != nil {
		return *document
	}
	return nil
}

// Reload reads the list again. When it fails, the list stays as it was, with the
// time at which it was read.
func (r *Revocations) Reload(ctx context.Context) error {
	r.reloading.Lock()
	defer r.reloading.Unlock()
	now := r.clock().UTC()
	// Expired entries are listed a little longer, for engines with slow clocks.
	revoked, err := r.reader.ListEngineRevocations(ctx, now.Add(-clockSkew))
	if err != nil {
		return fmt.Errorf("reading the engine revocations: %w", err)
	}
	document, err := json.Marshal(revocationList{
		GeneratedAt: now.Truncate(time.Millisecond), Tokens: revoked.Tokens, Certificates: revoked.Certificates,
	})
	if err != nil {
		return fmt.Errorf("writing the engine revocations: %w", err)
	}
	r.document.Store(&document)
	return nil
}

// RefreshEvery reloads the list at an interval until ctx ends.
func (r *Revocations) RefreshEvery(ctx context.Context, interval time.Duration, log *slog.Logger) {
	loop.Every(ctx, interval, func() {
		if err := r.Reload(ctx); err != nil && ctx.Err() == nil {
			log.LogAttrs(ctx, slog.LevelError, "reloading engine revocations failed", slog.Any("error", err))
		}
	})
}
