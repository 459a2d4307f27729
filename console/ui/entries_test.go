package ui_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/console/ui"
)

// navigation says which entries of administration each kind of user has: administrators of a tenant, administrators of process
// definitions only, and all others, such as managers, repairers and viewers.
const navigation = `
area        tenant definitions others
definitions yes    yes         no
people      yes    no          no
access      yes    yes         no
incidents   yes    yes         no
bulk        yes    yes         no
queues      yes    yes         no
receivers   yes    no          no
webhooks    yes    no          no
audit       yes    yes         no
health      yes    no          no
`

func TestAdministrationEntries(t *testing.T) {
	t.Parallel()
	viewers := map[string]ui.Viewer{
		"tenant": {Administers: true}, "definitions": {AdministersDefinitions: true}, "others": {},
	}
	rows := strings.Split(strings.TrimSpace(navigation), "\n")
	kinds := strings.Fields(rows[0])[1:]
	var listed []string
	visible := map[string][]string{}
	for _, row := range rows[1:] {
		cells := strings.Fields(row)
		listed = append(listed, cells[0])
		for i, cell := range cells[1:] {
			if cell == "yes" {
				visible[kinds[i]] = append(visible[kinds[i]], cells[0])
			}
		}
	}
	require.Equal(t, areasOf(ui.AdministrationEntries()), listed, "an entry has no row")
	for kind, viewer := range viewers {
		require.Equal(t, visible[kind], areasOf(viewer.AdministrationEntries()), kind)
	}
}

func areasOf(entries []ui.Entry) []string {
	var areas []string
	for _, e := range entries {
		areas = append(areas, e.Area)
	}
	return areas
}
