package console_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// configurationMatrix is the matrix of the configuration routes. In the column foreign an administrator and the
// owner of a tenant name a resource of another tenant, or one that does not exist. The definer administers LOAN; in the column
// neighbour it names another definition. The word after a path is the kind of the resource.
const configurationMatrix = `
route                                                     owner tenant-owner administrator definer neighbour manager viewer candidate initiator stranger other anonymous foreign
GET definitions                                           403   200          200           200     200       403     403    403       403       403      403   in        200
GET definitions/new                                       403   200          200           403     403       403     403    403       403       403      403   in        200
GET definitions/playground                                403   200          200           200     200       403     403    403       403       403      403   in        200
GET definitions/schemas/:kind ProcessDefinition           403   200          200           200     200       403     403    403       403       403      403   in        200
POST definitions/check ProcessDefinition                  403   200          200           200     200       403     403    403       403       403      403   in        200
POST definitions/apply ProcessDefinition                  403   303          303           403     403       403     403    403       403       403      403   in        400
GET definitions/:tenant/:kind/:code ProcessDefinition     403   200          200           200     404       403     403    403       403       403      403   in        404
GET definitions/:tenant/:kind/:code/edit ProcessDefinition 403  200          200           200     404       403     403    403       403       403      403   in        404
GET definitions/:tenant/:kind/:code/compare ProcessDefinition 403 404        404           404     404       403     403    403       403       403      403   in        404
GET definitions/:tenant/:kind/:code/rights ProcessDefinition 403 200         200           200     404       403     403    403       403       403      403   in        404
GET access                                                403   200          200           200     200       403     403    403       403       403      403   in        200
GET access.csv                                            403   200          200           200     200       403     403    403       403       403      403   in        200
GET people                                                403   200          200           403     403       403     403    403       403       403      403   in        200
GET people/:tenant/:kind/:code User                       403   200          200           403     403       403     403    403       403       403      403   in        404
POST people/:tenant/:kind/:code/disable User              403   303          303           403     403       403     403    403       403       403      403   in        404
GET people/:tenant/:kind/:code/leave User                 403   200          200           403     403       403     403    403       403       403      403   in        404
POST people/:tenant/:kind/:code/delete User               403   409          409           403     403       403     403    403       403       403      403   in        404
GET people/unowned                                        403   200          200           403     403       403     403    403       403       403      403   in        200
POST people/unowned                                       403   400          400           403     403       403     403    403       403       403      403   in        400
POST people/:tenant/:kind/:code/secrets User              403   400          400           403     403       403     403    403       403       403      403   in        404
POST people/:tenant/:kind/:code/secrets/:id/revoke User   403   404          404           403     403       403     403    403       403       403      403   in        404
POST people/:tenant/:kind/:code/access User               403   303          303           403     403       403     403    403       403       403      403   in        404
POST people/:tenant/:kind/:code/sessions/end User         403   303          303           403     403       403     403    403       403       403      403   in        404
POST people/:tenant/:kind/:code/files Robot               403   400          400           403     403       403     403    403       403       403      403   in        404
POST people/:tenant/:kind/:code/files/delete Robot        403   400          400           403     403       403     403    403       403       403      403   in        404
POST people/:tenant/:kind/:code/variables Robot           403   303          303           403     403       403     403    403       403       403      403   in        404
`

// configuredResource identifies the resource of a row of configurationMatrix.
type configuredResource struct{ tenant, code string }

//nolint:tparallel // the rows share the browsers of the callers
func TestConfigurationMatrix(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	c := newCast(s)
	own := map[string]configuredResource{"ProcessDefinition": {"demo", "LOAN"}, "User": {"demo", "carol"}, "Robot": {"demo", "KYC_BOT"}}
	for _, row := range rowsOf(configurationMatrix) { //nolint:paralleltest // as above
		t.Run(strings.TrimSpace(row.method+" "+row.path+" "+row.variant), func(t *testing.T) {
			s := *s
			s.t = t
			for caller, want := range row.cells {
				if caller == "neighbour" && row.variant == "ProcessDefinition" {
					require.Equal(t, want, c.askToConfigure(&s, caller, row, configuredResource{"demo", "INSPECTION"}), caller)
					continue
				}
				if caller != "foreign" {
					require.Equal(t, want, c.askToConfigure(&s, caller, row, own[row.variant]), caller)
					continue
				}
				for _, name := range []string{"tenant-owner", "administrator"} {
					foreign := configuredResource{"other", own[row.variant].code}
					require.Equal(t, want, c.askToConfigure(&s, name, row, foreign), "%s naming what is another tenant's", name)
					absent := configuredResource{"nowhere", "ABSENT"}
					require.Equal(t, want, c.askToConfigure(&s, name, row, absent), "%s naming what does not exist", name)
				}
			}
			if strings.Contains(row.path, "sessions/end") {
				// The initiator, whose sessions have ended, signs in again.
				delete(c.browsers, "initiator")
			}
		})
	}
	c.requireControls(t, s)
}

// nameOf is the name in a form: a variable of a robot. Other secrets have none.
var nameOf = map[string]string{"Robot": "MATRIX"}

// askToConfigure sends the request of a row as a caller and returns the cell.
func (c *cast) askToConfigure(s *site, caller string, r row, about configuredResource) string {
	s.t.Helper()
	path := strings.NewReplacer(":tenant", about.tenant, ":kind", r.variant, ":code", about.code, ":id", uuid.NewString()).Replace(r.path)
	manifest := "apiVersion: procession/v1\nkind: DataStructure\nmetadata: {code: MATRIX, tenant: " + about.tenant + "}\n" +
		"spec: {name: Matrix, schema: {type: object}}\n"
	return c.requestCell(s, caller, r, path, url.Values{"text": {manifest}, "name": {nameOf[r.variant]}, "value": {"secret"}, "type": {"NONE"}})
}
