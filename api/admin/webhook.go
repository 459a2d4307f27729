package admin

import (
	"context"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain"
)

// FindWebhookEndpoints lists the endpoints of webhook subscriptions.
func (s *Server) FindWebhookEndpoints(
	ctx context.Context, request FindWebhookEndpointsRequestObject,
) (FindWebhookEndpointsResponseObject, error) {
	params := request.Params
	page, sort := httpio.Listing(httpio.Deref(params.Size), httpio.Deref(params.Page), params.Sort)
	filter := administration.WebhookFilter{TenantCodes: params.Tenant, Codes: params.Code}
	found, err := s.administration.FindWebhookEndpoints(ctx, s.call(ctx), filter, page, sort)
	if err != nil {
		return nil, err
	}
	var answer FindWebhookEndpoints200JSONResponse
	answer.Metadata, answer.Content = httpio.PageOf[oasadmin.PageMetadata](found, webhookEndpoint)
	return answer, nil
}

// PingWebhookEndpoint sends a test event.
func (s *Server) PingWebhookEndpoint(
	ctx context.Context, request PingWebhookEndpointRequestObject,
) (PingWebhookEndpointResponseObject, error) {
	event, err := s.administration.PingWebhookEndpoint(ctx, s.call(ctx), webhookKey(request.Code, request.Params.Tenant))
	if err != nil {
		return nil, err
	}
	return PingWebhookEndpoint200JSONResponse{EventID: event.ID, Timestamp: event.OccurredAt.UTC()}, nil
}

// EnableWebhookEndpoint enables a disabled endpoint.
func (s *Server) EnableWebhookEndpoint(
	ctx context.Context, request EnableWebhookEndpointRequestObject,
) (EnableWebhookEndpointResponseObject, error) {
	endpoint, err := s.administration.EnableWebhookEndpoint(ctx, s.call(ctx), webhookKey(request.Code, request.Params.Tenant))
	if err != nil {
		return nil, err
	}
	return EnableWebhookEndpoint200JSONResponse(webhookEndpoint(endpoint)), nil
}

// ReplayFailedWebhookDeliveries repeats failed deliveries, or all that were attempted.
func (s *Server) ReplayFailedWebhookDeliveries(
	ctx context.Context, request ReplayFailedWebhookDeliveriesRequestObject,
) (ReplayFailedWebhookDeliveriesResponseObject, error) {
	replay, err := s.administration.ReplayDeliveries(
		ctx, s.call(ctx), webhookKey(request.Code, request.Params.Tenant), administration.ReplaySelection{
			Since: request.Body.Since, Delivered: httpio.Deref(request.Body.Delivered),
		})
	if err != nil {
		return nil, err
	}
	return ReplayFailedWebhookDeliveries200JSONResponse{
		Replayed: replay.Count, More: replay.Next != nil, Next: inUTC(replay.Next),
	}, nil
}

// FindWebhookDeliveries lists deliveries.
func (s *Server) FindWebhookDeliveries(
	ctx context.Context, request FindWebhookDeliveriesRequestObject,
) (FindWebhookDeliveriesResponseObject, error) {
	params := request.Params
	page, sort := httpio.Listing(httpio.Deref(params.Size), httpio.Deref(params.Page), params.Sort)
	found, err := s.administration.FindWebhookDeliveries(ctx, s.call(ctx), administration.WebhookDeliveryFilter{
		TenantCodes: params.Tenant, SubscriptionCodes: params.Webhook,
		States: httpio.ConvertStrings[domain.WebhookDeliveryState](params.State), EventTypes: params.EventType,
		EventIDs: params.EventID, ProcessIDs: params.ProcessID, From: params.From, To: params.To,
	}, page, sort)
	if err != nil {
		return nil, err
	}
	var answer FindWebhookDeliveries200JSONResponse
	answer.Metadata, answer.Content = httpio.PageOf[oasadmin.PageMetadata](found, webhookDelivery)
	return answer, nil
}

// RetrieveWebhookDelivery returns a delivery with all its attempts.
func (s *Server) RetrieveWebhookDelivery(
	ctx context.Context, request RetrieveWebhookDeliveryRequestObject,
) (RetrieveWebhookDeliveryResponseObject, error) {
	delivery, attempts, err := s.administration.RetrieveWebhookDelivery(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	return RetrieveWebhookDelivery200JSONResponse{
		Delivery: webhookDelivery(delivery), Attempts: listOf(attempts, webhookAttempt),
	}, nil
}

// ReplayWebhookDelivery repeats a delivery.
func (s *Server) ReplayWebhookDelivery(
	ctx context.Context, request ReplayWebhookDeliveryRequestObject,
) (ReplayWebhookDeliveryResponseObject, error) {
	delivery, err := s.administration.ReplayWebhookDelivery(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	return ReplayWebhookDelivery200JSONResponse(webhookDelivery(delivery)), nil
}

func webhookKey(code string, tenant *string) administration.WebhookKey {
	return administration.WebhookKey{Tenant: httpio.Deref(tenant), Code: code}
}

func webhookEndpoint(h *domain.WebhookHealth) oasadmin.WebhookEndpoint {
	answer := oasadmin.WebhookEndpoint{
		ID: h.SubscriptionID, Tenant: h.TenantCode, Code: h.Code, Name: h.Name, URL: h.URL,
		PayloadVersion: oasadmin.WebhookPayloadVersion(h.PayloadVersion), EventTypes: h.EventTypes,
		ProcessDefinition: httpio.PtrOrNil(h.ProcessDefinition), State: oasadmin.WebhookEndpointState(h.State()),
		FailingSince: inUTC(h.FailingSince), DisabledAt: inUTC(h.DisabledAt), PendingSince: inUTC(h.PendingSince),
		Pending: h.Pending, Retrying: h.Retrying, Dead: h.Dead, Dropped: h.Dropped,
		EventsLostAt: inUTC(h.EventsLostAt),
	}
	if h.AtLeast {
		answer.AtLeast = &h.AtLeast
	}
	if h.DisabledReason != "" {
		answer.DisabledReason = new(oasadmin.WebhookDisabledReason(h.DisabledReason))
	}
	return answer
}

func webhookDelivery(d *domain.WebhookDeliveryInfo) oasadmin.WebhookDelivery {
	answer := oasadmin.WebhookDelivery{
		ID: d.ID, Tenant: d.TenantCode, Webhook: d.SubscriptionCode, EventID: d.EventID, EventType: d.EventType,
		PayloadVersion: oasadmin.WebhookPayloadVersion(d.PayloadVersion), ProcessID: d.ProcessID,
		State: oasadmin.WebhookDeliveryState(d.State), Round: d.Round, Attempts: d.Attempts,
		LastFailure: httpio.PtrOrNil(d.LastFailure), CreatedAt: d.CreatedAt.UTC(),
		LastAttemptAt: inUTC(d.LastAttemptAt), NextAttemptAt: inUTC(d.NextAttemptAt), FinishedAt: inUTC(d.FinishedAt),
	}
	if d.LastStatus != 0 {
		answer.LastStatus = &d.LastStatus
	}
	return answer
}

func webhookAttempt(a *domain.WebhookAttempt) oasadmin.WebhookAttempt {
	answer := oasadmin.WebhookAttempt{
		Round: a.Round, Number: a.Number, At: a.At.UTC(), LatencyMillis: a.Latency.Milliseconds(),
		Failure: httpio.PtrOrNil(a.Failure), Detail: httpio.PtrOrNil(a.Detail), Answer: httpio.PtrOrNil(a.Answer),
	}
	if a.Status != 0 {
		answer.Status = &a.Status
	}
	return answer
}
