package administration

import (
	"context"
	"fmt"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/notice"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/outbox"
)

// MessageFilter narrows FindNotificationMessages.
type MessageFilter = outbox.Filter

// FindNotificationMessages returns a page of the mails and chat messages to receivers of notifications in the tenants that the
// caller administers, in all tenants for an operator.
func (s *Service) FindNotificationMessages(
	ctx context.Context, call domain.Call, filter MessageFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.MessageInfo], error) {
	return outbox.ListMessages(ctx, s.store.Reader, persistence.AdministrationOf(call.Caller), filter, page, sort)
}

// TestNotificationReceiver writes a test message to the outbox, or records its event for a webhook subscription, and returns the
// number of messages. The caller must be an owner or an administrator of the tenant. Errors: NOT_FOUND, CONFLICT for a receiver of
// the type WEBHOOK without its subscription.
func (s *Service) TestNotificationReceiver(ctx context.Context, call domain.Call, tenant, code string) (int, error) {
	found, err := s.RetrieveResource(ctx, call, ResourceKey{Tenant: tenant, Kind: resource.KindNotificationReceiver, Code: code})
	if err != nil {
		return 0, err
	}
	spec, ok := found.Spec.(*resource.NotificationReceiverSpec)
	if !ok {
		return 0, fmt.Errorf("the notification receiver %s has a spec of another kind", code)
	}
	now := s.now()
	tested := domain.ConfigurationEvent(domain.EventReceiverTested, domain.Configured{
		ID: found.ID, TenantID: found.TenantID, Kind: string(resource.KindNotificationReceiver), Code: code,
	}, call.PrincipalID, now)
	if spec.Type == domain.ReceiverWebhook {
		of, err := s.RetrieveResource(ctx, call, ResourceKey{
			Tenant: found.TenantCode(), Kind: resource.KindWebhookSubscription, Code: spec.WebhookSubscription,
		})
		if err != nil {
			return 0, err
		}
		err = s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
			tx.Found(found.ID, found.Version())
			return domain.Events{tested, domain.NotifiedEvent(found.TenantID, of.ID, code, "TEST", "0", "0", now)}, nil
		})
		return 1, err
	}
	message, err := spec.Message(found.TenantID, found.ID, notice.Test(found.TenantCode(), spec.Name, s.baseURL))
	if err != nil {
		return 0, err
	}
	err = s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		tx.Found(found.ID, found.Version())
		outbox.Enqueue(tx, message, now)
		return domain.Events{tested}, nil
	})
	return max(1, len(message.Recipients)), err
}
