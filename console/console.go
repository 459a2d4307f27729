// Package console is the web console: screens for tasks, processes and artifacts, and for administration. The
// service serves it and calls its operations in process.
package console

import (
	"log/slog"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/bulk"
	"github.com/procession-dev/procession/console/absences"
	"github.com/procession-dev/procession/console/access"
	"github.com/procession-dev/procession/console/artifacts"
	"github.com/procession-dev/procession/console/assets"
	"github.com/procession-dev/procession/console/audit"
	bulkscreens "github.com/procession-dev/procession/console/bulk"
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
	"github.com/procession-dev/procession/events/feed"
)

// Options configure the console.
type Options struct {
	web.Options

	Service        *app.Service
	Administration *administration.Service
	Bulk           *bulk.Service
	SignIn         signin.Screens
	// Mails reports whether the service sends mails.
	Mails bool
	// Mailbox keeps the mails of the local stack, nil for other installations.
	Mailbox *notifications.Mailbox
	// Feed notifies pages of changes.
	Feed *feed.Hub
}

// New returns the site of all paths below web.Root. Options.Assets defaults to the
// embedded assets.
func New(o Options) (*web.Site, error) {
	if o.Assets == nil {
		var err error
		if o.Assets, err = assets.Load(web.Root + "assets"); err != nil {
			return nil, err
		}
	}
	if o.Assets.Missing() {
		o.Log.Warn("The console has no style sheet and no script",
			slog.String("fix", "run make assets and build the program again"))
	}
	o.SignIn.Sessions = o.Sessions
	o.Confirm, o.CountAttention, o.CountNotifications = o.SignIn.Confirm, o.Service.CountAttention, o.Service.CountNotifications
	ofProcesses := &processes.Screens{App: o.Service, BaseURL: o.SignIn.BaseURL}
	return web.NewSite(o.Options, allRoutes(screens{
		signin: &o.SignIn, tokens: &tokens.Screens{Administration: o.Administration}, tasks: &tasks.Screens{App: o.Service, Processes: ofProcesses}, palette: &palette.Screens{App: o.Service},
		live: &live.Screens{Hub: o.Feed}, processes: ofProcesses,
		start: &start.Screens{App: o.Service}, incidents: &incidents.Screens{Administration: o.Administration},
		bulk:   &bulkscreens.Screens{App: o.Service, Bulk: o.Bulk},
		health: &health.Screens{Administration: o.Administration}, reference: &reference.Screens{BaseURL: o.SignIn.BaseURL},
		home:   &home.Screens{App: o.Service},
		queues: &queues.Screens{Administration: o.Administration}, audit: &audit.Screens{Administration: o.Administration},
		definitions: &definitions.Screens{App: o.Service, Administration: o.Administration},
		people:      &people.Screens{Administration: o.Administration},
		artifacts:   &artifacts.Screens{App: o.Service}, notifications: &notifications.Screens{App: o.Service, Mails: o.Mails, Local: o.Mailbox},
		webhooks:  &webhooks.Screens{Administration: o.Administration},
		receivers: &receivers.Screens{Administration: o.Administration},
		access:    &access.Screens{Administration: o.Administration},
		absences:  &absences.Screens{Administration: o.Administration},
	}))
}
