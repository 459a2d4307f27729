package console_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/bulk"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
)

// bulkMatrix is the matrix of bulk operations. The owner of the tenant made the named operation: a preview for its start, a running one
// otherwise. The column foreign is the owner and an administrator naming an operation of another tenant.
const bulkMatrix = `
route                       owner tenant-owner administrator manager viewer candidate initiator stranger other anonymous foreign
GET bulk                    403   200          200           403     403    403       403       403      403   in        200
GET bulk/new                200   200          200           200     200    200       200       200      200   in        200
POST bulk/new               303   303          303           303     303    303       303       303      303   in        303
GET bulk/:id                404   200          200           404     404    404       404       404      404   in        404
GET bulk/:id/report.csv     404   200          200           404     404    404       404       404      404   in        404
POST bulk/:id/start         404   303          404           404     404    404       404       404      404   in        404
POST bulk/:id/stop          404   303          303           404     404    404       404       404      404   in        404
`

// previewBulk makes a preview with a process of its own as a member of the cast.
func (c *cast) previewBulk(s *site, name string) uuid.UUID {
	s.t.Helper()
	call := s.callerOf(demo.Account{ID: c.ids[name], Email: name, Secret: c.secrets[name]})
	previewed, err := s.options.Bulk.Preview(s.t.Context(), call, bulk.Request{Kind: domain.BulkRetryIncidents})
	require.NoError(s.t, err)
	sql[uuid.UUID](s, `UPDATE bulk_operations SET selected = 1 WHERE id = $1 RETURNING id`, previewed.ID)
	return previewed.ID
}

func (c *cast) startBulk(s *site, name string) uuid.UUID {
	s.t.Helper()
	id := c.previewBulk(s, name)
	call := s.callerOf(demo.Account{ID: c.ids[name], Email: name, Secret: c.secrets[name]})
	_, err := s.options.Bulk.Start(s.t.Context(), call, id, "the bank is open again")
	require.NoError(s.t, err)
	return id
}

//nolint:tparallel // the rows share the browsers of the callers
func TestBulkMatrix(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	c := newCast(s)
	for _, row := range rowsOf(bulkMatrix) { //nolint:paralleltest // as above
		t.Run(row.method+" "+row.path, func(t *testing.T) {
			s := *s
			s.t = t
			send := func(caller, author string) string {
				id := uuid.Nil
				switch {
				case strings.HasSuffix(row.path, "/start"):
					id = c.previewBulk(&s, author)
				case strings.Contains(row.path, ":id"):
					id = c.startBulk(&s, author)
				}
				path := strings.ReplaceAll(row.path, ":id", id.String())
				if row.method+" "+row.path == "GET bulk/new" {
					path += "?list=/console/tasks"
				}
				return c.requestCell(&s, caller, row, path, url.Values{
					"list": {"/console/tasks?view=all"}, "kind": {string(domain.BulkReleaseTasks)}, "reason": {"the bank is open again"},
				})
			}
			for caller, want := range row.cells {
				if caller != "foreign" {
					require.Equal(t, want, send(caller, "tenant-owner"), caller)
					continue
				}
				for _, name := range []string{"tenant-owner", "administrator"} {
					require.Equal(t, want, send(name, "other"), name)
				}
			}
		})
	}
}
