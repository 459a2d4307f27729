package console

import (
	"github.com/procession-dev/procession/console/artifacts"
	"github.com/procession-dev/procession/console/home"
	"github.com/procession-dev/procession/console/live"
	"github.com/procession-dev/procession/console/palette"
	"github.com/procession-dev/procession/console/signin"
	"github.com/procession-dev/procession/console/tasks"
)

// RouteNames returns the methods and paths of all routes, in order.
func RouteNames() []string {
	var names []string
	for _, r := range allRoutes(screens{
		signin: &signin.Screens{}, home: &home.Screens{}, artifacts: &artifacts.Screens{}, tasks: &tasks.Screens{}, palette: &palette.Screens{}, live: &live.Screens{},
	}) {
		names = append(names, r.Method+" "+r.Path)
	}
	return names
}
