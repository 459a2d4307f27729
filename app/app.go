// Package app implements the operations of both API versions and of the service's own workflows, one file per
// operation. Package administration has the operations of administrators. An operation takes a domain.Call, checks the
// permission and the rule, and commits the change, its events and its commands for Temporal in one transaction.
//
// Operations never wait for Temporal: commands are staged in the transaction and sent by the relay. Only
// RetrieveEngineHistory queries Temporal.
package app

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/assistance"
	"github.com/procession-dev/procession/assistance/extract"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/form/pdfworker"
	"github.com/procession-dev/procession/persistence"
)

// DefaultTaskLogLimit is the default number of entries that the log of a task
// holds.
const DefaultTaskLogLimit = 100

// Options configure a Service.
type Options struct {
	// Store is the storage of the operations, shared with package administration.
	Store *storage.Store
	// TaskLogLimit is how many entries the log of a task holds, 1..10000.
	TaskLogLimit int
	// CancelGrace is how long a workflow that was asked to cancel may take
	// before it is terminated.
	CancelGrace time.Duration
	// Issuer issues access to the engine.
	Issuer *authn.Issuer
	// Sealer opens stored secrets. Without one no encryption key and no environment
	// variable of a robot is read.
	Sealer *authn.Sealer
	// Documents is the blob store of documents.
	Documents *blobstore.Store
	// MaxDocumentBytes is how large a document may be, 0 for
	// storage.DefaultMaxDocumentBytes.
	MaxDocumentBytes int64
	// Assistance is the provider of AI assistance; nil disables it.
	Assistance assistance.Provider
	// Texts reads the documents that assistance is about; without it one that reads
	// no PDFs.
	Texts *extract.Reader
	// AssistanceTime is how long a run of AI assistance may take, 0 for
	// DefaultAssistanceTime.
	AssistanceTime time.Duration
	// Quotas are the quotas of each tenant, nil for domain.DefaultQuotas.
	Quotas *domain.Quotas
	// Forms renders forms as PDF. If it is nil, the feature is disabled.
	Forms *pdfworker.Pool
	// ViewWorkflow asks Temporal about a workflow; without it there is no look into the engine.
	ViewWorkflow WorkflowViewer
	// RepairPoints asks Temporal for the points of repairs; without it none are found.
	RepairPoints RepairPointFinder
}

// WorkflowViewer returns Temporal's view of a workflow, nil for an unknown one.
type WorkflowViewer func(ctx context.Context, q domain.WorkflowQuestion) (*domain.WorkflowView, error)

// Service carries out the operations. It is safe for concurrent use.
type Service struct {
	store *storage.Store
	// streams reads for answers that go on while their clients take them.
	streams      *persistence.Reader
	taskLogLimit int
	cancelGrace  time.Duration
	issuer       *authn.Issuer
	sealer       *authn.Sealer
	definitions  *definitionCache
	// artifactDefinitions are the definitions of business artifacts.
	artifactDefinitions *artifactDefinitionCache
	encryptionKeys      *encryptionKeyCache
	environmentReads    *environmentReads
	documents           *blobstore.Store
	uploads             *storage.Documents
	// assistant is nil where there is no AI assistance.
	assistant      *assistant
	assistanceTime time.Duration
	forms          *pdfworker.Pool
	quotas         domain.Quotas
	viewer         WorkflowViewer
	repairPoints   RepairPointFinder
	// opened counts the incidents that this replica has opened, by the index of their kind. Copies share it.
	opened *[4]atomic.Int64
	// views has an element for each look into the engine at the moment.
	views chan struct{}
	// feedReads has an element for each read of a stream at the moment.
	feedReads chan struct{}
	// longWork does the long validations and patches.
	longWork *longWorkLimiter
}

// New returns a Service.
func New(o Options) *Service {
	if o.Quotas == nil {
		o.Quotas = new(domain.DefaultQuotas())
	}
	return &Service{
		store: o.Store, streams: o.Store.DB.Streams().Reader(),
		taskLogLimit: o.TaskLogLimit, cancelGrace: o.CancelGrace, issuer: o.Issuer, sealer: o.Sealer,
		definitions: newDefinitionCache(), artifactDefinitions: newArtifactDefinitionCache(),
		encryptionKeys: newEncryptionKeyCache(), environmentReads: newEnvironmentReads(),
		documents: o.Documents, opened: new([4]atomic.Int64),
		uploads: &storage.Documents{
			Store: o.Store, Blobs: o.Documents, Quotas: *o.Quotas,
			MaxBytes: cmp.Or(o.MaxDocumentBytes, storage.DefaultMaxDocumentBytes),
		},
		assistant: newAssistant(o.Assistance, o.Texts), assistanceTime: cmp.Or(o.AssistanceTime, DefaultAssistanceTime),
		forms: o.Forms, quotas: *o.Quotas,
		viewer: o.ViewWorkflow, repairPoints: o.RepairPoints, views: make(chan struct{}, viewsAtOnce), feedReads: make(chan struct{}, feedReaders), longWork: newLongWorkLimiter(),
	}
}

// Background returns the same service in the background of its store, for work that no
// request waits for.
func (s *Service) Background() *Service {
	background := *s
	background.store = s.store.Background()
	background.uploads = new(*s.uploads)
	background.uploads.Store = background.store
	return &background
}

// write runs fn in a transaction of the store. Validations and patches that take long are done between transactions: fn
// is run again with their results.
func (s *Service) write(ctx context.Context, call domain.Call, fn func(tx *persistence.Tx) (domain.Events, error)) error {
	prepared := newPreparation()
	for {
		var opened []domain.IncidentKind
		err := s.store.Write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
			tx.Attach(prepared)
			events, err := fn(tx)
			opened = tx.OpenedIncidents()
			return events, err
		})
		if err == nil {
			s.countOpened(opened)
		}
		work, ok := errors.AsType[*longWorkError](err)
		if !ok {
			return err
		}
		if err := s.longWork.do(ctx, work, prepared); err != nil {
			return err
		}
	}
}

// recordEvent records an event of a call that reads.
func (s *Service) recordEvent(ctx context.Context, call domain.Call, event domain.Event) error {
	return s.write(ctx, call, func(*persistence.Tx) (domain.Events, error) { return domain.Events{event}, nil })
}

// writeInternal runs fn in a transaction of the store for internal state of the service.
func (s *Service) writeInternal(ctx context.Context, fn func(tx *persistence.Tx) error) error {
	return s.store.Note(ctx, fn)
}

// WithRequestID returns a context under which operations record the id of the request.
// An id has at most 128 characters.
func WithRequestID(ctx context.Context, id string) context.Context {
	return persistence.WithRequestID(ctx, id)
}

// now returns the current time in the precision of the database.
func (s *Service) now() time.Time { return s.store.Now() }
