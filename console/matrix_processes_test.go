package console_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/formtest"
)

// processMatrix is matrix for the routes of processes, and of starting LOAN. owner
// owns a task of the process; :run is an action of the manager on it. The word after
// a path stands for its last parameter. The documents of a process are asked for
// without naming one.
const processMatrix = `
route                                   owner tenant-owner administrator manager viewer candidate initiator stranger other anonymous foreign
GET processes                           200   200          200           200     200    200       200       200      200   in        200
GET processes.csv                       200   200          200           200     200    200       200       200      200   in        200
GET processes/:id                       200   404          404           200     200    200       200       404      404   in        404
GET processes/:id/beside                200   404          404           200     200    200       200       404      404   in        404
GET processes/:id/export.zip            200   404          404           200     200    200       200       404      404   in        404
GET processes/:id/pdf                   200   404          404           200     200    200       200       404      404   in        404
GET processes/:id/edit                  403   404          404           200     403    403       403       404      404   in        404
POST processes/:id/edit/form            403   404          404           303     403    403       403       404      404   in        404
GET processes/:id/edit/form/found       403   404          404           404     403    403       403       404      404   in        404
POST processes/:id/edit/form/items       403   404          404           404     403    403       403       404      404   in        404
POST processes/:id/edit/form/json        403   404          404           404     403    403       403       404      404   in        404
POST processes/:id/edit/form/files      403   404          404           400     403    403       403       404      404   in        404
GET processes/:id/items                 200   404          404           200     200    200       200       404      404   in        404
GET processes/:id/timeline              200   404          404           200     200    200       200       404      404   in        404
GET processes/:id/messages              200   404          404           200     200    200       200       404      404   in        404
POST processes/:id/messages             403   404          404           303     403    403       403       404      404   in        404
GET processes/:id/messages/:code ALL    403   404          404           404     403    403       403       404      404   in        404
POST processes/:id/messages/:code/form ALL 403 404         404           404     403    403       403       404      404   in        404
GET processes/:id/messages/:code/form/found ALL 403 404    404           404     403    403       403       404      404   in        404
POST processes/:id/messages/:code/form/items ALL 403 404    404           404     403    403       403       404      404   in        404
POST processes/:id/messages/:code/form/json  ALL 403 404    404           404     403    403       403       404      404   in        404
POST processes/:id/messages/:code/form/files ALL 403 404   404           404     403    403       403       404      404   in        404
POST processes/:id/threads              403   404          404           303     403    403       403       404      404   in        404
GET processes/:id/documents             200   404          404           200     200    200       200       404      404   in        404
GET processes/:id/document              400   400          400           400     400    400       400       400      400   in        400
GET processes/:id/related               200   404          404           200     200    200       200       404      404   in        404
GET processes/:id/runs                  200   404          404           200     200    200       200       404      404   in        404
GET processes/:id/runs/:run             200   404          404           200     200    200       200       404      404   in        404
POST processes/:id/runs/:run/cancel     403   404          404           303     403    403       403       404      404   in        404
GET processes/:id/engine                403   404          404           200     403    403       403       404      404   in        404
GET processes/:id/engine/history        403   404          404           200     403    403       403       404      404   in        404
GET processes/:id/act/:code TOP_UP      404   404          404           404     404    404       404       404      404   in        404
POST processes/:id/act/:code/form TOP_UP 404   404          404           404     404    404       404       404      404   in        404
GET processes/:id/act/:code/form/found TOP_UP 404   404          404           404     404    404       404       404      404   in        404
POST processes/:id/act/:code/form/items TOP_UP 404   404          404           404     404    404       404       404      404   in        404
POST processes/:id/act/:code/form/json  TOP_UP 404   404          404           404     404    404       404       404      404   in        404
POST processes/:id/act/:code/form/files TOP_UP 404   404          404           404     404    404       404       404      404   in        404
POST processes/:id/act/:code NUDGE      403   404          404           303     403    403       303       404      404   in        404
GET processes/:id/repair                200   404          404           200     200    200       200       404      404   in        404
GET processes/:id/repair-points         403   404          404           200     403    403       403       404      404   in        404
GET processes/:id/repair/:kind restart  403   404          404           200     403    403       403       404      404   in        404
POST processes/:id/repair/:kind restart 403   404          404           409     403    403       403       404      404   in        404
GET processes/:id/repair-value/:value metadata 403 404     404           200     403    403       403       404      404   in        404
POST processes/:id/repair-value/:value/form metadata 403 404 404         303     403    403       403       404      404   in        404
GET processes/:id/repair-value/:value/form/found metadata 403 404 404    404     403    403       403       404      404   in        404
POST processes/:id/repair-value/:value/form/items metadata 403 404 404   404     403    403       403       404      404   in        404
POST processes/:id/repair-value/:value/form/json metadata 403 404 404    404     403    403       403       404      404   in        404
POST processes/:id/repair-value/:value/form/files metadata 403 404 404   400     403    403       403       404      404   in        404
GET processes/:id/finish/:how cancel    403   404          404           200     403    403       403       404      404   in        404
POST processes/:id/finish/:how cancel   403   404          404           303     403    403       403       404      404   in        404
POST processes/:id/finish/:how complete 403   404          404           303     403    403       403       404      404   in        404
GET start                               200   200          200           200     200    200       200       200      200   in        200
GET start/:id                           403   404          404           200     403    403       200       404      404   in        404
POST start/:id/form                     403   404          404           303     403    403       303       404      404   in        404
GET start/:id/form/found                403   404          404           404     403    403       404       404      404   in        404
POST start/:id/form/items                403   404          404           404     403    403       404       404      404   in        404
POST start/:id/form/json                 403   404          404           404     403    403       404       404      404   in        404
POST start/:id/form/files               403   404          404           400     403    403       400       404      404   in        404
`

