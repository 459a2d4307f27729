package persistence

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// AssistedItem is the item of a run with the input of the steps of the run. It is read without a check of
// visibility: the item was visible to the principal that requested the run.
type AssistedItem struct {
	Run            *domain.AssistanceRun
	Item           *domain.ProcessItem
	ProcessVersion uuid.UUID
	// Metadata is the metadata of the process, nil when it has none.
	Metadata json.RawMessage
	// Documents are the documents to which the data and the elements of the item refer.
	Documents []domain.Document
}

const (
	getAssistedItem = `
SELECT ` + itemColumns + `, ` + itemProcessVersion + `, p.metadata
  FROM process_items i
  JOIN processes p ON p.id = i.process_id
 WHERE i.id = $1`

	getRun = `
SELECT ` + assistanceColumns + `
  FROM item_assistance a
 WHERE a.item_id = $1 AND a.run = $2`

	documentsOfItem = `
SELECT ` + documentColumns + `
  FROM documents d
 WHERE d.id IN (SELECT l.document_id FROM document_links l WHERE l.holder_id = $1 AND l.slot IN ('DATA', 'MESSAGE_DATA', 'ELEMENT'))`
)

// GetAssistedItem returns the item of a run. It returns NOT_FOUND if another run has replaced this one.
func (tx *Tx) GetAssistedItem(ctx context.Context, key domain.AssistanceKey) (*AssistedItem, error) {
	found := &AssistedItem{}
	var row itemRow
	err := tx.Read(ctx,
		pg.Q(getRun, []any{key.ItemID, key.Run}, assistanceIfAny(&found.Run)),
		pg.Q(getAssistedItem, []any{key.ItemID}, pg.One(append(row.fields(), &found.ProcessVersion, (*[]byte)(&found.Metadata))...)),
		pg.Q(documentsOfItem, []any{key.ItemID}, func(rows pgx.Rows) (err error) {
			found.Documents, err = pgx.CollectRows(rows, scanDocument)
			return err
		}))
	if err != nil {
		return nil, pg.NotFound(err, "process item")
	}
	if found.Run == nil {
		return nil, domain.NotFound("assistance run")
	}
	found.Item, err = row.processItem()
	return found, err
}

// GetAssistanceRun returns a run. It returns NOT_FOUND if another run has replaced this one.
func (r *Reader) GetAssistanceRun(ctx context.Context, key domain.AssistanceKey) (*domain.AssistanceRun, error) {
	var found *domain.AssistanceRun
	err := r.Read(ctx, pg.Q(getRun, []any{key.ItemID, key.Run}, assistanceIfAny(&found)))
	switch {
	case err != nil:
		return nil, pg.Translate("reading a run of assistance", err)
	case found == nil:
		return nil, domain.NotFound("assistance run")
	}
	return found, nil
}

const callerInTenant = `
SELECT p.id AS principal_id, p.type, t.id AS tenant_id, t.namespace,
       coalesce(u.role, p.role, 'MEMBER') AS role, false AS operator, false AS administers_definitions
  FROM principals p
  LEFT JOIN tenant_users u ON u.principal_id = p.id AND p.type = 'USER' AND u.tenant_id = $2
  JOIN tenants t ON t.id = coalesce(p.tenant_id, u.tenant_id)
 WHERE p.id = $1 AND t.id = $2 AND p.type <> 'SYSTEM' AND p.disabled_at IS NULL AND u.disabled_at IS NULL`

// GetCallerInTenant returns a principal as a caller who belongs to that tenant only. It returns NOT_FOUND if the
// principal is disabled or has left the tenant.
func (r *Reader) GetCallerInTenant(ctx context.Context, principal, tenant uuid.UUID) (domain.Caller, error) {
	var found []memberRow
	err := r.Read(ctx, pg.Q(callerInTenant, []any{principal, tenant}, pg.Into(&found)))
	if err == nil && len(found) == 0 {
		err = pgx.ErrNoRows
	}
	if err != nil {
		return domain.Caller{}, pg.Translate("reading who asked for assistance", pg.NotFound(err, "principal"))
	}
	return newCaller(found), nil
}

