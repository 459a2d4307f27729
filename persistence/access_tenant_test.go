package persistence_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/accessmodel"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// A group gets no right in another tenant than its own, whatever other tenants its members belong to.
func TestGroupsOfAnotherTenantAreGivenNothing(t *testing.T) {
	t.Parallel()
	s := newAccessFixture(t)
	caller, own := s.principal(domain.PrincipalUser)
	caller.Memberships = append(caller.Memberships, domain.Membership{TenantID: s.elsewhere, Role: domain.RoleMember})
	foreign := s.groupOf(caller.PrincipalID, s.elsewhere)
	k, of := s.define(nil), s.define(nil)
	process := s.process(k, s.author)
	item := s.itemOf(process, k, k.item, nil)
	s.itemOf(s.process(of, s.author), of, of.item, nil)
	url := pgtest.URL(t)
	s.store(url)
	db := pgtest.Open(t, url)
	sees := func() (definitions int, processes, items int64) {
		page := domain.PageRequest{}
		p, err := db.Reader().ListProcesses(t.Context(), caller, persistence.ProcessFilter{}, page, nil)
		require.NoError(t, err)
		i, err := db.Reader().ListProcessItems(t.Context(), caller, persistence.ItemFilter{}, page, nil)
		require.NoError(t, err)
		err = db.Write(t.Context(), func(tx *persistence.Tx) error {
			prepared, err := persistence.PrepareProcess(caller, uuid.New(), persistence.DefinitionKey{ID: &k.id}, persistence.PrincipalKey{}, nil).Do(t.Context(), tx)
			require.NoError(t, err)
			if prepared.Definitions[0].Rights.Sees() {
				definitions++
			}
			return nil
		})
		require.NoError(t, err)
		return definitions, p.Total, i.Total
	}
	for _, g := range []struct {
		group            uuid.UUID
		definitions      int
		processes, items int64
	}{{foreign, 0, 0, 0}, {own, 1, 1, 1}} {
		require.NoError(t, db.Write(t.Context(), func(tx *persistence.Tx) error {
			for _, permission := range []domain.ProcessPermission{
				domain.PermissionInitiator, domain.PermissionViewer, domain.PermissionManager, domain.PermissionAdministrator,
			} {
				tx.GrantOnProcess(k.id, permission, g.group)
			}
			tx.GrantOnItem(k.item.ID, domain.PermissionCandidate, domain.Grantee{ID: g.group})
			tx.GrantOnItem(k.item.ID, domain.PermissionItemViewer, domain.Grantee{ID: g.group})
			return nil
		}))
		definitions, processes, items := sees()
		require.Equal(t, g.definitions, definitions)
		require.Equal(t, g.processes, processes)
		require.Equal(t, g.items, items)
		_, err := db.Reader().GetProcessItem(t.Context(), caller, item)
		requireFound(t, g.items > 0, err, g)
	}
}

// A process stays with the application that runs its version when a later version has another runner, and the
// new runner manages it by its grant.
func TestProcessesStayWithTheirRunner(t *testing.T) {
	t.Parallel()
	s := newAccessFixture(t)
	runner, _ := s.principal(domain.PrincipalApplication)
	successor, _ := s.principal(domain.PrincipalApplication)
	k := s.define(&runner.PrincipalID)
	old := s.process(k, s.author)
	item := s.itemOf(old, k, k.item, nil)
	later := uuid.New()
	s.add("process_definition_versions", later, k.id, k.code, "Workflow", "queue", "B", &successor.PrincipalID, []byte("{}"),
		2, []byte{}, s.author, s.now)
	s.grant(k, domain.PermissionManager, directly, successor, uuid.Nil)
	recent := *k
	recent.version = later
	young := s.process(&recent, s.author)
	url := pgtest.URL(t)
	s.store(url)
	reader := pgtest.Open(t, url).Reader()
	for _, c := range []struct {
		caller domain.Caller
		id     uuid.UUID
		sees   bool
	}{{runner, old, true}, {runner, young, false}, {successor, old, true}, {successor, young, true}} {
		_, err := reader.GetProcess(t.Context(), c.caller, c.id)
		requireFound(t, c.sees, err, c)
	}
	_, err := reader.GetProcessItem(t.Context(), runner, item)
	require.NoError(t, err)
}

// Resources are visible exactly where the domain allows it, in every combination of role, operator and the
// Administrator permission.
func TestResourcesExistForWhomTheDomainSays(t *testing.T) { //nolint:funlen // one world of all relations, and what each sees of it
	t.Parallel()
	s := newAccessFixture(t)
	store := func(kind resource.Kind, code string, id uuid.UUID, spec string) {
		s.add("resources", s.tenant, kind, code, id, map[string]string{}, []byte(spec), s.author, s.now, s.author, s.now)
	}
	type viewer struct {
		domain.Caller
		relations map[resource.Key]accessmodel.ResourceRelations
	}
	var viewers []*viewer
	group := resource.Key{Tenant: "here", Kind: resource.KindGroup, Code: "G"}
	store(group.Kind, group.Code, uuid.New(), `{"name":"G"}`)
	for _, role := range []domain.TenantRole{"", domain.RoleMember, domain.RoleAdministrator, domain.RoleOwner} {
		for _, operator := range []bool{false, true} {
			caller, own := s.principal(domain.PrincipalUser)
			caller.Operator = operator
			caller.Memberships = []domain.Membership{{TenantID: s.elsewhere, Role: domain.RoleOwner}}
			if role != "" {
				caller.Memberships = append(caller.Memberships, domain.Membership{TenantID: s.tenant, Role: role, AdministersDefinitions: true})
			}
			v := &viewer{Caller: caller, relations: map[resource.Key]accessmodel.ResourceRelations{group: {Operator: operator, Role: role}}}
			viewers = append(viewers, v)
			for _, w := range []way{notAtAll, directly, throughGroup} {
				k := s.define(nil)
				s.grant(k, domain.PermissionAdministrator, w, caller, own)
				store(resource.KindProcessDefinition, k.code, k.id, `{"name":"D"}`)
				key := resource.Key{Tenant: "here", Kind: resource.KindProcessDefinition, Code: k.code}
				v.relations[key] = accessmodel.ResourceRelations{Operator: operator, Role: role, Administrator: w != notAtAll}
			}
		}
	}
	for _, v := range viewers {
		for _, other := range viewers {
			for key := range other.relations {
				if _, own := v.relations[key]; !own {
					// The definition is in the same tenant, but the caller has no permission on it.
					v.relations[key] = v.relations[group]
				}
			}
		}
	}
	url := pgtest.URL(t)
	s.store(url)
	db := pgtest.Open(t, url)
	service := administration.New(administration.Options{Store: storage.New(storage.Options{DB: db, Clock: time.Now})})
	for _, v := range viewers {
		want := map[resource.Key]bool{}
		for key, r := range v.relations {
			_, err := service.RetrieveResource(t.Context(), domain.Call{Caller: v.Caller}, key)
			requireFound(t, accessmodel.SeesResource(r), err, r)
			if accessmodel.SeesResource(r) {
				want[key] = true
			}
		}
		var page domain.Page[resource.Stored]
		err := service.FindResources(t.Context(), domain.Call{Caller: v.Caller}, administration.ResourceFilter{}, domain.PageRequest{Size: 1000}, nil,
			func(found *domain.Listing[resource.Stored]) error {
				page = found.Page
				return nil
			})
		require.NoError(t, err)
		got := map[resource.Key]bool{}
		for _, r := range page.Items {
			got[r.Key()] = true
		}
		require.Equal(t, want, got)
		require.EqualValues(t, len(want), page.Total)
	}
}
