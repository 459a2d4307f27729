package administration

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/webhooks"
)

// MaxReplayed is how many deliveries are made again at once.
const MaxReplayed = 10_000

// ReplayWebhookDelivery repeats a delivery, whatever its state, with a new
// round of attempts, which replaces the previous round. A delivery that waits
// for its first attempt is returned unchanged. The caller must be an owner or
// an administrator of the tenant. Errors: NOT_FOUND, INVALID_STATE when the
// endpoint is disabled or the event was deleted from the ledger.
func (s *Service) ReplayWebhookDelivery(ctx context.Context, call domain.Call, id uuid.UUID) (*domain.WebhookDeliveryInfo, error) {
	var delivery *domain.WebhookDeliveryInfo
	now := s.now()
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		locked, err := webhooks.LockDelivery(ctx, tx, persistence.AdministrationOf(call.Caller), id)
		if err != nil {
			return nil, err
		}
		delivery = &locked.WebhookDeliveryInfo
		switch {
		case delivery.State == domain.DeliveryPending:
			return nil, nil
		case locked.Disabled:
			return nil, endpointDisabled()
		case !locked.EventKept:
			return nil, domain.Conflict(domain.CodeInvalidState, "the event has been removed from the ledger")
		}
		webhooks.ReplayDelivery(tx, id, now)
		webhooks.TryEndpoint(tx, delivery.SubscriptionID)
		replayed := domain.WebhookDeliveryReplayedEvent(&delivery.WebhookDelivery, call.PrincipalID, now)
		delivery.Replay()
		delivery.LastStatus, delivery.LastFailure = 0, ""
		return domain.Events{replayed}, nil
	})
	if err != nil {
		return nil, err
	}
	s.store.Announce()
	return delivery, nil
}

func endpointDisabled() error {
	return domain.Conflict(domain.CodeInvalidState, "the endpoint is disabled: enable it first")
}

// ReplaySelection selects the deliveries to replay.
type ReplaySelection = webhooks.ReplaySelection

// Replay is how many deliveries are repeated. Next is nil unless others remain: a
// call with it as the time sees to them.
type Replay struct {
	Count int
	Next  *time.Time
}

// ReplayDeliveries repeats the deliveries to an endpoint that are selected: the
// oldest first, at most MaxReplayed. They are attempted at once. The caller must
// be an owner or an administrator of the tenant. Errors: NOT_FOUND,
// INVALID_STATE when the endpoint is disabled.
func (s *Service) ReplayDeliveries(
	ctx context.Context, call domain.Call, key WebhookKey, what ReplaySelection,
) (Replay, error) {
	var replay Replay
	now := s.now()
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		endpoint, err := webhooks.LockEndpoint(ctx, tx, persistence.AdministrationOf(call.Caller), key.Tenant, key.Code, now)
		if err != nil {
			return nil, err
		}
		if endpoint.DisabledAt != nil {
			return nil, endpointDisabled()
		}
		found, next, err := webhooks.ListReplayable(ctx, tx, endpoint.SubscriptionID, what, MaxReplayed+1, now)
		if err != nil {
			return nil, err
		}
		replay = Replay{Count: min(len(found), MaxReplayed), Next: next}
		if len(found) > MaxReplayed {
			replay.Next = &found[MaxReplayed].CreatedAt
		}
		if replay.Count == 0 {
			return nil, nil
		}
		ids := make([]uuid.UUID, replay.Count)
		for i := range ids {
			ids[i] = found[i].ID
		}
		webhooks.ReplayDeliveries(tx, ids, now)
		webhooks.TryEndpoint(tx, endpoint.SubscriptionID)
		return domain.Events{
			domain.WebhookReplayedEvent(&endpoint.WebhookEndpoint, what.Since, replay.Count, call.PrincipalID, now),
		}, nil
	})
	if err != nil {
		return Replay{}, err
	}
	s.store.Announce()
	return replay, nil
}
