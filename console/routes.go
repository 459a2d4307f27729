package console

import (
	"slices"

	"github.com/procession-dev/procession/console/absences"
	"github.com/procession-dev/procession/console/access"
	"github.com/procession-dev/procession/console/artifacts"
	"github.com/procession-dev/procession/console/audit"
	"github.com/procession-dev/procession/console/bulk"
	"github.com/procession-dev/procession/console/definitions"
	"github.com/procession-dev/procession/console/health"
	"github.com/procession-dev/procession/console/home"
	"github.com/procession-dev/procession/console/incidents"
	"github.com/procession-dev/procession/console/live"
	"github.com/procession-dev/procession/console/notifications"
	"github.com/procession-dev/procession/console/palette"
	"github.com/procession-dev/procession/console/people"
	"github.com/procession-dev/procession/console/processes"
	"github.com/procession-dev/procession/console/queues"
	"github.com/procession-dev/procession/console/receivers"
	"github.com/procession-dev/procession/console/reference"
	"github.com/procession-dev/procession/console/signin"
	"github.com/procession-dev/procession/console/start"
	"github.com/procession-dev/procession/console/tasks"
	"github.com/procession-dev/procession/console/tokens"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/console/webhooks"
)

// screens are the screens of each area.
type screens struct {
	signin    *signin.Screens
	tokens    *tokens.Screens
	absences  *absences.Screens
	home      *home.Screens
	artifacts *artifacts.Screens
	tasks     *tasks.Screens
	palette   *palette.Screens
	live      *live.Screens
	processes *processes.Screens
	start     *start.Screens
	incidents *incidents.Screens
	bulk      *bulk.Screens
	queues    *queues.Screens
	audit     *audit.Screens
	health    *health.Screens
	reference *reference.Screens

	notifications *notifications.Screens

	definitions *definitions.Screens
	people      *people.Screens
	webhooks    *webhooks.Screens
	receivers   *receivers.Screens
	access      *access.Screens
}

// allRoutes returns the routes of all screens and forms.
func allRoutes(s screens) []web.Route {
	return slices.Concat([]web.Route{
		web.Get("", s.home.Show),

		web.Get("sign-in", s.signin.Show).ForVisitors(),
		web.Post("sign-in", s.signin.SignIn).ForVisitors(),
		web.Post("sign-in/issuer", s.signin.ToIssuer).ForVisitors(),
		web.Get("sign-in/callback/:issuer", s.signin.FromIssuer).ForVisitors(),
		web.Post("sign-in/again", s.signin.Again),
		web.Post("sign-out", s.signin.SignOut).ForVisitors(),
		web.Post("preferences", s.signin.Prefer).ForVisitors(),
		web.Get("profile", s.signin.ShowProfile),
		web.Post("profile", s.signin.SaveProfile),
		web.Get("sessions", s.signin.List),
		web.Post("sessions/end-others", s.signin.EndOthers),
		web.Post("sessions/:id/end", s.signin.End),
		web.Get("tokens", s.tokens.List),
		web.Post("tokens/confirm", s.tokens.Confirm),
		web.Post("tokens/:id/revoke", s.tokens.Revoke),
		web.Get("absences", s.absences.ListAbsences),
		web.Post("absences", s.absences.CreateAbsence),
		web.Post("absences/:tenant/:code/end", s.absences.EndAbsence),

		web.Get("palette", s.palette.Show),
		web.Get("live", s.live.Follow),
		web.Get("notifications", s.notifications.List),
		web.Get("notifications/bell", s.notifications.Bell),
		web.Post("notifications/read", s.notifications.Read),
		web.Get("mailbox", s.notifications.Mailbox),
		web.Get("notifications/mails", s.notifications.Choices),
		web.Post("notifications/mails", s.notifications.SaveChoices),
		web.Post("notifications/:id", s.notifications.Open),
		web.Get("unsubscribe/:token", s.notifications.AskUnsubscribe).ForVisitors(),
		web.Post("unsubscribe/:token", s.notifications.Unsubscribe).ForVisitors(),

		web.Get("reference", s.reference.List),
		web.Get("reference/:api", s.reference.Show),
		web.Get("reference/:api/operations/:operation", s.reference.Operation),
		web.Get("reference/:api/schemas/:schema", s.reference.Schema),

		web.Get("bulk/new", s.bulk.Choose),
		web.Post("bulk/new", s.bulk.Preview),
		web.Get("bulk/:id", s.bulk.Show),
		web.Get("bulk/:id/report.csv", s.bulk.Report),
		web.Post("bulk/:id/start", s.bulk.Start),
		web.Post("bulk/:id/stop", s.bulk.Stop),
	}, taskRoutes(s), processRoutes(s), artifactRoutes(s), web.ForAdministrators(slices.Concat(administrativeRoutes(s), configurationRoutes(s))))
}

