package administer

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// WebhookHealth is an endpoint, and how its deliveries are doing.
type WebhookHealth = persistence.WebhookHealth

// WebhookFilter narrows FindWebhookEndpoints.
type WebhookFilter = persistence.WebhookFilter

// WebhookDeliveryInfo is a delivery with what it is known by.
type WebhookDeliveryInfo = persistence.WebhookDeliveryInfo

// WebhookDeliveryFilter narrows FindWebhookDeliveries.
type WebhookDeliveryFilter = persistence.WebhookDeliveryFilter

// FindWebhookEndpoints returns a page of the endpoints of webhook subscriptions in
// the tenants that the caller administers, in all tenants for an operator.
func (s *Administration) FindWebhookEndpoints(
	ctx context.Context, caller domain.Caller, filter WebhookFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[WebhookHealth], error) {
	return s.reader.ListWebhookEndpoints(ctx, webhookScope(caller), filter, page, sort, s.now())
}

// FindWebhookDeliveries returns a page of the deliveries to endpoints visible
// to the caller, the newest first by default.
func (s *Administration) FindWebhookDeliveries(
	ctx context.Context, caller domain.Caller, filter WebhookDeliveryFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[WebhookDeliveryInfo], error) {
	return s.reader.ListWebhookDeliveries(ctx, webhookScope(caller), filter, page, sort)
}

// RetrieveWebhookDelivery returns a delivery that is there for the caller with all
// its attempts, or NOT_FOUND.
func (s *Administration) RetrieveWebhookDelivery(
	ctx context.Context, caller domain.Caller, id uuid.UUID,
) (*WebhookDeliveryInfo, []domain.WebhookAttempt, error) {
	return s.reader.GetWebhookDelivery(ctx, webhookScope(caller), id)
}

func webhookScope(caller domain.Caller) persistence.WebhookScope {
	return persistence.WebhookScope{
		Everywhere: caller.Operator || caller.Type == domain.PrincipalSystem, Tenants: caller.AdministeredTenants(),
	}
}
