package webhooks

import (
	"net/url"
	"slices"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/shell"
)

const (
	// pageSize is the number of endpoints or deliveries on a page.
	pageSize = 25
	// outcomesListed is the number of deliveries in the chart of an endpoint in the list, outcomesShown on its page.
	outcomesListed = 24
	outcomesShown  = 48

	area = "webhooks"
)

// Screens are the screens of webhooks.
type Screens struct {
	Administration *administration.Service
}

// listView contains a page of the list.
type listView struct {
	web.Query
	domain.Page[domain.WebhookHealth]

	Outcomes map[uuid.UUID][]domain.WebhookOutcome
	// SeveralTenants reports whether the user administers several tenants.
	SeveralTenants bool
}

// List shows the endpoints of the tenants that the user administers.
func (s *Screens) List(v *web.Visit) (*web.Answer, error) {
	query, page := v.Query("tenant"), v.Page(pageSize)
	found, err := s.Administration.FindWebhookEndpoints(v.Context(), v.Call,
		administration.WebhookFilter{TenantCodes: web.TenantCodes(query.Get("tenant"))}, page, nil)
	if err != nil {
		return nil, err
	}
	if len(found.Items) == 0 && page.Number > 0 {
		return web.SeeOther(query.OnPage(found.TotalPages()).Path(area)), nil
	}
	var ids []uuid.UUID
	for i := range found.Items {
		ids = append(ids, found.Items[i].SubscriptionID)
	}
	outcomes, err := s.Administration.WebhookOutcomes(v.Context(), v.Call, ids, outcomesListed)
	if err != nil {
		return nil, err
	}
	return &web.Answer{
		Title: ui.T(v.Context(), "Webhooks"), Area: area,
		Body: listPage(listView{query, found, outcomes, web.SeveralTenants(v.Call.Caller)}),
	}, nil
}

// endpointView is an endpoint with its deliveries.
type endpointView struct {
	*domain.WebhookHealth

	Outcomes   []domain.WebhookOutcome
	State      domain.WebhookDeliveryState
	Deliveries domain.Page[domain.WebhookDeliveryInfo]
	// Notice describes the last action, "" for none.
	Notice string
	// Next is the time of the first delivery that is left to replay, "" for none, and What the replayed
	// deliveries.
	Next, What string
	// Secret is one that was just issued, "" otherwise.
	Secret string
	// Problem is the reason why the last action was refused, "" if none was.
	Problem string
}

func deliveryStates() []domain.WebhookDeliveryState {
	return []domain.WebhookDeliveryState{
		domain.DeliveryPending, domain.DeliveryRetrying, domain.DeliveryDead, domain.DeliveryDropped, domain.DeliveryDelivered,
	}
}

// Show shows an endpoint.
func (s *Screens) Show(v *web.Visit) (*web.Answer, error) {
	query := v.URL.Query()
	return s.showEndpoint(v, keyOf(query), func(of *endpointView) {
		of.Notice, of.Next, of.What = noticeText(v.Context(), query), query.Get("next"), query.Get("what")
	})
}

func keyOf(values url.Values) administration.WebhookKey {
	return administration.WebhookKey{Tenant: values.Get("tenant"), Code: values.Get("code")}
}

// showEndpoint shows an endpoint. amend may change the view.
func (s *Screens) showEndpoint(v *web.Visit, key administration.WebhookKey, amend func(*endpointView)) (*web.Answer, error) {
	found, err := s.Administration.FindWebhookEndpoints(v.Context(), v.Call, administration.WebhookFilter{
		TenantCodes: []string{key.Tenant}, Codes: []string{key.Code},
	}, domain.PageRequest{Size: 1}, nil)
	if err != nil {
		return nil, err
	}
	if len(found.Items) == 0 {
		return nil, domain.NotFound("webhook subscription")
	}
	of := &endpointView{WebhookHealth: &found.Items[0], State: domain.WebhookDeliveryState(v.URL.Query().Get("state"))}
	filter := administration.WebhookDeliveryFilter{TenantCodes: []string{key.Tenant}, SubscriptionCodes: []string{key.Code}}
	if slices.Contains(deliveryStates(), of.State) {
		filter.States = []domain.WebhookDeliveryState{of.State}
	}
	if of.Deliveries, err = s.Administration.FindWebhookDeliveries(v.Context(), v.Call, filter, v.Page(pageSize), nil); err != nil {
		return nil, err
	}
	outcomes, err := s.Administration.WebhookOutcomes(v.Context(), v.Call, []uuid.UUID{of.SubscriptionID}, outcomesShown)
	if err != nil {
		return nil, err
	}
	of.Outcomes = outcomes[of.SubscriptionID]
	amend(of)
	return &web.Answer{Title: of.Name, Area: area, Body: endpointPage(of)}, nil
}

// pathOf returns the URL of an endpoint with more parameters, in pairs.
func pathOf(tenant, code string, more ...string) string {
	return web.NewQuery(append([]string{"tenant", tenant, "code", code}, more...)...).Path(area + "/endpoint")
}

func (s *endpointView) endpointPath(more ...string) string {
	return pathOf(s.TenantCode, s.Code, more...)
}

// Delivery shows a delivery with its request and the answers to it.
func (s *Screens) Delivery(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	delivery, attempts, err := s.Administration.RetrieveWebhookDelivery(v.Context(), v.Call, id)
	if err != nil {
		return nil, err
	}
	body, err := s.Administration.RetrieveWebhookBody(v.Context(), v.Call, &delivery.WebhookDelivery)
	if err != nil {
		return nil, err
	}
	slices.Reverse(attempts)
	return &web.Answer{Title: delivery.EventType, Area: area, Body: deliveryPage(delivery, attempts, body)}, nil
}

// shellCommands returns the commands that correspond to the page and to its forms.
func (s *endpointView) shellCommands() []shell.Line {
	of := func(words ...string) shell.Line {
		return shell.Command(append(append([]string{"procession"}, words...), "--tenant", s.TenantCode)...)
	}
	commands := []shell.Line{
		of("webhooks", "deliveries", "--webhook", s.Code),
		of("webhooks", "ping", s.Code),
		of("webhooks", "replay-failed", s.Code, "--since", "24h"),
		of("webhooks", "replay-all", s.Code, "--since", "24h"),
		of("secrets", "issue", "webhook", s.Code, "--name", "NAME"),
		of("edit", "webhook", s.Code),
	}
	if s.DisabledAt != nil {
		commands = append(commands, of("webhooks", "enable", s.Code))
	}
	return commands
}
