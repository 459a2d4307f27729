// Package administration implements the operations of the administration API and of the commands that set a service up,
// one file per operation. An operation takes a domain.Call, checks the permission and the rule, and commits the change
// and its events in one transaction.
package administration

import (
	"cmp"
	"context"
	"time"

	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// Options configure a Service.
type Options struct {
	// Store is the storage of the operations, shared with package app.
	Store *storage.Store
	// Sealer seals stored secrets. Without one, issuing secrets of webhooks, making encryption keys and
	// setting environment variables of robots fail.
	Sealer *authn.Sealer
	// Issuer issues the access of operators to the engine. Without one none is
	// issued.
	Issuer *authn.Issuer
	// EngineAddresses are the addresses of Temporal's clusters by name, "" is the default one.
	EngineAddresses map[string]string
	// EngineNamespace is the namespace of the service's own workflows, in the default cluster.
	EngineNamespace string
	// CloudAccounts are the suffixes of namespaces in Temporal Cloud by the names of clusters.
	CloudAccounts map[string]string
	// Lifetimes bound how long issued secrets work.
	Lifetimes SecretLifetimes
	// NoPersonalTokens refuses to issue and to declare personal access tokens.
	NoPersonalTokens bool
	// Documents is the blob store of the files of robots.
	Documents *blobstore.Store
	// MaxDocumentBytes is how large a file of a robot may be, 0 for
	// storage.DefaultMaxDocumentBytes.
	MaxDocumentBytes int64
	// CheckWebhookURL refuses unusable URLs with a webhook.URLError. The default accepts public addresses only.
	CheckWebhookURL func(url string) error
	// TaskQueueTimeouts is how long task queues may be unattended before that is
	// a problem; the zero value is domain.DefaultTaskQueueTimeouts.
	TaskQueueTimeouts domain.TaskQueueTimeouts
	// SessionIdle is how long a session of the console lasts without being used; 0 for
	// authn.DefaultSessionIdle.
	SessionIdle time.Duration
	// CancelGrace is how long a workflow that was asked to cancel may take.
	CancelGrace time.Duration
	// Version is the version of the service.
	Version string
	// BaseURL is the beginning of links in messages, "" for none.
	BaseURL string
	// Examine checks the dependencies of the service; nil for no checks.
	Examine func(ctx context.Context) []domain.Finding
}

// Service carries out the operations. It is safe for concurrent use.
type Service struct {
	store           *storage.Store
	sealer          *authn.Sealer
	issuer          *authn.Issuer
	engineAddresses map[string]string
	engineNamespace string
	cloudAccounts   map[string]string
	lifetimes       SecretLifetimes
	// noPersonalTokens is Options.NoPersonalTokens.
	noPersonalTokens bool
	uploads          *storage.Documents
	checkWebhookURL  func(url string) error
	queueTimeouts    domain.TaskQueueTimeouts
	sessionIdle      time.Duration
	version          string
	baseURL          string
	cancelGrace      time.Duration
	examiner         *examiner
}

// New returns a Service.
func New(o Options) *Service {
	if o.CheckWebhookURL == nil {
		o.CheckWebhookURL = checkPublicURL
	}
	return &Service{
		store: o.Store, sealer: o.Sealer, issuer: o.Issuer, engineAddresses: o.EngineAddresses, engineNamespace: o.EngineNamespace, cloudAccounts: o.CloudAccounts, lifetimes: o.Lifetimes, noPersonalTokens: o.NoPersonalTokens,
		uploads: &storage.Documents{
			Store: o.Store, Blobs: o.Documents, MaxBytes: cmp.Or(o.MaxDocumentBytes, storage.DefaultMaxDocumentBytes),
		},
		checkWebhookURL: o.CheckWebhookURL,
		queueTimeouts:   cmp.Or(o.TaskQueueTimeouts, domain.DefaultTaskQueueTimeouts()),
		sessionIdle:     cmp.Or(o.SessionIdle, authn.DefaultSessionIdle),
		version:         o.Version,
		baseURL:         o.BaseURL,
		cancelGrace:     o.CancelGrace,
		examiner:        &examiner{examine: o.Examine},
	}
}

// Background returns the same service in the background of its store, for work that no request waits for.
func (s *Service) Background() *Service {
	background := *s
	background.store = s.store.Background()
	return &background
}

// write runs fn in a transaction of the store.
func (s *Service) write(
	ctx context.Context, call domain.Call, fn func(tx *persistence.Tx) (domain.Events, error),
) error {
	return s.store.Write(ctx, call, fn)
}

// now returns the current time in the precision of the database.
func (s *Service) now() time.Time { return s.store.Now() }
