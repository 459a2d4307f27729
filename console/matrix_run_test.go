package console_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// runMatrix is the matrix of the operation routes. In the column foreign an administrator and the owner of a
// tenant name a resource of another tenant, or one that does not exist. The definer administers the definition of the process; in
// the column neighbour it names a resource of another definition.
const runMatrix = `
route                                   owner tenant-owner administrator definer neighbour manager viewer candidate initiator stranger other anonymous foreign
GET incidents                           403   200          200           200     200       403     403    403       403       403      403   in        200
GET incidents/:id                       403   200          200           200     404       403     403    403       403       403      403   in        404
POST incidents/retry                    403   303          303           303     404       403     403    403       403       403      403   in        404
GET queues                              403   200          200           200     200       403     403    403       403       403      403   in        200
GET queues/queue                        403   200          200           200     404       403     403    403       403       403      403   in        404
GET health                              403   200          200           403     403       403     403    403       403       403      403   in        200
GET health/checks                       403   403          403           403     403       403     403    403       403       403      403   in        403
GET audit                               403   200          200           200     200       403     403    403       403       403      403   in        200
GET audit.csv                           403   200          200           200     200       403     403    403       403       403      403   in        200
GET audit.json                          403   200          200           200     200       403     403    403       403       403      403   in        200
GET audit/:id                           403   200          200           200     404       403     403    403       403       403      403   in        404
GET receivers                           403   200          200           403     403       403     403    403       403       403      403   in        200
POST receivers/test                     403   200          200           403     403       403     403    403       403       403      403   in        404
GET webhooks                            403   200          200           403     403       403     403    403       403       403      403   in        200
GET webhooks/endpoint                   403   200          200           403     403       403     403    403       403       403      403   in        404
POST webhooks/ping                      403   303          303           403     403       403     403    403       403       403      403   in        404
POST webhooks/pause                     403   303          303           403     403       403     403    403       403       403      403   in        404
POST webhooks/resume                    403   303          303           403     403       403     403    403       403       403      403   in        404
POST webhooks/enable                    403   303          303           403     403       403     403    403       403       403      403   in        404
POST webhooks/rotate                    403   200          200           403     403       403     403    403       403       403      403   in        404
POST webhooks/replay                    403   303          303           403     403       403     403    403       403       403      403   in        404
GET webhooks/deliveries/:id             403   200          200           403     403       403     403    403       403       403      403   in        404
POST webhooks/deliveries/:id/replay     403   303          303           403     403       403     403    403       403       403      403   in        404
POST incidents/dismiss                  403   303          303           303     404       403     403    403       403       403      403   in        404
POST incidents/acknowledge              403   303          303           303     404       403     403    403       403       403      403   in        404
POST incidents/mute                     403   303          303           303     404       403     403    403       403       403      403   in        404
POST incidents/unmute                   403   303          303           303     404       403     403    403       403       403      403   in        404
POST incidents/assign                   403   303          303           303     404       403     403    403       403       403      403   in        404
POST incidents/comment                  403   303          303           303     404       403     403    403       403       403      403   in        404
`

//nolint:tparallel // the rows share the browsers of the callers
func TestRunMatrix(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	c := newCast(s)
	for _, row := range rowsOf(runMatrix) { //nolint:paralleltest // as above
		t.Run(strings.TrimSpace(row.method+" "+row.path+" "+row.variant), func(t *testing.T) {
			s := *s
			s.t = t
			for caller, want := range row.cells {
				if caller != "foreign" {
					process := c.process
					if caller == "neighbour" {
						process = c.neighbour
					}
					require.Equal(t, want, c.askToRun(&s, caller, row, s.createRun(row.path, process)), caller)
					continue
				}
				for _, name := range []string{"tenant-owner", "administrator"} {
					require.Equal(t, want, c.askToRun(&s, name, row, s.createRun(row.path, c.foreignProcess)), "%s naming what is another tenant's", name)
					require.Equal(t, want, c.askToRun(&s, name, row, uuid.New().String()), "%s naming what does not exist", name)
				}
			}
		})
	}
}

// createRun creates the resource in a path of runMatrix for a process, and returns its name.
func (s *site) createRun(path string, process uuid.UUID) string {
	s.t.Helper()
	switch {
	case strings.HasPrefix(path, "incidents/"):
		return s.createIncident(process, "no funds").String()
	case strings.HasPrefix(path, "audit/"):
		return sql[uuid.UUID](s, `SELECT e.id FROM events e JOIN processes p ON e.resource_id = p.process_definition_id
			WHERE p.id = $1 LIMIT 1`, process).String()
	case path == "queues/queue":
		tenant := sql[string](s, `SELECT t.code FROM tenants t JOIN processes p ON p.tenant_id = t.id WHERE p.id = $1`, process)
		queue := sql[string](s, `SELECT task_queue FROM engine_runs WHERE owner_id = $1`, process)
		return "tenant=" + tenant + "&name=" + queue
	case path == "receivers/test":
		tenant := sql[string](s, `SELECT t.code FROM tenants t JOIN processes p ON p.tenant_id = t.id WHERE p.id = $1`, process)
		return s.createReceiver(tenant)
	case strings.HasPrefix(path, "webhooks/"):
		webhook, delivery := s.createWebhook(process, "HOOK-"+uuid.NewString()[:8])
		if strings.HasPrefix(path, "webhooks/deliveries") {
			return delivery.String()
		}
		return webhook
	}
	return ""
}

// askToRun sends the request of a row as a caller and returns the cell.
func (c *cast) askToRun(s *site, caller string, r row, name string) string {
	s.t.Helper()
	path := strings.NewReplacer(":id", name).Replace(r.path)
	if r.path == "queues/queue" || r.path == "webhooks/endpoint" {
		path += "?" + name
	}
	body := url.Values{"incident": {name}, "hours": {"24"}, "assignee": {"me"}, "text": {"the bank is closed"}}
	if strings.HasPrefix(r.path, "webhooks/") || r.path == "receivers/test" {
		var err error
		body, err = url.ParseQuery(name)
		require.NoError(s.t, err)
		body.Set("hours", "24")
	}
	return c.requestCell(s, caller, r, path, body)
}