func taskRoutes(s screens) []web.Route {
	return slices.Concat([]web.Route{
		web.Get("tasks", s.tasks.Inbox),
		web.Get("tasks/news", s.tasks.News),
		web.Get("tasks/assign", s.tasks.ChooseOwner),
		web.Post("tasks/assign", s.tasks.Assign),
		web.Get("tasks/delegate", s.tasks.ChooseDelegate),
		web.Post("tasks/delegate", s.tasks.Delegate),
		web.Post("tasks/claim", s.tasks.Claim),
		web.Post("tasks/release", s.tasks.Release),
		web.Post("tasks/complete", s.tasks.Complete),
		web.Get("tasks/:id", s.tasks.Show),
		web.Get("tasks/:id/changes", s.tasks.Changes),
		web.Get("tasks/:id/next", s.tasks.Next),
		web.Get("tasks/:id/planning", s.tasks.ShowPlanning),
		web.Post("tasks/:id/planning", s.tasks.SavePlanning),
		web.Get("tasks/:id/pdf", s.tasks.DownloadPDF),
		web.Get("tasks/:id/file", s.tasks.File),
		web.Get("tasks/:id/preview", s.tasks.Preview),
		web.Get("tasks/:id/assistance", s.tasks.Help),
		web.Post("tasks/:id/assistance", s.tasks.Ask),
		web.Post("tasks/:id/assistance/accept", s.tasks.Accept),
	}, s.tasks.Forms().Routes("tasks/:id"))
}

func processRoutes(s screens) []web.Route {
	return slices.Concat([]web.Route{
		web.Get("start", s.start.List),
		web.Get("start/:id", s.start.Show),

		web.Get("processes", s.processes.List),
		web.Get("processes.csv", s.processes.Export),
		web.Get("processes/:id", s.processes.Overview),
		web.Get("processes/:id/beside", s.processes.ShowPart),
		web.Get("processes/:id/export.zip", s.processes.ExportZip),
		web.Get("processes/:id/pdf", s.processes.DownloadPDF),
		web.Get("processes/:id/edit", s.processes.Edit),
		web.Get("processes/:id/items", s.processes.Items),
		web.Get("processes/:id/timeline", s.processes.Timeline),
		web.Get("processes/:id/messages", s.processes.Messages),
		web.Post("processes/:id/messages", s.processes.Write),
		web.Get("processes/:id/messages/:code", s.processes.Compose),
		web.Post("processes/:id/threads", s.processes.OpenThread),
		web.Get("processes/:id/documents", s.processes.Documents),
		web.Get("processes/:id/document", s.processes.Download),
		web.Get("processes/:id/related", s.processes.Related),
		web.Get("processes/:id/runs", s.processes.Runs),
		web.Get("processes/:id/runs/:run", s.processes.Run),
		web.Post("processes/:id/runs/:run/cancel", s.processes.CancelRun),
		web.Get("processes/:id/engine", s.processes.Engine),
		web.Get("processes/:id/engine/history", s.processes.EngineHistory),
		web.Get("processes/:id/repair", s.processes.Repair),
		web.Get("processes/:id/repair-points", s.processes.RepairPoints),
		web.Get("processes/:id/repair/:kind", s.processes.AskRepair),
		web.Post("processes/:id/repair/:kind", s.processes.MakeRepair),
		web.Get("processes/:id/repair-value/:value", s.processes.RepairValue),
		web.Get("processes/:id/act/:code", s.processes.Ask),
		web.Post("processes/:id/act/:code", s.processes.Act),
		web.Get("processes/:id/finish/:how", s.processes.ConfirmEnd),
		web.Post("processes/:id/finish/:how", s.processes.End),
	}, s.start.Forms().Routes("start/:id"), s.processes.Forms().Routes("processes/:id/act/:code"),
		s.processes.EditForms().Routes("processes/:id/edit"), s.processes.ValueForms().Routes("processes/:id/repair-value/:value"), s.processes.MessageForms().Routes("processes/:id/messages/:code"))
}

func artifactRoutes(s screens) []web.Route {
	return slices.Concat([]web.Route{
		web.Get("artifacts", s.artifacts.List),
		web.Get("artifacts.csv", s.artifacts.Export),
		web.Get("artifacts/new/:id", s.artifacts.New),
		web.Get("artifacts/:id", s.artifacts.Show),
		web.Get("artifacts/:id/file", s.artifacts.File),
		web.Get("artifacts/:id/documents", s.artifacts.Documents),
		web.Get("artifacts/:id/document", s.artifacts.Download),
		web.Get("artifacts/:id/timeline", s.artifacts.Timeline),
		web.Get("artifacts/:id/runs", s.artifacts.Runs),
		web.Get("artifacts/:id/runs/:run", s.artifacts.Run),
		web.Post("artifacts/:id/runs/:run/cancel", s.artifacts.CancelRun),
		web.Get("artifacts/:id/act/:code", s.artifacts.Ask),
		web.Post("artifacts/:id/act/:code", s.artifacts.Act),
	}, s.artifacts.Forms().Routes("artifacts/:id"), s.artifacts.ActForms().Routes("artifacts/:id/act/:code"),
		s.artifacts.NewForms().Routes("artifacts/new/:id"))
}
