package console_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/console"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/formtest"
)

// matrix holds the answer of every route to every caller. The columns are users who
// name tasks of a LOAN in their own tenant, but for other, who belongs to another
// tenant, and anonymous, who is not signed in. The last, foreign, stands for all
// others naming a task of another tenant or one that does not exist. The task is an
// APPROVE_LOAN that owner owns; in rows that end in READY it has no owner.
//
// A cell is a status; "in" is being sent to the sign-in page.
const matrix = `
route                       owner tenant-owner administrator manager viewer candidate initiator stranger other anonymous foreign
GET                         200   200          200           200     200    200       200       200      200   in        200
GET sign-in                 303   303          303           303     303    303       303       303      303   200       303
POST sign-in                401   401          401           401     401    401       401       401      401   401       401
POST sign-in/issuer         404   404          404           404     404    404       404       404      404   404       404
GET sign-in/callback/:issuer 401  401          401           401     401    401       401       401      401   401       401
POST sign-in/again          401   401          401           401     401    401       401       401      401   in        401
POST sign-out               303   303          303           303     303    303       303       303      303   in        303
POST preferences            303   303          303           303     303    303       303       303      303   303       303
GET profile                 200   200          200           200     200    200       200       200      200   in        200
POST profile                303   303          303           303     303    303       303       303      303   in        303
GET sessions                200   200          200           200     200    200       200       200      200   in        200
POST sessions/end-others    303   303          303           303     303    303       303       303      303   in        303
POST sessions/:id/end       303   303          303           303     303    303       303       303      303   in        303
GET tokens                  200   200          200           200     200    200       200       200      200   in        200
POST tokens/confirm         303   303          303           303     303    303       303       303      303   in        303
POST tokens/:id/revoke      404   404          404           404     404    404       404       404      404   in        404
GET absences                200   200          200           200     200    200       200       200      200   in        200
POST absences               422   422          422           422     422    422       422       422      422   in        422
POST absences/:tenant/:code/end 404 404        404           404     404    404       404       404      404   in        404
GET palette                 200   200          200           200     200    200       200       200      200   in        200
GET live                    200   200          200           200     200    200       200       200      200   in        200
GET notifications           200   200          200           200     200    200       200       200      200   in        200
GET notifications/bell      200   200          200           200     200    200       200       200      200   in        200
POST notifications/read     400   400          400           400     400    400       400       400      400   in        400
GET mailbox                 200   200          200           200     200    200       200       200      200   in        200
GET notifications/mails     200   200          200           200     200    200       200       200      200   in        200
POST notifications/mails    303   303          303           303     303    303       303       303      303   in        303
GET unsubscribe/:token      404   404          404           404     404    404       404       404      404   404       404
POST unsubscribe/:token     404   404          404           404     404    404       404       404      404   404       404
POST notifications/:id      404   404          404           404     404    404       404       404      404   in        404
GET reference               200   200          200           200     200    200       200       200      200   in        200
GET reference/:api          200   200          200           200     200    200       200       200      200   in        200
GET reference/:api/operations/:operation 200 200 200         200     200    200       200       200      200   in        200
GET reference/:api/schemas/:schema 200 200     200           200     200    200       200       200      200   in        200
GET tasks                   200   200          200           200     200    200       200       200      200   in        200
GET tasks/news              200   200          200           200     200    200       200       200      200   in        200
GET tasks/assign            200   200          200           200     200    200       200       200      200   in        200
GET tasks/:id               200   404          404           200     200    200       404       404      404   in        404
GET tasks/:id READY         404   404          404           200     200    200       404       404      404   in        404
GET tasks/:id/changes       200   404          404           200     200    200       404       404      404   in        404
GET tasks/:id/next          200   404          404           200     200    200       404       404      404   in        404
GET tasks/:id/planning      200   404          404           200     200    200       404       404      404   in        404
POST tasks/:id/planning     303   404          404           303     403    403       404       404      404   in        404
GET tasks/:id/pdf           200   404          404           200     200    200       404       404      404   in        404
GET tasks/:id/file          404   404          404           404     404    404       404       404      404   in        404
GET tasks/:id/preview       404   404          404           404     404    404       404       404      404   in        404
GET tasks/:id/assistance    200   404          404           200     200    200       404       404      404   in        404
POST tasks/:id/assistance   303   404          404           303     403    303       404       404      404   in        404
POST tasks/:id/assistance/accept 409 404        404           409     403    403       404       404      404   in        404
GET tasks/:id/form/found    404   404          404           404     404    404       404       404      404   in        404
POST tasks/:id/form/items    404   404          404           404     404    404       404       404      404   in        404
POST tasks/:id/form/json     404   404          404           404     404    404       404       404      404   in        404
POST tasks/:id/form         400   404          404           400     409    409       404       404      404   in        404
POST tasks/:id/form READY   404   404          404           400     409    409       404       404      404   in        404
POST tasks/:id/form/files   400   404          404           400     400    400       404       404      404   in        404
POST tasks/claim            303   404          404           403     403    409       404       404      404   in        404
POST tasks/claim READY      404   404          404           403     403    303       404       404      404   in        404
POST tasks/assign           303   404          404           303     403    403       404       404      404   in        404
POST tasks/assign READY     404   404          404           303     403    403       404       404      404   in        404
GET tasks/delegate          200   200          200           200     200    200       200       200      200   in        200
POST tasks/delegate         303   404          404           303     403    403       404       404      404   in        404
POST tasks/delegate READY   404   404          404           303     403    403       404       404      404   in        404
POST tasks/release          303   404          404           303     403    403       404       404      404   in        404
POST tasks/release READY    404   404          404           303     403    303       404       404      404   in        404
POST tasks/complete         303   404          404           403     403    403       404       404      404   in        404
POST tasks/complete READY   404   404          404           409     403    409       404       404      404   in        404
`

