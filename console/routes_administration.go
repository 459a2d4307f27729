package console

import "github.com/procession-dev/procession/console/web"

// administrativeRoutes are the screens of administrators.
func administrativeRoutes(screens) []web.Route { return nil }
