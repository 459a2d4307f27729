package shapeb

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/procession-dev/procession/api/httpio"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/events/feed"
	"github.com/procession-dev/procession/events/webhook"
)

const (
	// DefaultHeartbeat is how often a stream shows that it is alive.
	DefaultHeartbeat = 15 * time.Second
	// DefaultStall bounds the time for a client to accept an event.
	DefaultStall = 10 * time.Second
	// comeBackAfter is how soon a client reconnects after its stream has ended.
	comeBackAfter = 2 * time.Second
)

// Feed configures streams of events.
type Feed struct {
	// Hub notifies of new events.
	Hub *feed.Hub
	// Recheck authenticates a request again: it fails when the credentials are
	// no longer valid.
	Recheck func(context.Context) (domain.Caller, error)
	// Heartbeat is the interval of comments on idle streams and of checks of
	// their credentials.
	Heartbeat time.Duration
	// Stall bounds the time for a client to accept an event; 0 means DefaultStall.
	Stall time.Duration
}

// StreamEvents follows the events of processes and items. It is an extension of
// the service.
func (s *Server) StreamEvents(
	ctx context.Context, request oasb.StreamEventsRequestObject,
) (oasb.StreamEventsResponseObject, error) {
	call, params := s.call(ctx), request.Params
	at, ok, err := s.startOf(ctx, call, params)
	if err != nil {
		return nil, err
	}
	subscription, err := s.feed.Hub.Subscribe(call.PrincipalID, call.TenantIDs())
	if err != nil {
		return nil, err
	}
	if !ok {
		at, err = s.app.FeedStart(ctx)
	}
	var first domain.FeedPart
	if err == nil {
		// Errors must be returned before the answer begins.
		first, err = s.app.ReadFeed(ctx, call, at, params.ProcessID)
	}
	if err != nil {
		subscription.Close()
		return nil, err
	}
	return &eventStream{Server: s, ctx: ctx, params: params, subscription: subscription, part: first}, nil
}

// startOf returns the cursor in the request, if any. It refuses a cursor before removed events.
func (s *Server) startOf(
	ctx context.Context, call domain.Call, params oasb.StreamEventsParams,
) (at domain.EventCursor, ok bool, err error) {
	text, part, name := httpio.Deref(params.LastEventID), domain.LocationHeader, "Last-Event-ID"
	if text == "" {
		text, part, name = httpio.Deref(params.After), domain.LocationQuery, "after"
	}
	if text == "" {
		return at, false, nil
	}
	if at, err = domain.ParseEventCursor(text); err != nil {
		return at, false, domain.Invalid(part, name, err.Error())
	}
	missed, err := s.app.FeedMissed(ctx, call, at)
	if missed {
		err = domain.Invalid(part, name, "events behind it were removed because of their age: begin with 0.0.0, at the oldest")
	}
	return at, true, err
}

// eventStream is the answer of StreamEvents.
type eventStream struct {
	*Server
	ctx          context.Context
	params       oasb.StreamEventsParams
	subscription *feed.Subscription
	// part is sent next.
	part domain.FeedPart
}

// VisitStreamEventsResponse writes the stream until it ends. The reason of the
// end is not sent, since the status has been.
func (e *eventStream) VisitStreamEventsResponse(w http.ResponseWriter) error {
	defer e.subscription.Close()
	out := httpio.NewEventStream(w, e.feed.Stall)
	if httpio.IsHead(e.ctx) {
		return nil
	}
	heartbeat := time.NewTicker(e.feed.Heartbeat)
	defer heartbeat.Stop()
	out.Retry(comeBackAfter)
	for beat := true; ; {
		if err := e.sendEvents(out, beat); err != nil {
			return nil
		}
		if !e.part.More {
			if !e.params.Follow {
				return nil
			}
			var ended bool
			if beat, ended = e.waitForEvents(heartbeat.C); ended {
				return nil
			}
		}
		caller, err := e.feed.Recheck(e.ctx)
		if err == nil {
			e.part, err = e.app.ReadFeed(e.ctx, domain.Call{Caller: caller}, e.part.Next, e.params.ProcessID)
		}
		if domainErr := (*domain.Error)(nil); errors.As(err, &domainErr) || e.ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("following the events: %w", err)
		}
	}
}

// sendEvents sends the part. With a beat there is something in any case, and the client
// learns how far the ledger was read for it.
func (e *eventStream) sendEvents(out *httpio.EventStream, beat bool) error {
	for i := range e.part.Events {
		event := &e.part.Events[i]
		data, _, err := webhook.Render(domain.PayloadB, event)
		if err != nil {
			return err
		}
		out.Event(event.Cursor.String(), string(event.Type), data)
	}
	if beat {
		out.Comment()
		out.ID(e.part.Next.String())
	}
	if len(e.part.Events) == 0 && !beat {
		return nil
	}
	return out.Flush()
}

// waitForEvents waits for new events or the next heartbeat. ended is true when the
// stream must end.
func (e *eventStream) waitForEvents(heartbeat <-chan time.Time) (beat, ended bool) {
	select {
	case <-e.ctx.Done():
		return false, true
	case <-e.subscription.Draining():
		return false, true
	case <-e.subscription.News():
		return false, false
	case <-heartbeat:
		return true, false
	}
}
