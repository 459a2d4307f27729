package api_test

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/localstack/demo"
)

// keep stores what the tenant keeps of a user, together with its errors as JSON.
func (s *service) keep(membership uuid.UUID, metadata string, valid bool, problems *string) {
	s.t.Helper()
	conn := s.connect()
	defer func() { _ = conn.Close(s.t.Context()) }()
	_, err := conn.Exec(s.t.Context(),
		`UPDATE tenant_users SET metadata = $2, metadata_valid = $3, metadata_errors = $4 WHERE id = $1`,
		membership, metadata, valid, problems)
	require.NoError(s.t, err)
}

// describeUsers gives Alice valid metadata and Bob metadata with an error; Carol
// has none.
func (s *service) describeUsers() {
	s.t.Helper()
	s.keep(s.membership(demo.Alice()), `{"ZIP":"01067","LIMIT":1E22,"NOTE":"<a> & b","DAYS":[1.10,null]}`, true, nil)
	s.keep(s.membership(demo.Bob()), `{"ZIP":7}`, false, new(`[{"propertyPath":"/ZIP","type":"type"}]`))
}

func TestBodiesOfShapeA(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.describeUsers()
	for name, path := range map[string]string{
		"principal_user":               "/principals/" + demo.Alice().ID.String(),
		"principal_application":        "/principals/" + demo.LoanWorker().ID.String(),
		"principal_system":             "/principals/" + domain.SystemPrincipalID().String(),
		"principal_page":               "/principals?size=2&sort=name",
		"principal_page_empty":         "/principals?size=0",
		"tenant_user":                  "/tenant-users/" + s.membership(demo.Alice()).String(),
		"tenant_user_invalid_metadata": "/tenant-users/" + s.membership(demo.Bob()).String(),
		"tenant_user_no_metadata":      "/tenant-users/" + s.membership(demo.Carol()).String(),
		"tenant_user_page":             "/tenant-users?sort=id&email=alice@demo.example&email=carol@demo.example",
	} {
		requireGolden(t, "shape_a/"+name, s.get(200, demo.Carol(), shapeA+path))
	}
}

type object = map[string]any

// requireSameRecord requires the answer of Shape A to say what that of Shape B
// says, as far as Shape A says it.
func requireSameRecord(t *testing.T, inA, inB object) {
	t.Helper()
	if _, isTenantUser := inA["tenantId"]; isTenantUser {
		require.Equal(t, "TENANT_USER", inA["objectType"])
	}
	delete(inA, "objectType")
	if metadata, ok := inB["metadata"].(object); ok {
		delete(metadata, "errors")
	}
	require.Equal(t, inB, inA)
}

// Whoever asks, both shapes find the same records in the same order and say the
// same of each.
func TestShapesAgreeOnIdentities(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.describeUsers()
	carol := demo.Carol()
	s.join(&carol, demo.TenantOther())
	for _, as := range []demo.Account{carol, demo.Bob(), demo.Stranger(), demo.OtherWorker()} {
		for _, path := range []string{"/principals", "/tenant-users"} {
			compared := 0
			for _, query := range []string{
				"?sort=id", "?sort=id,desc&size=2&page=1", "?size=0", "?groupId=" + demo.Reviewers().String(),
				"?tenantId=" + demo.TenantOther().String(),
			} {
				a := s.get(200, as, shapeA+path+query)
				b := s.get(200, as, shapeB+path+query)
				found := decode[listed](t, a)
				require.Equal(t, decode[listed](t, b), found, query)
				for i, element := range decode[struct{ Content []object }](t, a).Content {
					at := path + "/" + found.Content[i].ID.String()
					single := decode[object](t, s.get(200, as, shapeA+at))
					require.Equal(t, single, element, "a page of Shape A has whole resources")
					requireSameRecord(t, single, decode[object](t, s.get(200, as, shapeB+at)))
					compared++
				}
			}
			require.Positive(t, compared)
		}
	}
}

func TestPagesOfShapeASayWhatTheyAre(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for path, want := range map[string]string{"/principals": "PRINCIPAL_PAGE", "/tenant-users": "TENANT_USER_PAGE"} {
		for _, query := range []string{"", "?size=0", "?tenantId=" + uuid.NewString()} {
			page := decode[map[string]json.RawMessage](t, s.get(200, demo.Bob(), shapeA+path+query))
			require.JSONEq(t, `"`+want+`"`, string(page["objectType"]))
			require.Len(t, page, 3)
		}
	}
}
