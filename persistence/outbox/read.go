package outbox

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/internal/listquery"
)

// Filter narrows a list of messages; empty fields keep all.
type Filter struct {
	TenantCodes, ReceiverCodes []string
	States                     []domain.MessageState
}

const (
	messageColumns = `m.id, t.code, r.code, m.channel, m.recipient, m.subject, m.state, m.attempts, m.failure, m.created_at,
       CASE WHEN m.state = 'PENDING' THEN m.due_at END, m.finished_at`

	joinsOfMessages = `
  JOIN tenants t ON t.id = m.tenant_id
  JOIN resources r ON r.tenant_id = m.tenant_id AND r.kind = 'NotificationReceiver' AND r.id = m.receiver_id`
)

// ListMessages returns a page of the messages to receivers of notifications in the scope. They can be sorted by id and createdAt;
// without a key the newest comes first.
func ListMessages(
	ctx context.Context, r *persistence.Reader, scope persistence.AdministrationScope, filter Filter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.MessageInfo], error) {
	l := &listquery.List{
		Columns: messageColumns, Table: "outbox_messages m", Joins: joinsOfMessages,
		Tenants: listquery.Within("m.tenant_id", scope.Everywhere, scope.Tenants),
		Where: []listquery.Condition{
			listquery.AnyOf("t.code", filter.TenantCodes), listquery.AnyOf("r.code", filter.ReceiverCodes),
			listquery.AnyOf("m.state", filter.States),
		},
		Order: listquery.Order{
			By: sort, Default: []listquery.Column{{SQL: "m.created_at", Descending: true}, {SQL: "m.id"}},
			Columns: listquery.Columns{"id": {SQL: "m.id"}, "createdAt": {SQL: "m.created_at"}},
		},
	}
	return persistence.ReadPage(ctx, r, "listing outgoing messages", l, page, scanMessage)
}

func scanMessage(row pgx.CollectableRow) (domain.MessageInfo, error) {
	var m domain.MessageInfo
	err := row.Scan(&m.ID, &m.TenantCode, &m.ReceiverCode, &m.Channel, &m.Recipient, &m.Subject, &m.State, &m.Attempts, &m.Failure,
		&m.CreatedAt, &m.DueAt, &m.FinishedAt)
	return m, err
}
