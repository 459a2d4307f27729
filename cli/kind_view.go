package cli

import (
	"strconv"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain/resource"
)

// kindView describes how the command line shows resources of a kind.
type kindView struct {
	// columns are the columns of tables that list this kind alone.
	columns []column
}

// viewOf returns the view of a kind, empty for kinds without columns of their own.
func viewOf(kind oasadmin.ResourceKind) kindView { return kindViews()[resource.Kind(kind)] }

// kindViews returns the views of the kinds with columns of their own.
func kindViews() map[resource.Kind]kindView {
	specColumn := func(title string, cell func(shownSpec) string) column {
		return column{title, func(_ oasadmin.Resource, s shownSpec) string { return cell(s) }}
	}
	role := specColumn("ROLE", func(s shownSpec) string { return s.Role })
	disabled := specColumn("DISABLED", func(s shownSpec) string { return yesNo(s.Disabled) })
	origin := column{"ORIGIN", func(r oasadmin.Resource, _ shownSpec) string { return originOf(r) }}
	taskQueue := specColumn("TASK QUEUE", func(s shownSpec) string { return s.TaskQueue })
	return map[resource.Kind]kindView{
		resource.KindTenant: {columns: []column{specColumn("PLAN", func(s shownSpec) string { return s.Plan })}},
		resource.KindUser: {
			columns: []column{specColumn("EMAIL", func(s shownSpec) string { return s.Email }), role, disabled, origin},
		},
		resource.KindApplication: {columns: []column{role, disabled}},
		resource.KindGroup: {
			columns: []column{specColumn("MEMBERS", func(s shownSpec) string { return strconv.Itoa(len(s.Members)) }), origin},
		},
		resource.KindEncryptionKey: {
			columns: []column{specColumn("DESCRIPTION", func(s shownSpec) string { return s.Description })},
		},
		resource.KindDataSource: {columns: []column{taskQueue}},
		resource.KindProcessDefinition: {
			columns: []column{specColumn("STATE", func(s shownSpec) string { return s.State })},
		},
		resource.KindWebhookSubscription: {columns: []column{specColumn("URL", func(s shownSpec) string { return s.URL })}},
		resource.KindRobot:               {columns: []column{taskQueue}},
	}
}

// originOf returns the source of a resource, "" for none.
func originOf(r oasadmin.Resource) string {
	if r.Status.Origin == nil {
		return ""
	}
	return string(*r.Status.Origin)
}
