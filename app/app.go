// Package app is what can be done: every operation of the service, each in the
// file that bears its name, whatever interface it is called through. An
// operation takes the caller, checks the permission and the rule, and commits
// the change, its events and its commands for Temporal in one transaction.
//
// Operations never wait for Temporal: what it is to do is staged in the
// transaction and carried out by the outbox.
package app

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/assistance"
	"github.com/procession-dev/procession/assistance/extract"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/form/press"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/webhook"
)

// DefaultTaskLogLimit is how many entries the log of a task keeps unless the
// configuration says otherwise.
const DefaultTaskLogLimit = 100

// Options are what a Service is made of.
type Options struct {
	DB *persistence.DB
	// Clock tells the time.
	Clock func() time.Time
	// Wake is called after a transaction that staged commands for Temporal has
	// committed. It must not block.
	Wake func()
	// Recorded is called after a transaction has committed that recorded events
	// which webhooks and the live feed tell of, or has deliveries made again. It must
	// not block, and may be nil.
	Recorded func()
	// TaskLogLimit is how many entries the log of a task keeps, 1..10000.
	TaskLogLimit int
	// CancelGrace is how long a workflow that was asked to cancel may take
	// before it is terminated.
	CancelGrace time.Duration
	// Issuer issues access to the engine.
	Issuer *authn.Issuer
	// Sealer seals the secrets that are kept. Without one no webhook secrets can be
	// issued, and no encryption keys made or read.
	Sealer *authn.Sealer
	// Lifetimes bound how long issued secrets work.
	Lifetimes SecretLifetimes
	// Documents keeps the bytes of documents.
	Documents *blobstore.Store
	// MaxDocumentBytes is how large a document may be, 0 for
	// DefaultMaxDocumentBytes.
	MaxDocumentBytes int64
	// Webhooks sends events to subscribers.
	Webhooks WebhookSender
	// CheckWebhookURL refuses URLs that events cannot be sent to with a
	// webhook.URLError. Without it only what is public is accepted.
	CheckWebhookURL func(url string) error
	// WebhookDelay says when attempts are repeated, webhook.NextDelay unless given.
	WebhookDelay WebhookDelay
	// TaskQueuePatience is how long task queues may be unattended before that is
	// told as a problem; the zero value is domain.DefaultTaskQueuePatience.
	TaskQueuePatience domain.TaskQueuePatience
	// Assistance is what answers prompts and embeds texts, nil for nothing.
	Assistance assistance.Provider
	// Texts reads the documents that assistance is about; without it one that reads
	// no PDFs.
	Texts *extract.Reader
	// AssistanceTime is how long a run of AI assistance may take, 0 for
	// DefaultAssistanceTime.
	AssistanceTime time.Duration
	// Quotas are those of each tenant, nil for domain.DefaultQuotas.
	Quotas *domain.Quotas
	// Forms puts forms on paper. There is no such thing when it is nil.
	Forms *press.Press
}

// Service carries out the operations. It is safe for concurrent use.
type Service struct {
	db     *persistence.DB
	reader *persistence.Reader
	// streams reads for answers that go on while their clients take them.
	streams      *persistence.Reader
	clock        func() time.Time
	wake         func()
	recorded     func()
	taskLogLimit int
	cancelGrace  time.Duration
	issuer       *authn.Issuer
	revocations  *authn.Revocations
	sealer       *authn.Sealer
	definitions  *definitionCache
	// artifactDefinitions are those of business artifacts.
	artifactDefinitions *artifactDefinitionCache
	encryptionKeys      *encryptionKeyCache
	environmentReads    *environmentReads
	lifetimes           SecretLifetimes
	documents           *blobstore.Store
	maxDocument         int64
	webhooks            WebhookSender
	checkWebhookURL     func(url string) error
	webhookDelay        WebhookDelay
	queuePatience       domain.TaskQueuePatience
	// assistant is nil where there is no AI assistance.
	assistant      *assistant
	assistanceTime time.Duration
	forms          *press.Press
	quotas         domain.Quotas
}

