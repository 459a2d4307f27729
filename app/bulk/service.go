// Package bulk implements bulk operations: an operation of package app or administration, repeated for each resource of a fixed
// selection with the rights of the person who started it. Preview fixes the selection, Start hands it to a workflow of the
// service, RunBatch is the step of the workflow. The change of a resource and its record in the bulk operation are one
// transaction, so a repeated step changes no resource twice.
//
// The table in kind.go lists the kinds and says how to add one.
package bulk

import (
	"log/slog"
	"time"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/storage"
)

// Options configure a Service.
type Options struct {
	Store          *storage.Store
	App            *app.Service
	Administration *administration.Service
	Logger         *slog.Logger
}

// Service implements bulk operations. It is safe for concurrent use.
type Service struct {
	store          *storage.Store
	app            *app.Service
	administration *administration.Service
	log            *slog.Logger
}

// New returns a Service.
func New(o Options) *Service {
	return &Service{store: o.Store, app: o.App, administration: o.Administration, log: o.Logger}
}

// Background returns the same service in the background of its store, for work that no request waits for.
func (s *Service) Background() *Service {
	return &Service{
		store: s.store.Background(), app: s.app.Background(), administration: s.administration.Background(), log: s.log,
	}
}

// now returns the current time in the precision of the database.
func (s *Service) now() time.Time { return s.store.Now() }
