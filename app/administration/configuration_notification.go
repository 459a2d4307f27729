package administration

import (
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/notifications"
)

func notificationReceiverHandler() kindHandler {
	return kindHandler{
		put: putSpec((*configuration).putNotificationReceiver),
		remove: func(_ *configuration, tx *persistence.Tx, a AppliedResource, _ uuid.UUID, _ time.Time) {
			notifications.DeleteReceiver(tx, a.ID)
		},
		check: checkSpec((*configuration).checkNotificationReceiver),
	}
}

// putNotificationReceiver stores the events and the pause of a receiver.
func (*configuration) putNotificationReceiver(tx *persistence.Tx, w written, spec *resource.NotificationReceiverSpec) error {
	notifications.PutReceiver(tx, domain.NotificationReceiver{
		ID: w.id, TenantID: w.tenant, EventTypes: spec.Problems(), Paused: spec.Paused,
	})
	return nil
}

// checkNotificationReceiver reports a webhook subscription of a payload version without notifications.
func (c *configuration) checkNotificationReceiver(d *resource.Document, spec *resource.NotificationReceiverSpec) *resource.Violation {
	subscription := c.desired[resource.Key{
		Tenant: d.TenantCode(), Kind: resource.KindWebhookSubscription, Code: spec.WebhookSubscription,
	}]
	if subscription == nil {
		return nil
	}
	if of, ok := subscription.Spec.(*resource.WebhookSubscriptionSpec); ok && of.PayloadVersion == domain.PayloadA {
		return &resource.Violation{
			Pointer: "/spec/webhookSubscription", Message: "must be a subscription with payload version B, which has notifications",
		}
	}
	return nil
}