func TestEveryRouteIsInAMatrix(t *testing.T) {
	t.Parallel()
	var listed []string
	for _, row := range slices.Concat(
		rowsOf(matrix), rowsOf(processMatrix), rowsOf(runMatrix), rowsOf(configurationMatrix), rowsOf(artifactMatrix), rowsOf(bulkMatrix),
	) {
		listed = append(listed, row.method+" "+row.path)
	}
	require.Equal(t, slices.Sorted(slices.Values(console.RouteNames())), slices.Compact(slices.Sorted(slices.Values(listed))))
}

//nolint:tparallel // the rows share the browsers of the callers
func TestMatrix(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	c := newCast(s)
	for _, row := range rowsOf(matrix) { //nolint:paralleltest // as above
		t.Run(strings.TrimSpace(row.method+" "+row.path+" "+row.variant), func(t *testing.T) {
			s := *s
			s.t = t
			if strings.HasSuffix(row.path, "/pdf") {
				formtest.RequirePool(t)
			}
			for caller, want := range row.cells {
				if caller != "foreign" {
					require.Equal(t, want, c.requestStatus(&s, caller, row, c.createTask(&s, row.variant)), caller)
					continue
				}
				for name := range c.secrets {
					require.Equal(t, want, c.requestStatus(&s, name, row, c.foreign), "%s naming a task of another tenant", name)
					require.Equal(t, want, c.requestStatus(&s, name, row, uuid.New()), "%s naming a task that does not exist", name)
				}
			}
		})
	}
}

// row is a row of the matrix.
type row struct {
	method, path, variant string
	cells                 map[string]string
}

func rowsOf(text string) []row {
	var rows []row
	lines := strings.Split(strings.TrimSpace(text), "\n")
	callers := strings.Fields(lines[0])[1:]
	for _, line := range lines[1:] {
		fields := strings.Fields(line)
		words, cells := fields[:len(fields)-len(callers)], fields[len(fields)-len(callers):]
		r := row{method: words[0], cells: map[string]string{}}
		if len(words) > 1 {
			r.path = words[1]
		}
		if len(words) > 2 {
			r.variant = words[2]
		}
		for i, caller := range callers {
			r.cells[caller] = cells[i]
		}
		rows = append(rows, r)
	}
	return rows
}