// New makes a Service.
func New(o Options) *Service {
	reader := o.DB.Reader()
	if o.Recorded == nil {
		o.Recorded = func() {}
	}
	if o.CheckWebhookURL == nil {
		o.CheckWebhookURL = checkPublicURL
	}
	if o.Quotas == nil {
		o.Quotas = new(domain.DefaultQuotas())
	}
	if o.WebhookDelay == nil {
		o.WebhookDelay = webhook.NextDelay
	}
	return &Service{
		db: o.DB, reader: reader, streams: o.DB.Streams().Reader(), clock: o.Clock, wake: o.Wake, recorded: o.Recorded,
		taskLogLimit: o.TaskLogLimit, cancelGrace: o.CancelGrace, issuer: o.Issuer, sealer: o.Sealer,
		revocations: authn.NewRevocations(o.DB.Background().Reader(), o.Clock),
		definitions: newDefinitionCache(), artifactDefinitions: newArtifactDefinitionCache(),
		encryptionKeys: newEncryptionKeyCache(), environmentReads: newEnvironmentReads(),
		lifetimes: o.Lifetimes,
		documents: o.Documents, maxDocument: cmp.Or(o.MaxDocumentBytes, DefaultMaxDocumentBytes),
		queuePatience: cmp.Or(o.TaskQueuePatience, domain.DefaultTaskQueuePatience()),
		webhooks:      o.Webhooks, checkWebhookURL: o.CheckWebhookURL, webhookDelay: o.WebhookDelay,
		assistant: newAssistant(o.Assistance, o.Texts), assistanceTime: cmp.Or(o.AssistanceTime, DefaultAssistanceTime),
		forms: o.Forms, quotas: *o.Quotas,
	}
}

// Background is the same service for work that no request waits for. It has
// connections to the database of its own, so that requests which occupy theirs do
// not hold it up.
func (s *Service) Background() *Service {
	background := *s
	background.db = s.db.Background()
	background.reader = background.db.Reader()
	return &background
}

// errUnrecorded is the failure of an operation that is not written as it should
// be.
var errUnrecorded = errors.New("the operation changes something and records no event")

// write runs fn in a transaction and, once that has committed, wakes whoever
// carries out the commands it staged and whoever tells of the events it recorded.
// What changes something has to record it with tx.Record.
func (s *Service) write(ctx context.Context, fn func(tx *persistence.Tx) error) error {
	staged, public, revoked := false, false, false
	err := s.db.Write(ctx, func(tx *persistence.Tx) error {
		if err := preferPrecondition(fn(tx), tx); err != nil {
			return err
		}
		if tx.Changed() && !tx.Recorded() {
			return errUnrecorded
		}
		staged, public, revoked = tx.Staged(), tx.RecordedPublic(), tx.Revoked()
		return nil
	})
	if err == nil && staged {
		s.wake()
	}
	if err == nil && public {
		s.recorded()
	}
	if err == nil && revoked {
		// When this fails, the reload that follows in seconds does the same.
		_ = s.revocations.Reload(ctx)
	}
	return err
}

// preferPrecondition returns the failure of the request's precondition where fn has
// succeeded, or failed because of what the precondition is about: the state of the
// resource. What the caller may not see or do comes first (RFC 9110, section 13.2.1).
func preferPrecondition(err error, tx *persistence.Tx) error {
	var refusal *domain.Error
	switch {
	case err == nil || errors.Is(err, domain.ErrActionFinal):
	case !errors.As(err, &refusal):
		return err
	case refusal.Code == domain.CodeProcessFinished:
	case refusal.Kind != domain.KindConflict && refusal.Kind != domain.KindInvalid:
		return err
	}
	if failed := tx.CheckPrecondition(); failed != nil {
		return failed
	}
	return err
}

// WithPrecondition has the writes of a request under the context succeed only if
// the resource that they are about is as p requires when they hold its lock. Others
// fail with PRECONDITION_FAILED and change nothing.
func WithPrecondition(ctx context.Context, p domain.Precondition) context.Context {
	return persistence.WithPrecondition(ctx, p)
}

// note runs fn in a transaction that keeps what the service found out or has got
// done for itself, as a step on the way. Nobody is told of it.
func (s *Service) note(ctx context.Context, fn func(tx *persistence.Tx) error) error {
	return s.db.Write(ctx, fn)
}

// WithRequestID has what operations record under the context say which request it
// belongs to. An id has at most 128 characters.
func WithRequestID(ctx context.Context, id string) context.Context {
	return persistence.WithRequestID(ctx, id)
}

// now is one clock reading, in the precision the database keeps.
func (s *Service) now() time.Time { return s.clock().UTC().Truncate(time.Microsecond) }

// idOr is the identifier the caller chose, or else a new one.
func idOr(chosen *uuid.UUID) uuid.UUID {
	if chosen != nil {
		return *chosen
	}
	return domain.NewID()
}
