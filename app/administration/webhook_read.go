package administration

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/events/webhook"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/webhooks"
)

// WebhookFilter narrows FindWebhookEndpoints.
type WebhookFilter = webhooks.EndpointFilter

// WebhookDeliveryFilter narrows FindWebhookDeliveries.
type WebhookDeliveryFilter = webhooks.DeliveryFilter

// FindWebhookEndpoints returns a page of the endpoints of webhook subscriptions in
// the tenants that the caller administers, in all tenants for an operator.
func (s *Service) FindWebhookEndpoints(
	ctx context.Context, call domain.Call, filter WebhookFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.WebhookHealth], error) {
	return webhooks.ListEndpoints(ctx, s.store.Reader, persistence.AdministrationOf(call.Caller), filter, page, sort, s.now())
}

// FindWebhookDeliveries returns a page of the deliveries to endpoints visible
// to the caller, the newest first by default.
func (s *Service) FindWebhookDeliveries(
	ctx context.Context, call domain.Call, filter WebhookDeliveryFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.WebhookDeliveryInfo], error) {
	return webhooks.ListDeliveries(ctx, s.store.Reader, persistence.AdministrationOf(call.Caller), filter, page, sort)
}

// RetrieveWebhookDelivery returns a delivery that is there for the caller with all
// its attempts, or NOT_FOUND.
func (s *Service) RetrieveWebhookDelivery(
	ctx context.Context, call domain.Call, id uuid.UUID,
) (*domain.WebhookDeliveryInfo, []domain.WebhookAttempt, error) {
	return webhooks.GetDelivery(ctx, s.store.Reader, persistence.AdministrationOf(call.Caller), id)
}

// WebhookOutcomes returns the outcomes of the latest deliveries to endpoints visible to the caller, the oldest first,
// at most limit of each.
func (s *Service) WebhookOutcomes(
	ctx context.Context, call domain.Call, subscriptions []uuid.UUID, limit int,
) (map[uuid.UUID][]domain.WebhookOutcome, error) {
	return webhooks.ListOutcomes(ctx, s.store.Reader, persistence.AdministrationOf(call.Caller), subscriptions, limit)
}

// RetrieveWebhookBody returns the body that a delivery sends, nil once its event was removed from the ledger.
func (s *Service) RetrieveWebhookBody(
	ctx context.Context, call domain.Call, d *domain.WebhookDelivery,
) ([]byte, error) {
	found, _, err := s.FindEvents(ctx, call, EventFilter{IDs: []uuid.UUID{d.EventID}}, EventRange{Limit: 1})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	body, _, err := webhook.Render(d.PayloadVersion, &found[0])
	return body, err
}