// cast are the callers of the matrix, each with one right only.
type cast struct {
	secrets map[string]string
	ids     map[string]uuid.UUID
	// browsers are signed in as the callers.
	browsers map[string]*http.Client
	process  uuid.UUID
	// foreign is a task of another tenant, which only the user "other" of the matrix could name.
	foreign        uuid.UUID
	foreignProcess uuid.UUID
	// neighbour is a process of the tenant with another definition.
	neighbour uuid.UUID
	// denied counts the answers with 403 by operation.
	denied map[string]int
}

func newCast(s *site) *cast {
	s.t.Helper()
	c := &cast{
		browsers: map[string]*http.Client{}, denied: map[string]int{},
		secrets: map[string]string{"candidate": demo.Bob().Secret, "initiator": demo.Carol().Secret},
		ids:     map[string]uuid.UUID{"candidate": demo.Bob().ID, "initiator": demo.Carol().ID},
	}
	audit := domain.NewAudit(domain.SystemPrincipalID(), s.currentTime())
	roles := map[string]domain.TenantRole{"tenant-owner": domain.RoleOwner, "administrator": domain.RoleAdministrator}
	require.NoError(s.t, s.db.Write(s.t.Context(), func(tx *persistence.Tx) error {
		for _, name := range []string{"owner", "tenant-owner", "administrator", "manager", "viewer", "stranger", "other", "definer"} {
			id, tenant, role := uuid.New(), demo.TenantDemo(), domain.RoleMember
			if name == "other" {
				tenant = demo.TenantOther()
			}
			if special, ok := roles[name]; ok {
				role = special
			}
			require.NoError(s.t, tx.PutTenantUser(domain.TenantUser{
				ID: uuid.New(), TenantID: tenant, Role: role, Audit: audit,
				Principal: domain.Principal{ID: id, Name: name, Email: name + "@matrix.example"},
			}))
			c.ids[name], c.secrets[name] = id, "matrix-secret-of-"+name
			tx.InsertCredential(domain.Credential{
				ID: uuid.New(), PrincipalID: id, Kind: domain.CredentialPersonalAccessToken,
				SecretSHA256: authn.HashSecret(c.secrets[name]), CreatedAt: audit.CreatedAt,
			})
		}
		tx.GrantOnProcess(demo.Loan(), domain.PermissionManager, c.ids["manager"])
		tx.GrantOnProcess(demo.Loan(), domain.PermissionRepairer, c.ids["manager"])
		tx.GrantOnProcess(demo.Loan(), domain.PermissionViewer, c.ids["viewer"])
		tx.GrantOnProcess(demo.Loan(), domain.PermissionAdministrator, c.ids["administrator"])
		tx.GrantOnProcess(demo.Loan(), domain.PermissionAdministrator, c.ids["definer"])
		return nil
	}))
	c.process = s.startLoan("Matrix")
	c.foreignProcess, c.foreign = s.foreignTask()
	c.neighbour = s.startInspection()
	return c
}

// createTask returns a new task as the variant of a row wants it.
func (c *cast) createTask(s *site, variant string) uuid.UUID {
	s.t.Helper()
	in := app.NewItem{Type: domain.ItemTask, ProcessID: c.process, DefinitionCode: "APPROVE_LOAN"}
	if variant != "READY" {
		owner := c.ids["owner"]
		in.Owner = app.PrincipalKey{ID: &owner}
	}
	created, _, err := s.app.CreateProcessItem(s.t.Context(), s.callerOf(demo.LoanWorker()), in)
	require.NoError(s.t, err)
	return created.ID
}

