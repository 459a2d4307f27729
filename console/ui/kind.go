package ui

import (
	"context"
	"strings"

	"github.com/procession-dev/procession/domain/resource"
)

// KindCommand returns the name of a kind on the command line.
func KindCommand(kind resource.Kind) string {
	if d, ok := kind.Definition(); ok && len(d.ShortNames) > 0 {
		return d.ShortNames[0]
	}
	return strings.ToLower(string(kind))
}

// rightNames returns the rights that manifests give, as people read them.
func rightNames() map[string]string {
	return map[string]string{
		resource.MayStartProcesses:   Text("start processes"),
		resource.MaySeeProcesses:     Text("see processes"),
		resource.MayManageProcesses:  Text("manage processes"),
		resource.MayChangeDefinition: Text("change the definition"),
		resource.MayRepairProcesses:  Text("repair processes"),
		resource.MayClaim:            Text("claim"),
		resource.MaySee:              Text("see"),
		resource.MaySeeArtifacts:     Text("see artifacts"),
		resource.MayEditArtifacts:    Text("edit artifacts"),
		resource.MayManageArtifacts:  Text("manage artifacts"),
		resource.MayRunRobot:         Text("run, and see the environment"),
		resource.MayDownloadRobot:    Text("see and download"),
		resource.MayRunSource:        Text("run"),
		resource.MayQuerySource:      Text("query"),
		resource.MayOwnTenant:        Text("own the tenant"),
		resource.MayAdministerTenant: Text("administer the tenant"),
		resource.MayRunWorkflow:      Text("run the workflow"),
	}
}

// RightName returns the name of a right.
func RightName(ctx context.Context, right resource.Right) string {
	return T(ctx, rightNames()[right.May])
}
