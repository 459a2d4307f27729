// Package live notifies pages of the console when something has changed.
package live

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/events/feed"
)

const (
	// heartbeat is how often a stream shows that it is alive, and its session is looked
	// up again.
	heartbeat = 10 * time.Second
	// stall bounds the time in which a browser must accept data of a stream.
	stall = 10 * time.Second
	// comeBackAfter is the delay before a browser reconnects.
	comeBackAfter = 2 * time.Second
)

// Screens streams changes to pages.
type Screens struct {
	Hub *feed.Hub
}

// everything is the content of an event about more processes than it can name.
const everything = "*"

// Follow streams an event after each change in the user's tenants, and another one after each notification of the user. Pages then
// reload their data. The content of a change are the tails of the ids of the changed processes: enough for a page to know whether it
// is concerned, but no ids of processes that may be invisible to the user. The stream ends with the session.
func (s *Screens) Follow(v *web.Visit) (*web.Answer, error) {
	subscription, err := s.Hub.Subscribe(v.Call.PrincipalID, v.Call.TenantIDs())
	if err != nil {
		return nil, err
	}
	return &web.Answer{Stream: func(w http.ResponseWriter) {
		defer subscription.Close()
		out := httpio.NewEventStream(w, stall)
		out.Retry(comeBackAfter)
		beat := time.NewTicker(heartbeat)
		defer beat.Stop()
		for out.Comment(); out.Flush() == nil; {
			select {
			case <-v.Context().Done():
				return
			case <-subscription.Draining():
				return
			case <-subscription.News():
				out.Event("", "news", []byte(tails(subscription.TakeSubjects())))
			case <-subscription.Bell():
				out.Event("", "bell", []byte("-"))
			case <-beat.C:
				out.Comment()
			}
			if v.StillSignedIn() != nil {
				return
			}
		}
	}}, nil
}

// tailLength is the number of digits of a tail: one in 4,096 processes has the same.
const tailLength = 3

func tails(processes map[uuid.UUID]bool, complete bool) string {
	if !complete {
		return everything
	}
	found := make([]string, 0, len(processes))
	for id := range processes {
		text := id.String()
		found = append(found, text[len(text)-tailLength:])
	}
	slices.Sort(found)
	return strings.Join(slices.Compact(found), ",")
}
