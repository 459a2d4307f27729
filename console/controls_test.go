package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// controls lists the callers that a page shows a control to. The server must refuse the action to all others: a
// POST for a form, an applied manifest of editedTo for the editor.
const controls = `
page-and-what-it-leads-to                                           tenant-owner administrator manager
people/demo/User/alice        people/demo/User/alice/leave?do=disable yes       no            no
people/demo/User/alice/leave?do=disable people/demo/User/alice/disable yes     no            no
people/demo/User/alice/leave?do=delete  people/demo/User/alice/delete  yes     no            no
people/demo/User/alice        people/demo/User/alice/secrets       yes          no            no
people/demo/User/alice        definitions/demo/User/alice/edit     yes          no            no
people/demo/User/carol/leave?do=disable people/demo/User/carol/disable yes     yes           no
people/demo/User/carol/leave?do=delete  people/demo/User/carol/delete  yes     yes           no
people/demo/User/carol        people/demo/User/carol/secrets       yes          yes           no
people/demo/Robot/KYC_BOT     people/demo/Robot/KYC_BOT/variables  yes          yes           no
definitions/demo/Tenant/demo  definitions/demo/Tenant/demo/edit    yes          no            no
definitions/demo/ProcessDefinition/LOAN definitions/demo/ProcessDefinition/LOAN/edit yes yes  no
definitions/new               definitions/new?template=process     yes          yes           no
definitions/new               definitions/new?template=tenant      no           no            no
`

// editedTo contains changed manifests for the rows of controls.
var editedTo = map[string]string{
	"definitions/demo/User/alice/edit": "{apiVersion: procession/v1, kind: User, metadata: {code: alice, tenant: demo}, " +
		"spec: {name: Alice, email: alice@demo.example, role: MEMBER}}",
	"definitions/demo/Tenant/demo/edit": "{apiVersion: procession/v1, kind: Tenant, metadata: {code: demo}, spec: {name: Taken over}}",
	"definitions/new?template=tenant": "{apiVersion: procession/v1, kind: Tenant, metadata: {code: founded}, spec: {name: Founded}}\n---\n" +
		"{apiVersion: procession/v1, kind: User, metadata: {code: o, tenant: founded}, spec: {name: O, email: o@demo.example, role: OWNER}}",
	"definitions/new?template=process": "{apiVersion: procession/v1, kind: DataStructure, metadata: {code: NEW, tenant: demo}, spec: {name: New, schema: {}}}",
	"definitions/demo/ProcessDefinition/LOAN/edit": "{apiVersion: procession/v1, kind: ProcessDefinition, metadata: {code: LOAN, tenant: demo}, " +
		"spec: {name: Taken over, items: [], permissions: {managers: [{user: carol}]}}}",
}

// requireControls requires that pages show exactly the permitted controls, and that the server refuses the other
// actions.
func (c *cast) requireControls(t *testing.T, s *site) {
	t.Helper()
	for _, row := range rowsOf(controls) {
		page, path := row.method, row.path
		for caller, want := range row.cells {
			client, ok := c.browsers[caller]
			require.True(t, ok, caller)
			shown := string(s.sendRequest(client, http.MethodGet, page, nil).body)
			there := strings.Contains(shown, `="/console/`+path+`"`)
			require.Equal(t, want == "yes", there, "%s is shown %s on %s", caller, path, page)
			if want == "yes" {
				continue
			}
			ask, form := path, url.Values{"disabled": {"true"}, "name": {"DIRECTLY"}, "value": {"asked"}}
			if strings.Contains(path, "/leave?") {
				continue // a page, refused by the next rows
			}
			if text, edited := editedTo[path]; edited {
				ask, form = "definitions/apply", url.Values{"text": {text}}
			}
			// A missing tenant is a bad request for all callers.
			require.Contains(t, []int{http.StatusForbidden, http.StatusBadRequest}, s.sendRequest(client, http.MethodPost, ask, form).status,
				"%s asks for %s", caller, path)
		}
	}
}
