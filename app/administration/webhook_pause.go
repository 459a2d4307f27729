package administration

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// PauseWebhookEndpoint applies the manifest of a webhook subscription with or without spec.paused. Errors are as in
// RetrieveResource and ApplyResources.
func (s *Service) PauseWebhookEndpoint(ctx context.Context, call domain.Call, key WebhookKey, paused bool) error {
	found, err := s.RetrieveResource(ctx, call, ResourceKey{Tenant: key.Tenant, Kind: resource.KindWebhookSubscription, Code: key.Code})
	if err != nil {
		return err
	}
	spec, ok := found.Spec.(*resource.WebhookSubscriptionSpec)
	if !ok {
		return fmt.Errorf("the webhook subscription %s has a spec of another kind", key.Code)
	}
	changed := *spec
	changed.Paused = paused
	document := found.Document
	document.Spec = &changed
	text, err := json.Marshal(document)
	if err != nil {
		return fmt.Errorf("writing the manifest of %s: %w", key.Code, err)
	}
	_, err = s.ApplyResources(ctx, call, ApplyRequest{Documents: []json.RawMessage{text}})
	return err
}