// requestStatus sends the request of a row as a caller about a task, and returns the cell.
func (c *cast) requestStatus(s *site, caller string, r row, task uuid.UUID) string {
	s.t.Helper()
	path := strings.NewReplacer(":id", task.String(), ":api", "admin", ":operation", "applyResources", ":schema", "Incident").Replace(r.path)
	var body url.Values
	switch r.method + " " + r.path {
	case "GET tasks/news":
		path += "?after=0.0.0&view=all"
	case "GET palette":
		path += "?q=" + task.String()
	case "GET tasks/assign", "GET tasks/delegate":
		path += "?task=" + task.String()
	case "POST sign-in/issuer":
		body = url.Values{"issuer": {"https://unknown.example"}}
	case "POST sign-in":
		body = url.Values{"token": {"wrong"}}
	case "POST tasks/assign":
		body = url.Values{"task": {task.String()}, "owner": {c.ids["owner"].String()}}
	case "POST tasks/delegate":
		body = url.Values{"task": {task.String()}, "owner": {c.ids["candidate"].String()}}
	default:
		body = url.Values{"task": {task.String()}, "request": {uuid.NewString()}}
	}
	return c.requestCell(s, caller, r, path, body)
}

// notOwned is the reason of refusals that depend on the state of a task, which are no denials.
const notOwned = "The task belongs to another person."

// requireDenial requires that the route of a row has one more denial in the event log.
func (c *cast) requireDenial(s *site, r row) {
	s.t.Helper()
	operation := r.method + " /console/" + r.path
	c.denied[operation]++
	require.NoError(s.t, s.chain.Audit.Flush(s.t.Context()))
	require.Equal(s.t, c.denied[operation], sql[int](s, `SELECT coalesce(sum((details->>'count')::int), 0)::int FROM events
		WHERE type = 'ACCESS.DENIED' AND details->>'operation' = $1 AND details->>'address' = '127.0.0.1'`, operation), operation)
}

// requestCell sends a request to a path as a caller and returns the cell of the answer.
func (c *cast) requestCell(s *site, caller string, r row, path string, body url.Values) string {
	s.t.Helper()
	if caller == "neighbour" {
		caller = "definer"
	}
	client, ok := c.browsers[caller]
	if !ok || r.path == "sign-out" {
		client = s.clientWithToken(c.secrets[caller])
		c.browsers[caller] = client
	}
	answer := s.sendRequest(client, r.method, path, body)
	if answer.status == http.StatusForbidden && !strings.Contains(string(answer.body), notOwned) {
		c.requireDenial(s, r)
	}
	if r.path == "sign-out" {
		delete(c.browsers, caller)
	}
	if strings.Contains(answer.header.Get("Location"), "/console/sign-in") {
		if caller != "anonymous" && r.path == "sign-out" {
			return "303"
		}
		return "in"
	}
	return strconv.Itoa(answer.status)
}

// clientWithToken returns a browser without a script, signed in with a token unless it is "".
func (s *site) clientWithToken(token string) *http.Client {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(s.t, err)
	client := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if token != "" {
		answer := s.sendRequest(client, http.MethodPost, "sign-in", url.Values{"token": {token}})
		require.Equal(s.t, http.StatusSeeOther, answer.status)
	}
	return client
}

// reply is an answer that was read.
type reply struct {
	status  int
	header  http.Header
	cookies []*http.Cookie
	body    []byte
}

// sendRequest sends a request to a path of the console. It does not read streams.
func (s *site) sendRequest(client *http.Client, method, path string, body url.Values, headers ...string) reply {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body.Encode()))
	require.NoError(s.t, err)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := client.Do(r)
	require.NoError(s.t, err)
	defer func() { _ = answer.Body.Close() }()
	got := reply{status: answer.StatusCode, header: answer.Header, cookies: answer.Cookies()}
	if answer.Header.Get("Content-Type") != "text/event-stream" {
		got.body, err = io.ReadAll(answer.Body)
		require.NoError(s.t, err)
	}
	return got
}
