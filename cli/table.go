package cli

import (
	"encoding/json"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
)

// resourceTable writes a table of one or more resources. Tenant and kind are columns if
// they differ. Resources of a single kind have the columns of that kind.
func resourceTable(v view, found []oasadmin.Resource) {
	first := found[0]
	tenants, kinds := false, false
	for _, r := range found {
		tenants = tenants || tenantOf(r.Kind, r.Metadata) != tenantOf(first.Kind, first.Metadata)
		kinds = kinds || r.Kind != first.Kind
	}
	columns := []column{{"CODE", func(r oasadmin.Resource, _ shownSpec) string { return r.Metadata.Code }}}
	if kinds {
		columns = append([]column{{"KIND", func(r oasadmin.Resource, _ shownSpec) string { return string(r.Kind) }}}, columns...)
	}
	if tenants && (kinds || first.Kind != oasadmin.ResourceKindTenant) {
		columns = append([]column{{"TENANT", func(r oasadmin.Resource, _ shownSpec) string {
			return tenantOf(r.Kind, r.Metadata)
		}}}, columns...)
	}
	if kinds || first.Kind != oasadmin.ResourceKindEncryptionKey {
		columns = append(columns, column{"NAME", func(_ oasadmin.Resource, s shownSpec) string { return s.Name }})
	}
	if !kinds {
		columns = append(columns, viewOf(first.Kind).columns...)
	}
	columns = append(columns, column{"CHANGED", func(r oasadmin.Resource, _ shownSpec) string {
		return timeText(r.Status.LastModifiedAt)
	}})
	if v.wide {
		columns = append(
			columns,
			column{"ID", func(r oasadmin.Resource, _ shownSpec) string { return idText(r.Metadata.ID) }},
			column{"LABELS", func(r oasadmin.Resource, _ shownSpec) string { return labelText(r.Metadata.Labels) }},
		)
	}
	titles := make([]string, len(columns))
	for i, c := range columns {
		titles[i] = c.title
	}
	v.writeTitles(titles)
	for _, r := range found {
		cells, spec := make([]string, len(columns)), shownOf(r)
		for i, c := range columns {
			cells[i] = c.cell(r, spec)
		}
		writeRow(v, cells...)
	}
}

type column struct {
	title string
	cell  func(oasadmin.Resource, shownSpec) string
}

// shownSpec contains the fields of specs that tables show.
type shownSpec struct {
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Email       string            `json:"email"`
	Role        string            `json:"role"`
	Plan        string            `json:"plan"`
	State       string            `json:"state"`
	URL         string            `json:"url"`
	TaskQueue   string            `json:"taskQueue"`
	Disabled    bool              `json:"disabled"`
	Members     []json.RawMessage `json:"members"`
}

// shownOf reads a spec as far as it is understood: a newer service may say more.
func shownOf(r oasadmin.Resource) shownSpec {
	var spec shownSpec
	if json.Unmarshal(r.Spec, &spec) != nil {
		return shownSpec{}
	}
	return spec
}
