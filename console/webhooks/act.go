package webhooks

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/form/locale"
)

// noticeText describes the result of the last form.
func noticeText(ctx context.Context, query url.Values) string {
	switch query.Get("done") {
	case "ping":
		return ui.T(ctx, "A test event is on its way. It appears below in a moment.")
	case "pause":
		return ui.T(ctx, "The endpoint is paused. New events wait until it is resumed.")
	case "resume":
		return ui.T(ctx, "The endpoint is resumed. Waiting events are sent now.")
	case "enable":
		return ui.T(ctx, "The endpoint is enabled. New events are sent; resend missed events below.")
	case "replay":
		count, _ := strconv.Atoi(query.Get("count"))
		return ui.T(ctx, "%d deliveries are sent again.", count)
	}
	return ""
}

// runAction runs the action of a form and shows the endpoint. more are parameters of the page in pairs.
func (s *Screens) runAction(
	v *web.Visit, done string, act func(key administration.WebhookKey, form url.Values) (more []string, err error),
) (*web.Answer, error) {
	form, err := v.Form()
	if err != nil {
		return nil, err
	}
	key := keyOf(form)
	more, err := act(key, form)
	if err != nil {
		return s.showRefusal(v, key, err)
	}
	return web.SeeOther(pathOf(key.Tenant, key.Code, append([]string{"done", done}, more...)...)), nil
}

// showRefusal shows an endpoint with the reason why something was refused.
func (s *Screens) showRefusal(v *web.Visit, key administration.WebhookKey, err error) (*web.Answer, error) {
	rejection := web.Refusal(err)
	if rejection == nil {
		return nil, err
	}
	answer, err := s.showEndpoint(v, key, func(of *endpointView) { of.Problem = ui.Problem(v.Context(), rejection) })
	if err != nil {
		return nil, err
	}
	return answer.Refused(rejection), nil
}

// Ping sends a test event.
func (s *Screens) Ping(v *web.Visit) (*web.Answer, error) {
	return s.runAction(v, "ping", func(key administration.WebhookKey, _ url.Values) ([]string, error) {
		_, err := s.Administration.PingWebhookEndpoint(v.Context(), v.Call, key)
		return nil, err
	})
}

// Pause pauses the deliveries to an endpoint; its events wait.
func (s *Screens) Pause(v *web.Visit) (*web.Answer, error) {
	return s.runAction(v, "pause", func(key administration.WebhookKey, _ url.Values) ([]string, error) {
		return nil, s.Administration.PauseWebhookEndpoint(v.Context(), v.Call, key, true)
	})
}

// Resume sends events again.
func (s *Screens) Resume(v *web.Visit) (*web.Answer, error) {
	return s.runAction(v, "resume", func(key administration.WebhookKey, _ url.Values) ([]string, error) {
		return nil, s.Administration.PauseWebhookEndpoint(v.Context(), v.Call, key, false)
	})
}

// Enable enables an endpoint that the service disabled.
func (s *Screens) Enable(v *web.Visit) (*web.Answer, error) {
	return s.runAction(v, "enable", func(key administration.WebhookKey, _ url.Values) ([]string, error) {
		_, err := s.Administration.EnableWebhookEndpoint(v.Context(), v.Call, key)
		return nil, err
	})
}

// Replay sends failed or all deliveries since a time again. The page then offers to continue with the next ones.
func (s *Screens) Replay(v *web.Visit) (*web.Answer, error) {
	return s.runAction(v, "replay", func(key administration.WebhookKey, form url.Values) ([]string, error) {
		since, err := replayedSince(v.Context(), form)
		if err != nil {
			return nil, err
		}
		replay, err := s.Administration.ReplayDeliveries(v.Context(), v.Call, key, administration.ReplaySelection{
			Since: since, Delivered: form.Get("what") == everything,
		})
		shown := []string{"count", strconv.Itoa(replay.Count)}
		if replay.Next != nil {
			shown = append(shown, "next", replay.Next.Format(time.RFC3339Nano), "what", form.Get("what"))
		}
		return shown, err
	})
}

// everything selects successful deliveries for a replay too.
const everything = "everything"

// replayedSince reads a number of hours, or the time at which the others begin.
func replayedSince(ctx context.Context, form url.Values) (time.Time, error) {
	if next := form.Get("next"); next != "" {
		since, err := time.Parse(time.RFC3339Nano, next)
		if err != nil {
			return since, domain.Invalid(domain.LocationBody, "next", "must be a time")
		}
		return since, nil
	}
	hours, err := strconv.Atoi(locale.Trim(form.Get("hours")))
	if err != nil || hours < 1 || hours > int(domain.WebhookRetention.Hours()) {
		return time.Time{}, domain.Invalid(domain.LocationBody, "hours", "must be a number of hours up to 720")
	}
	return ui.ViewerOf(ctx).Now.Add(-time.Duration(hours) * time.Hour), nil
}

// Rotate issues a further secret, and shows it once.
func (s *Screens) Rotate(v *web.Visit) (*web.Answer, error) {
	form, err := v.Form()
	if err != nil {
		return nil, err
	}
	key := keyOf(form)
	name := "console " + ui.ViewerOf(v.Context()).Now.UTC().Format("2006-01-02 15:04:05")
	issued, err := s.Administration.IssueSecret(v.Context(), v.Call,
		administration.ResourceKey{Tenant: key.Tenant, Kind: resource.KindWebhookSubscription, Code: key.Code}, administration.NewSecret{Name: name})
	if err != nil {
		return s.showRefusal(v, key, err)
	}
	return s.showEndpoint(v, key, func(of *endpointView) { of.Secret = issued.Value.Reveal() })
}

// ReplayOne sends a delivery again.
func (s *Screens) ReplayOne(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	delivery, err := s.Administration.ReplayWebhookDelivery(v.Context(), v.Call, id)
	if err != nil {
		return nil, err
	}
	return web.SeeOther(web.Root + area + "/deliveries/" + delivery.ID.String()), nil
}
