package console

import (
	"github.com/procession-dev/procession/console/signin"
	"github.com/procession-dev/procession/console/tasks"
	"github.com/procession-dev/procession/console/web"
)

// routes are all screens, and what the forms on them do.
func routes(s *signin.Screens, t *tasks.Screens) []web.Route {
	return []web.Route{
		web.Get("", home),

		web.Get("sign-in", s.Show).ForVisitors(),
		web.Post("sign-in", s.SignIn).ForVisitors(),
		web.Get("sign-in/issuer", s.ToIssuer).ForVisitors(),
		web.Get("sign-in/callback", s.FromIssuer).ForVisitors(),
		web.Post("sign-out", s.SignOut).ForVisitors(),
		web.Post("preferences", s.Prefer).ForVisitors(),
		web.Get("sessions", s.List),
		web.Post("sessions/:id/end", s.End),

		web.Get("tasks", t.Inbox),
		web.Get("tasks/:id", t.Show),
		web.Post("tasks/:id/claim", t.Claim),
		web.Post("tasks/:id/complete", t.Complete),
	}
}

func home(*web.Visit) (*web.Answer, error) { return web.SeeOther(web.Root + "tasks"), nil }
