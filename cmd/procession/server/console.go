package server

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"github.com/procession-dev/procession/api"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/console"
	"github.com/procession-dev/procession/console/signin"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/persistence"
)

// addConsole serves the console and the REST API on the same addresses.
func (s *Service) addConsole(rest *api.Router, o api.Options, db *persistence.DB, users []signin.DemoUser) error {
	sessions, err := authn.NewSessions(authn.SessionOptions{
		DB: db, Authenticator: o.Authenticator, Clock: o.Clock, Idle: s.config.SessionIdle, Lifetime: s.config.SessionLifetime,
	})
	if err != nil {
		return err
	}
	screens, err := console.New(console.Options{
		Options: web.Options{Sessions: sessions, Log: o.Log, Clock: o.Clock, SignInMaxAge: s.config.SignInMaxAge},
		Service: o.Service, Administration: o.Administration, Bulk: o.Bulk, Feed: o.Feed, Mails: s.sendsMails(), Mailbox: s.mailbox,
		SignIn: signin.Screens{OIDC: s.oidc, Demo: users, BaseURL: s.config.BaseURL()},
	})
	if err != nil {
		return fmt.Errorf("making the console: %w", err)
	}
	s.clientHandler = &front{rest: rest, console: screens}
	return nil
}

// front routes requests below web.Root to the console and others to the REST API. It redirects browsers from
// paths such as /docs to the console. A mux would clean the paths.
type front struct {
	rest    *api.Router
	console *web.Site
}

// ServeHTTP answers a request.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	page, known := pageOf(r.URL.Path)
	switch {
	case strings.HasPrefix(r.URL.Path, web.Root):
		f.console.ServeHTTP(w, r)
	case r.URL.Path+"/" == web.Root:
		http.Redirect(w, r, web.Root, http.StatusSeeOther)
	case known && wantsPage(r):
		http.Redirect(w, r, page, http.StatusSeeOther)
	default:
		f.rest.ServeHTTP(w, r)
	}
}

// pageOf returns the page of the console for a path that users try.
func pageOf(path string) (page string, known bool) {
	const reference = web.Root + "reference"
	page, known = map[string]string{
		"/": web.Root, "/docs": reference, "/openapi": reference, "/swagger": reference, "/swagger-ui": reference,
	}[cmp.Or(strings.TrimSuffix(path, "/"), "/")]
	return page, known
}

// wantsPage reports whether a request is a navigation of a browser.
func wantsPage(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html")
}