// subject identifies the resources of a row of processMatrix.
type subject struct{ id, run uuid.UUID }

//nolint:tparallel // the rows share the browsers of the callers
func TestProcessMatrix(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	c := newCast(s)
	for _, row := range rowsOf(processMatrix) { //nolint:paralleltest // as above
		t.Run(strings.TrimSpace(row.method+" "+row.path+" "+row.variant), func(t *testing.T) {
			s := *s
			s.t = t
			if strings.HasSuffix(row.path, "/pdf") {
				formtest.RequirePool(t)
			}
			foreign := subject{id: c.foreignProcess, run: uuid.New()}
			if strings.HasPrefix(row.path, "start") {
				foreign.id = demo.OtherLoan()
			}
			for caller, want := range row.cells {
				if caller != "foreign" {
					require.Equal(t, want, c.askProcess(&s, caller, row, c.matrixSubject(&s, row)), caller)
					continue
				}
				for name := range c.secrets {
					require.Equal(t, want, c.askProcess(&s, name, row, foreign), "%s naming a process of another tenant", name)
					require.Equal(t, want, c.askProcess(&s, name, row, subject{uuid.New(), uuid.New()}),
						"%s naming a process that does not exist", name)
				}
			}
		})
	}
}

// matrixSubject returns LOAN for routes of starting it, and otherwise a new process of it.
func (c *cast) matrixSubject(s *site, r row) subject {
	s.t.Helper()
	if strings.HasPrefix(r.path, "start") {
		return subject{id: demo.Loan()}
	}
	of := subject{id: s.startLoan("Matrix")}
	owner := c.ids["owner"]
	_, _, err := s.app.CreateProcessItem(s.t.Context(), s.callerOf(demo.LoanWorker()), app.NewItem{
		Type: domain.ItemTask, ProcessID: of.id, DefinitionCode: "APPROVE_LOAN", Owner: app.PrincipalKey{ID: &owner},
	})
	require.NoError(s.t, err)
	if strings.Contains(r.path, ":run") {
		action, _, err := s.app.CreateProcessAction(s.t.Context(), s.callerOf(demo.Alice()), of.id, app.NewProcessAction{Code: "NUDGE"})
		require.NoError(s.t, err)
		of.run = action.ID
	}
	return of
}

// askProcess sends the request of a row as a caller about a subject, and returns the cell.
func (c *cast) askProcess(s *site, caller string, r row, about subject) string {
	s.t.Helper()
	path := strings.NewReplacer(":id", about.id.String(), ":run", about.run.String(), ":code", r.variant, ":how", r.variant, ":kind", r.variant, ":value", r.variant).Replace(r.path)
	body := url.Values{}
	if r.path == "processes/:id/messages" {
		body = url.Values{"text": {"Hello"}, "definition": {"NOTE"}}
	}
	if r.path == "processes/:id/threads" {
		body = url.Values{"definition": {"DISCUSSION"}}
	}
	if strings.HasSuffix(r.path, "/repair/:kind") {
		body = url.Values{"reason": {"wrong amount"}}
	}
	if strings.HasSuffix(r.path, "/form") {
		body = url.Values{
			"base": {"{}"}, "origin": {"{}"}, "once": {uuid.NewString()}, "do": {"complete"}, "v/repair/reason": {"wrong amount"},
		}
	}
	return c.requestCell(s, caller, r, path, body)
}
