package administration

import (
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/events/webhook"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/webhooks"
)

// checkPublicURL checks a URL without the exceptions that the operator allows.
func checkPublicURL(url string) error {
	guard, err := webhook.NewGuard(webhook.Policy{}, nil)
	if err != nil {
		return err
	}
	return guard.CheckURL(url)
}

// checkWebhook reports a document by which events would be sent where they must
// not be sent. One that stays as it is stays.
func checkWebhook(d *resource.Document, action ApplyAction, check func(url string) error) (*resource.Violation, error) {
	var address string
	switch spec := d.Spec.(type) {
	case *resource.WebhookSubscriptionSpec:
		address = spec.URL
	case *resource.NotificationReceiverSpec:
		address = spec.URL
	}
	if address == "" || action == ApplyUnchanged {
		return nil, nil //nolint:nilnil // nothing stands against it
	}
	err := check(address)
	if urlErr, ok := errors.AsType[*webhook.URLError](err); ok {
		return &resource.Violation{Pointer: "/spec/url", Message: urlErr.Problem}, nil
	}
	return nil, err
}

func webhookHandler() kindHandler {
	return kindHandler{
		put: putSpec((*configuration).putWebhook),
		remove: func(_ *configuration, tx *persistence.Tx, a AppliedResource, _ uuid.UUID, _ time.Time) {
			webhooks.DeleteEndpoint(tx, a.ID)
		},
	}
}

// putWebhook stores where a subscription has events sent.
func (c *configuration) putWebhook(tx *persistence.Tx, w written, spec *resource.WebhookSubscriptionSpec) error {
	endpoint := domain.WebhookEndpoint{
		SubscriptionID: w.id, TenantID: w.tenant, Code: w.Metadata.Code, URL: spec.URL,
		PayloadVersion: spec.PayloadVersion, EventTypes: spec.EventTypes, Paused: spec.Paused,
	}
	if spec.ProcessDefinition != "" {
		definition := c.ids[resource.Key{
			Tenant: w.Metadata.Tenant, Kind: resource.KindProcessDefinition, Code: spec.ProcessDefinition,
		}]
		endpoint.ProcessDefinitionID = &definition
	}
	webhooks.PutEndpoint(tx, endpoint)
	return nil
}