const (
	setAssistedDocuments = `
UPDATE item_assistance
   SET documents = $3, embedding_pending = $4, embedding_processing = 0
 WHERE item_id = $1 AND run = $2 AND state = 'PENDING'`

	setEmbeddingCounts = `
UPDATE item_assistance
   SET embedding_pending = $3, embedding_processing = $4
 WHERE item_id = $1 AND run = $2 AND state = 'PENDING'`

	noteAssistanceFault = `
UPDATE item_assistance
   SET error_code = $3, error_message = $4
 WHERE item_id = $1 AND run = $2 AND state = 'PENDING'`
)

// SetAssistedDocuments stores the results for the documents of a run and the number of passages to embed.
func (tx *Tx) SetAssistedDocuments(key domain.AssistanceKey, documents []domain.AssistedDocument, pending int) error {
	text, err := json.Marshal(documents)
	if err != nil {
		return fmt.Errorf("writing the documents of a run of assistance: %w", err)
	}
	tx.queue(setAssistedDocuments, key.ItemID, key.Run, text, pending)
	return nil
}

// SetEmbeddingCounts stores the progress of the embedding of a run.
func (tx *Tx) SetEmbeddingCounts(key domain.AssistanceKey, pending, processing int) {
	tx.queue(setEmbeddingCounts, key.ItemID, key.Run, pending, processing)
}

// NoteAssistanceFault stores why the last attempt at a step of a run failed. It is shown if the run fails.
func (tx *Tx) NoteAssistanceFault(key domain.AssistanceKey, code, message string) {
	tx.queue(noteAssistanceFault, key.ItemID, key.Run, code, message)
}

// AssistanceCall is a request to a model in a run, and its answer if there is one.
type AssistanceCall struct {
	Key         domain.AssistanceKey
	TenantID    uuid.UUID
	RequestID   uuid.UUID
	RequestedBy uuid.UUID
	// Request is the pending request, nil once it was answered. Messages are the messages it sends to the model.
	Request, Messages json.RawMessage
	AskedAt           time.Time
	Answered          bool
	Text              string
	Value             json.RawMessage
	Model             string
	FinishReason      string
}

const (
	getAssistanceCall = `
SELECT c.request, c.answered_at IS NOT NULL, coalesce(c.answer_text, ''), c.answer_value,
       coalesce(c.model, ''), coalesce(c.finish_reason, '')
  FROM assistance_calls c
 WHERE c.item_id = $1 AND c.run = $2`

	insertAssistanceCall = `
INSERT INTO assistance_calls (item_id, run, tenant_id, request_id, requested_by, request, messages, asked_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (item_id, run, tenant_id) DO NOTHING`

	answerAssistanceCall = `
UPDATE assistance_calls
   SET request = NULL, answer_text = $3, answer_value = $4, model = $5, finish_reason = $6, answered_at = $7
 WHERE item_id = $1 AND run = $2 AND answered_at IS NULL`
)

// GetAssistanceCall returns the call of a run, nil when none was stored yet.
func (r *Reader) GetAssistanceCall(ctx context.Context, key domain.AssistanceKey) (*AssistanceCall, error) {
	var found *AssistanceCall
	err := r.Read(ctx, pg.Q(getAssistanceCall, []any{key.ItemID, key.Run}, pg.OrNil(&found, func(c *AssistanceCall) func(pgx.Rows) error {
		c.Key = key
		return pg.One((*[]byte)(&c.Request), &c.Answered, &c.Text, (*[]byte)(&c.Value), &c.Model, &c.FinishReason)
	})))
	return found, pg.Translate("reading a prompt", err)
}

// InsertAssistanceCall stores a call. A call stored earlier stays unchanged.
func (tx *Tx) InsertAssistanceCall(c *AssistanceCall) {
	tx.queue(insertAssistanceCall, c.Key.ItemID, c.Key.Run, c.TenantID, c.RequestID, c.RequestedBy, []byte(c.Request),
		[]byte(c.Messages), c.AskedAt)
}

// AnswerAssistanceCall stores an answer. The first answer stays.
func (tx *Tx) AnswerAssistanceCall(c *AssistanceCall, now time.Time) {
	tx.queue(answerAssistanceCall, c.Key.ItemID, c.Key.Run, c.Text, jsonOrNull(c.Value), c.Model, c.FinishReason, now)
}
