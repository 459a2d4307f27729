package console

import "github.com/procession-dev/procession/console/web"

// administrativeRoutes returns the screens of administrators.
func administrativeRoutes(s screens) []web.Route {
	return []web.Route{
		web.Get("incidents", s.incidents.List).ForDefinitions(),
		web.Get("incidents/:id", s.incidents.Show).ForDefinitions(),
		web.Post("incidents/retry", s.incidents.Retry).ForDefinitions(),
		web.Post("incidents/dismiss", s.incidents.Dismiss).ForDefinitions(),
		web.Post("incidents/acknowledge", s.incidents.Acknowledge).ForDefinitions(),
		web.Post("incidents/mute", s.incidents.Mute).ForDefinitions(),
		web.Post("incidents/unmute", s.incidents.Unmute).ForDefinitions(),
		web.Post("incidents/assign", s.incidents.Assign).ForDefinitions(),
		web.Post("incidents/comment", s.incidents.Comment).ForDefinitions(),

		web.Get("bulk", s.bulk.List).ForDefinitions(),

		web.Get("queues", s.queues.List).ForDefinitions(),
		web.Get("queues/queue", s.queues.Show).ForDefinitions(),

		web.Get("receivers", s.receivers.List),
		web.Post("receivers/test", s.receivers.Test),
		web.Get("webhooks", s.webhooks.List),
		web.Get("webhooks/endpoint", s.webhooks.Show),
		web.Post("webhooks/ping", s.webhooks.Ping),
		web.Post("webhooks/pause", s.webhooks.Pause),
		web.Post("webhooks/resume", s.webhooks.Resume),
		web.Post("webhooks/enable", s.webhooks.Enable),
		web.Post("webhooks/rotate", s.webhooks.Rotate).AfterFreshSignIn(),
		web.Post("webhooks/replay", s.webhooks.Replay),
		web.Get("webhooks/deliveries/:id", s.webhooks.Delivery),
		web.Post("webhooks/deliveries/:id/replay", s.webhooks.ReplayOne),

		web.Get("health", s.health.Show),
		web.Get("health/checks", s.health.Checks),

		web.Get("audit", s.audit.List).ForDefinitions(),
		web.Get("audit.csv", s.audit.ExportCSV).ForDefinitions(),
		web.Get("audit.json", s.audit.ExportJSON).ForDefinitions(),
		web.Get("audit/:id", s.audit.Show).ForDefinitions(),
	}
}
