package console

import "github.com/procession-dev/procession/console/web"

// configurationRoutes returns the routes of definitions and people.
func configurationRoutes(s screens) []web.Route {
	return []web.Route{
		web.Get("definitions", s.definitions.List).ForDefinitions(),
		web.Get("definitions/new", s.definitions.New),
		web.Get("definitions/playground", s.definitions.Playground).ForDefinitions(),
		web.Get("definitions/schemas/:kind", s.definitions.Schema).ForDefinitions(),
		web.Post("definitions/check", s.definitions.Check).ForDefinitions(),
		web.Post("definitions/apply", s.definitions.Apply).ForDefinitions(),
		web.Get("definitions/:tenant/:kind/:code", s.definitions.Show).ForDefinitions(),
		web.Get("definitions/:tenant/:kind/:code/edit", s.definitions.Edit).ForDefinitions(),
		web.Get("definitions/:tenant/:kind/:code/compare", s.definitions.Compare).ForDefinitions(),
		web.Get("definitions/:tenant/:kind/:code/rights", s.definitions.PastRights).ForDefinitions(),

		web.Get("access", s.access.List).ForDefinitions(),
		web.Get("access.csv", s.access.Export).ForDefinitions(),

		web.Get("people", s.people.List),
		web.Get("people/unowned", s.people.Unowned),
		web.Post("people/unowned", s.people.HandOver).AfterFreshSignIn(),
		web.Get("people/:tenant/:kind/:code/leave", s.people.Leave),
		web.Post("people/:tenant/:kind/:code/delete", s.people.Delete).AfterFreshSignIn(),
		web.Get("people/:tenant/:kind/:code", s.people.Show),
		web.Post("people/:tenant/:kind/:code/disable", s.people.Disable).AfterFreshSignIn(),
		web.Post("people/:tenant/:kind/:code/secrets", s.people.Issue).AfterFreshSignIn(),
		web.Post("people/:tenant/:kind/:code/secrets/:id/revoke", s.people.Revoke).AfterFreshSignIn(),
		web.Post("people/:tenant/:kind/:code/sessions/end", s.people.EndSessions),
		web.Post("people/:tenant/:kind/:code/access", s.people.RevokeAccess).AfterFreshSignIn(),
		web.Post("people/:tenant/:kind/:code/files", s.people.UploadFile),
		web.Post("people/:tenant/:kind/:code/files/delete", s.people.DeleteFile),
		web.Post("people/:tenant/:kind/:code/variables", s.people.SetVariable).AfterFreshSignIn(),
	}
}
