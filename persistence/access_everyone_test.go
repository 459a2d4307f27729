package persistence_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// user makes a caller a user of the tenant, disabled or not.
func (s *accessFixture) user(caller domain.Caller, tenant uuid.UUID, disabled *time.Time) {
	s.add("tenant_users", uuid.New(), tenant, caller.PrincipalID, domain.RoleMember, s.author, s.now, s.author, s.now, disabled)
}

// everyone returns all combinations of permissions of everyone of the tenant.
func everyone() []standing {
	all := []standing{{}}
	for _, field := range []func(*standing) *way{
		func(st *standing) *way { return &st.starter }, func(st *standing) *way { return &st.viewer },
		func(st *standing) *way { return &st.manager }, func(st *standing) *way { return &st.candidate },
		func(st *standing) *way { return &st.itemViewer },
	} {
		for _, st := range all {
			*field(&st) = asEveryone
			all = append(all, st)
		}
	}
	return all
}

// without returns another caller who has none of the relations.
func (o *accessCaller) without(caller domain.Caller) *accessCaller {
	other := newAccessCaller(caller)
	other.processOf = o.processOf
	for id := range o.definitions {
		other.definitions[id] = domain.ProcessRelations{Member: true}
	}
	for id := range o.processes {
		other.processes[id] = domain.ProcessRelations{Member: true}
	}
	for id := range o.items {
		other.items[id] = domain.ItemRelations{Process: domain.ProcessRelations{Member: true}}
	}
	return other
}

// A permission of everyone is one of each active user of the tenant, and not of an application, a disabled user or the user of
// another tenant.
func TestEveryoneIsTheActiveUsersOfTheTenant(t *testing.T) {
	t.Parallel()
	s := newAccessFixture(t)
	caller, group := s.principal(domain.PrincipalUser)
	s.user(caller, s.tenant, nil)
	o := newAccessCaller(caller)
	for _, st := range everyone() {
		o.add(s, st, group)
	}
	application, _ := s.principal(domain.PrincipalApplication)
	disabled, _ := s.principal(domain.PrincipalUser)
	s.user(disabled, s.tenant, &s.now)
	foreign, _ := s.principal(domain.PrincipalUser)
	s.user(foreign, s.elsewhere, nil)
	url := pgtest.URL(t)
	s.store(url)
	db := pgtest.Open(t, url)
	for name, of := range map[string]*accessCaller{
		"user": o, "user with a credential of another tenant": o.outside(s),
		"application": o.without(application), "disabled": o.without(disabled), "foreign": o.without(foreign),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			of.requireLists(t, db.Reader())
			of.requireGets(t, db.Reader(), 1)
			of.requireReads(t, s, db.Reader())
			of.requireWrites(t, db)
		})
	}
}
