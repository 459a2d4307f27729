package administration

import (
	"context"
	"fmt"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/webhooks"
)

// WebhookKey names a webhook subscription by its code and its tenant's, which may
// be left out where only one of the caller's tenants has such a subscription.
type WebhookKey struct{ Tenant, Code string }

// EnableWebhookEndpoint enables an endpoint that the service disabled. Events
// are delivered from now on; earlier ones are not made up for. An enabled
// endpoint is returned unchanged. The caller must be an owner or an
// administrator of the tenant; for others the endpoint is NOT_FOUND.
func (s *Service) EnableWebhookEndpoint(ctx context.Context, call domain.Call, key WebhookKey) (*domain.WebhookHealth, error) {
	var endpoint *domain.WebhookHealth
	now := s.now()
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		var err error
		endpoint, err = webhooks.LockEndpoint(ctx, tx, persistence.AdministrationOf(call.Caller), key.Tenant, key.Code, now)
		if err != nil || endpoint.DisabledAt == nil {
			return nil, err
		}
		webhooks.EnableEndpoint(tx, endpoint.SubscriptionID)
		enabled := domain.WebhookEvent(domain.EventWebhookEnabled, &endpoint.WebhookEndpoint, call.PrincipalID, now)
		endpoint.DisabledAt, endpoint.DisabledReason, endpoint.FailingSince = nil, "", nil
		return domain.Events{enabled}, nil
	})
	return endpoint, err
}

// PingWebhookEndpoint records a test event, which is delivered to this endpoint
// only, and returns it. It requires the same rights as EnableWebhookEndpoint.
// Errors: NOT_FOUND, INVALID_STATE for an endpoint that is disabled, paused or
// without a secret.
func (s *Service) PingWebhookEndpoint(ctx context.Context, call domain.Call, key WebhookKey) (*domain.Event, error) {
	var ping domain.Event
	now := s.now()
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		endpoint, err := webhooks.LockEndpoint(ctx, tx, persistence.AdministrationOf(call.Caller), key.Tenant, key.Code, now)
		if err != nil {
			return nil, err
		}
		switch state := endpoint.State(); state {
		case domain.EndpointActive, domain.EndpointFailing:
		case domain.EndpointPaused, domain.EndpointNoSecret, domain.EndpointDisabled:
			return nil, domain.Conflict(domain.CodeInvalidState, fmt.Sprintf("the endpoint is %s and would be sent nothing", state))
		}
		ping = domain.WebhookEvent(domain.EventWebhookPinged, &endpoint.WebhookEndpoint, call.PrincipalID, now)
		ping.ID = domain.NewID()
		webhooks.TryEndpoint(tx, endpoint.SubscriptionID)
		return domain.Events{ping}, nil
	})
	if err != nil {
		return nil, err
	}
	s.store.Announce()
	return &ping, nil
}
