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
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// customerDefinition returns the definition CUSTOMER of the demonstration data.
func customerDefinition() uuid.UUID { return uuid.MustParse("01970000-0000-7000-8000-00000000f001") }

// artifactMatrix is matrix for the routes of business artifacts. Of CUSTOMER, manager has
// the permission Manager, viewer Viewer, and owner Editor. :run is an action of the
// manager; the word after a path stands for :code.
const artifactMatrix = `
route                                           owner tenant-owner administrator manager viewer candidate initiator stranger other anonymous foreign
GET artifacts                                   200   200          200           200     200    200       200       200      200   in        200
GET artifacts.csv                               200   200          200           200     200    200       200       200      200   in        200
GET artifacts/new/:id                           200   404          404           200     403    404       404       404      404   in        404
POST artifacts/new/:id/form                     400   404          404           400     403    404       404       404      404   in        404
GET artifacts/new/:id/form/found                404   404          404           404     403    404       404       404      404   in        404
POST artifacts/new/:id/form/items                404   404          404           404     403    404       404       404      404   in        404
POST artifacts/new/:id/form/json                 404   404          404           404     403    404       404       404      404   in        404
POST artifacts/new/:id/form/files               400   404          404           400     403    404       404       404      404   in        404
GET artifacts/:id                               200   404          404           200     200    404       404       404      404   in        404
POST artifacts/:id/form                         400   404          404           400     409    404       404       404      404   in        404
GET artifacts/:id/form/found                    404   404          404           404     404    404       404       404      404   in        404
POST artifacts/:id/form/items                    404   404          404           404     404    404       404       404      404   in        404
POST artifacts/:id/form/json                     404   404          404           404     404    404       404       404      404   in        404
POST artifacts/:id/form/files                   400   404          404           400     400    404       404       404      404   in        404
GET artifacts/:id/file                          404   404          404           404     404    404       404       404      404   in        404
GET artifacts/:id/documents                     200   404          404           200     200    404       404       404      404   in        404
GET artifacts/:id/document                      400   400          400           400     400    400       400       400      400   in        400
GET artifacts/:id/timeline                      200   404          404           200     200    404       404       404      404   in        404
GET artifacts/:id/runs                          200   404          404           200     200    404       404       404      404   in        404
GET artifacts/:id/runs/:run                     200   404          404           200     200    404       404       404      404   in        404
POST artifacts/:id/runs/:run/cancel             403   404          404           303     403    404       404       404      404   in        404
GET artifacts/:id/act/:code STATEMENT           200   404          404           200     404    404       404       404      404   in        404
POST artifacts/:id/act/:code RECALCULATE        303   404          404           303     403    404       404       404      404   in        404
POST artifacts/:id/act/:code/form STATEMENT     400   404          404           400     404    404       404       404      404   in        404
GET artifacts/:id/act/:code/form/found STATEMENT 404  404          404           404     404    404       404       404      404   in        404
POST artifacts/:id/act/:code/form/items STATEMENT 404  404          404           404     404    404       404       404      404   in        404
POST artifacts/:id/act/:code/form/json  STATEMENT 404  404          404           404     404    404       404       404      404   in        404
POST artifacts/:id/act/:code/form/files STATEMENT 400 404          404           400     404    404       404       404      404   in        404
`

//nolint:tparallel // the rows share the browsers of the callers
func TestArtifactMatrix(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	c := newCast(s)
	foreignDefinition := s.foreignCustomers()
	require.NoError(t, s.db.Write(t.Context(), func(tx *persistence.Tx) error {
		for name, permission := range map[string]domain.ArtifactPermission{
			"manager": domain.PermissionArtifactManager, "viewer": domain.PermissionArtifactViewer, "owner": domain.PermissionArtifactEditor,
		} {
			tx.GrantOnArtifact(customerDefinition(), demo.TenantDemo(), permission, c.ids[name])
		}
		return nil
	}))
	foreign := subject{id: s.createArtifact(demo.OtherWorker(), foreignDefinition, "{}"), run: uuid.New()}
	own := subject{id: s.createArtifact(demo.Alice(), customerDefinition(), "{}")}
	for _, row := range rowsOf(artifactMatrix) { //nolint:paralleltest // as above
		t.Run(strings.TrimSpace(row.method+" "+row.path+" "+row.variant), func(t *testing.T) {
			s := *s
			s.t = t
			own, foreign := own, foreign
			if strings.HasPrefix(row.path, "artifacts/new") {
				own.id, foreign.id = customerDefinition(), foreignDefinition
			}
			for caller, want := range row.cells {
				if caller != "foreign" {
					if strings.Contains(row.path, ":run") {
						run, _, err := s.app.CreateBusinessArtifactAction(t.Context(), s.callerOf(demo.Alice()), own.id,
							app.NewBusinessArtifactAction{Code: "RECALCULATE"})
						require.NoError(t, err)
						own.run = run.ID
					}
					require.Equal(t, want, c.askArtifact(&s, caller, row, own), caller)
					continue
				}
				for name := range c.secrets {
					if name == "other" {
						continue
					}
					require.Equal(t, want, c.askArtifact(&s, name, row, foreign), "%s naming an artifact of another tenant", name)
					require.Equal(t, want, c.askArtifact(&s, name, row, subject{uuid.New(), uuid.New()}),
						"%s naming an artifact that does not exist", name)
				}
			}
		})
	}
}

// askArtifact sends the request of a row as a caller about a subject, and returns the cell.
func (c *cast) askArtifact(s *site, caller string, r row, about subject) string {
	s.t.Helper()
	path := strings.NewReplacer(":id", about.id.String(), ":run", about.run.String(), ":code", r.variant).Replace(r.path)
	return c.requestCell(s, caller, r, path, url.Values{})
}

// createArtifact creates an artifact.
func (s *site) createArtifact(by demo.Account, definition uuid.UUID, data string) uuid.UUID {
	s.t.Helper()
	created, _, err := s.app.CreateBusinessArtifact(s.t.Context(), s.callerOf(by), app.NewBusinessArtifact{
		Definition: app.DefinitionKey{ID: &definition}, Data: []byte(data),
	})
	require.NoError(s.t, err)
	return created.ID
}

// foreignCustomers defines artifacts in another tenant.
func (s *site) foreignCustomers() uuid.UUID {
	s.t.Helper()
	id := uuid.New()
	document, err := resource.FromStored(resource.KindBusinessArtifactDefinition,
		resource.Metadata{Code: "CUSTOMER", Tenant: "other"}, []byte(`{"name":"Customer","actions":[`+
			`{"code":"RECALCULATE","name":"R","type":"START_WORKFLOW","workflowType":"W","taskQueue":"q","runner":"r"}]}`))
	require.NoError(s.t, err)
	require.NoError(s.t, s.db.Write(s.t.Context(), func(tx *persistence.Tx) error {
		tx.GrantOnArtifact(id, demo.TenantOther(), domain.PermissionArtifactManager, demo.OtherWorker().ID)
		return tx.PutResource(resource.Stored{
			Document: document, ID: id, TenantID: demo.TenantOther(), Audit: domain.NewAudit(domain.SystemPrincipalID(), s.currentTime()),
		})
	}))
	return id
}
