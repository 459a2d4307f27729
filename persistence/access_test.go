package persistence_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// accessCaller is a caller with its relations to processes and items. It has no relation to all others.
type accessCaller struct {
	domain.Caller
	definitions map[uuid.UUID]domain.ProcessRelations
	processes   map[uuid.UUID]domain.ProcessRelations
	items       map[uuid.UUID]domain.ItemRelations
	// processOf maps items that are also read by themselves to their processes.
	processOf map[uuid.UUID]uuid.UUID
	// ofAbsent has the tasks of absent people, and whether they are open.
	ofAbsent map[uuid.UUID]bool
}

func newAccessCaller(caller domain.Caller) *accessCaller {
	return &accessCaller{
		Caller: caller, definitions: map[uuid.UUID]domain.ProcessRelations{}, processes: map[uuid.UUID]domain.ProcessRelations{},
		items: map[uuid.UUID]domain.ItemRelations{}, processOf: map[uuid.UUID]uuid.UUID{},
		ofAbsent: map[uuid.UUID]bool{},
	}
}

// standing is one combination of the permissions on a definition.
type standing struct {
	starter, viewer, manager, administrator way
	candidate, itemViewer                   way
	runner                                  bool
}

// standings returns all combinations. Only applications run workflows. Permissions that do not affect visibility
// are granted alternately to the caller and through a group.
func standings(kind domain.PrincipalType) []standing {
	all := []standing{{}}
	each := func(ways []way, field func(*standing) *way) {
		var more []standing
		for _, st := range all {
			for _, w := range ways {
				*field(&st) = w
				more = append(more, st)
			}
		}
		all = more
	}
	onProcess, onItem := []way{notAtAll, directly, throughGroup}, []way{notAtAll, directly, throughGroup, asInitiator}
	each(onProcess, func(st *standing) *way { return &st.viewer })
	each(onProcess, func(st *standing) *way { return &st.manager })
	each(onItem, func(st *standing) *way { return &st.candidate })
	each(onItem, func(st *standing) *way { return &st.itemViewer })
	each([]way{notAtAll, directly}, func(st *standing) *way { return &st.starter })
	each([]way{notAtAll, directly}, func(st *standing) *way { return &st.administrator })
	for i := range all {
		for _, w := range []*way{&all[i].starter, &all[i].administrator} {
			if *w == directly && i/4%2 == 1 {
				*w = throughGroup
			}
		}
	}
	if kind == domain.PrincipalApplication {
		for _, st := range all {
			st.runner = true
			all = append(all, st)
		}
	}
	return all
}

// add creates a definition on which the accessCaller has the standing, with a process for each further relation:
// initiator or not, owner of an item or not, delegator of one. Each also has an item without grants; one has no other.
func (o *accessCaller) add(s *accessFixture, st standing, group uuid.UUID) {
	var runner *uuid.UUID
	if st.runner {
		runner = &o.PrincipalID
	}
	k := s.define(runner)
	s.grant(k, domain.PermissionInitiator, st.starter, o.Caller, group)
	s.grant(k, domain.PermissionViewer, st.viewer, o.Caller, group)
	s.grant(k, domain.PermissionManager, st.manager, o.Caller, group)
	s.grant(k, domain.PermissionAdministrator, st.administrator, o.Caller, group)
	s.grantItem(k, domain.PermissionCandidate, st.candidate, o.Caller, group)
	s.grantItem(k, domain.PermissionItemViewer, st.itemViewer, o.Caller, group)

	byGrant := domain.ItemRelations{
		Process: domain.ProcessRelations{
			Member: true, Runner: st.runner, Starter: st.starter != notAtAll, Viewer: st.viewer != notAtAll,
			Manager: st.manager != notAtAll, Administrator: st.administrator != notAtAll,
		},
		Candidate:          st.candidate != notAtAll && st.candidate != asInitiator,
		Viewer:             st.itemViewer != notAtAll && st.itemViewer != asInitiator,
		InitiatorCandidate: st.candidate == asInitiator, InitiatorViewer: st.itemViewer == asInitiator,
	}
	o.definitions[k.id] = byGrant.Process
	for _, initiates := range []bool{false, true} {
		for _, owns := range []bool{false, true} {
			r := byGrant
			r.Process.Initiator = initiates
			r.Owner = owns
			r.Process.ItemOwner, r.Process.ItemCandidate = owns, domain.ClaimsItem(r)
			process := s.process(k, s.either(initiates, o.PrincipalID))
			o.processes[process] = r.Process
			var owner *uuid.UUID
			if owns {
				owner = &o.PrincipalID
			}
			item := s.itemOf(process, k, k.item, owner)
			o.items[item], o.processOf[item] = r, process
			o.items[s.itemOf(process, k, k.other, nil)] = domain.ItemRelations{Process: r.Process}
		}
	}
	r := byGrant
	r.Delegator, r.Process.ItemOwner, r.Process.ItemCandidate = true, true, domain.ClaimsItem(r)
	delegated := s.process(k, s.author)
	o.processes[delegated] = r.Process
	item := s.delegatedItemOf(delegated, k, k.item, &s.author, &o.PrincipalID)
	o.items[item], o.processOf[item] = r, delegated

	o.addSubstituted(s, k, byGrant)

	process := s.process(k, s.author)
	o.processes[process] = byGrant.Process
	item = s.itemOf(process, k, k.other, nil)
	o.items[item], o.processOf[item] = domain.ItemRelations{Process: byGrant.Process}, process
}

// addSubstituted adds tasks of absent owners, for whom the accessCaller substitutes now or not: only an open task, and one that it
// completed for its owner, are its own during the absence.
func (o *accessCaller) addSubstituted(s *accessFixture, k *processKind, byGrant domain.ItemRelations) {
	add := func(substitutes, isOpen bool, item func(process uuid.UUID) uuid.UUID) {
		r := byGrant
		r.Substitute, r.Process.ItemOwner, r.Process.ItemCandidate = substitutes, substitutes, domain.ClaimsItem(r)
		process := s.process(k, s.author)
		o.processes[process] = r.Process
		id := item(process)
		o.items[id], o.processOf[id], o.ofAbsent[id] = r, process, isOpen
	}
	away := s.absent(s.tenant, o.PrincipalID, -time.Hour, time.Hour)
	open := func(owner uuid.UUID) func(uuid.UUID) uuid.UUID {
		return func(process uuid.UUID) uuid.UUID { return s.itemOf(process, k, k.item, &owner) }
	}
	done := func(by uuid.UUID) func(uuid.UUID) uuid.UUID {
		return func(process uuid.UUID) uuid.UUID { return s.completedItemOf(process, k, away, by) }
	}
	add(true, true, open(away))
	// Each standing has one of the others.
	switch len(o.definitions) % 6 {
	case 0:
		add(true, false, done(o.PrincipalID))
	case 1:
		add(false, false, done(s.author))
	case 2:
		add(false, true, open(s.absent(s.tenant, o.PrincipalID, -2*time.Hour, -time.Hour)))
	case 3:
		add(false, true, open(s.absent(s.tenant, o.PrincipalID, time.Hour, 2*time.Hour)))
	case 4:
		add(false, true, open(s.absent(s.elsewhere, o.PrincipalID, -time.Hour, time.Hour)))
	case 5:
		add(false, true, open(s.absent(s.tenant, s.author, -time.Hour, time.Hour)))
	}
}

// either returns the caller's id or else another principal's.
func (s *accessFixture) either(caller bool, id uuid.UUID) uuid.UUID {
	if caller {
		return id
	}
	return s.author
}

// callers returns callers among which all standings of their kind are distributed.
func (s *accessFixture) callers(kind domain.PrincipalType, number int) []*accessCaller {
	all := standings(kind)
	callers := make([]*accessCaller, number)
	for n := range callers {
		caller, group := s.principal(kind)
		o := newAccessCaller(caller)
		for i := n; i < len(all); i += number {
			o.add(s, all[i], group)
		}
		callers[n] = o
	}
	return callers
}

// outside returns the same principal with a credential for another tenant only: its relations in this tenant do
// not count.
func (o *accessCaller) outside(s *accessFixture) *accessCaller {
	out := newAccessCaller(o.Caller)
	out.processOf, out.ofAbsent = o.processOf, o.ofAbsent
	out.Memberships = []domain.Membership{{TenantID: s.elsewhere, Role: domain.RoleOwner}}
	for id, r := range o.definitions {
		r.Member = false
		out.definitions[id] = r
	}
	for id, r := range o.processes {
		r.Member = false
		out.processes[id] = r
	}
	for id, r := range o.items {
		r.Process.Member = false
		out.items[id] = r
	}
	return out
}

// The visibility rules of the domain and the conditions of the queries agree: for users and applications in
// every combination of relations, every query of processes and items returns the rows that the domain allows.
func TestVisibilityIsWhatTheDomainSays(t *testing.T) {
	t.Parallel()
	s := newAccessFixture(t)
	callers := map[string][]*accessCaller{
		"user":        s.callers(domain.PrincipalUser, 12),
		"application": s.callers(domain.PrincipalApplication, 24),
	}
	url := pgtest.URL(t)
	s.store(url)
	db := pgtest.Open(t, url)
	for kind, all := range callers {
		for i, o := range all {
			t.Run(fmt.Sprintf("%s %d", kind, i), func(t *testing.T) {
				t.Parallel()
				o.requireLists(t, db.Reader())
				o.requireGets(t, db.Reader(), 1)
				o.requireReads(t, s, db.Reader())
				o.requireWrites(t, db)
			})
			t.Run(fmt.Sprintf("%s %d of another tenant", kind, i), func(t *testing.T) {
				t.Parallel()
				out := o.outside(s)
				out.requireLists(t, db.Reader())
				out.requireGets(t, db.Reader(), sampleInterval)
				out.requireReads(t, s, db.Reader())
				if i == 0 {
					out.requireWrites(t, db)
				}
			})
		}
	}
}

// requireLists requires that lists return exactly the rows visible to the caller.
func (o *accessCaller) requireLists(t *testing.T, reader *persistence.Reader) {
	t.Helper()
	page := domain.PageRequest{Size: 10_000}
	var want, got []uuid.UUID
	for id, r := range o.processes {
		if domain.SeesProcess(r) {
			want = append(want, id)
		}
	}
	processes, err := reader.ListProcesses(t.Context(), o.Caller, persistence.ProcessFilter{}, page, nil)
	require.NoError(t, err)
	for _, p := range processes.Items {
		got = append(got, p.ID)
	}
	require.EqualValues(t, len(want), processes.Total)
	requireSameIDs(t, want, got)

	want, got = nil, nil
	for id, r := range o.items {
		if domain.SeesItem(r) {
			want = append(want, id)
		}
	}
	items, err := reader.ListProcessItems(t.Context(), o.Caller, persistence.ItemFilter{}, page, nil)
	require.NoError(t, err)
	for _, i := range items.Items {
		got = append(got, i.ID)
	}
	require.EqualValues(t, len(want), items.Total)
	requireSameIDs(t, want, got)
}

func requireSameIDs(t *testing.T, want, got []uuid.UUID) {
	t.Helper()
	missing := map[uuid.UUID]bool{}
	for _, id := range want {
		missing[id] = true
	}
	for _, id := range got {
		require.True(t, missing[id], "%s is not to be seen", id)
		delete(missing, id)
	}
	require.Empty(t, missing)
}

// requireGets requires that the caller can read exactly the visible rows. It reads one of interval rows.
func (o *accessCaller) requireGets(t *testing.T, reader *persistence.Reader, interval byte) {
	t.Helper()
	for id, r := range o.processes {
		if id[0]%interval != 0 {
			continue
		}
		p, err := reader.GetProcess(t.Context(), o.Caller, id)
		requireFound(t, domain.SeesProcess(r), err, r)
		require.True(t, err != nil || p.ID == id)
	}
	for id := range o.processOf {
		if id[0]%interval != 0 {
			continue
		}
		r := o.items[id]
		i, err := reader.GetProcessItem(t.Context(), o.Caller, id)
		requireFound(t, domain.SeesItem(r), err, r)
		require.True(t, err != nil || i.ID == id)
	}
}

func requireFound(t *testing.T, want bool, err error, relations any) {
	t.Helper()
	if want {
		require.NoError(t, err, "%+v", relations)
		return
	}
	require.True(t, domain.HasCode(err, domain.CodeNotFound), "%+v: %v", relations, err)
}

var errChecked = errors.New("everything was checked")

// requireWrites requires that the reads of writing transactions use the same rights.
func (o *accessCaller) requireWrites(t *testing.T, db *persistence.DB) {
	t.Helper()
	err := db.Write(t.Context(), func(tx *persistence.Tx) error {
		for id, r := range o.definitions {
			prepared, err := persistence.PrepareProcess(o.Caller, uuid.New(), persistence.DefinitionKey{ID: &id}, persistence.PrincipalKey{}, nil).Do(t.Context(), tx)
			require.NoError(t, err)
			require.Equal(t, r.Member, len(prepared.Definitions) == 1, "%+v", r)
			if r.Member {
				require.Equal(t, domain.DefinitionRights{Initiates: r.Starter, Views: r.Viewer, Manages: r.Manager},
					prepared.Definitions[0].Rights, "%+v", r)
			}
		}
		for id, r := range o.processes {
			locked, err := persistence.LockProcess(o.Caller, id).Do(t.Context(), tx)
			requireFound(t, domain.SeesProcess(r), err, r)
			if err == nil {
				require.Equal(t, domain.ManagesProcess(r), locked.Rights.Manages, "%+v", r)
			}
			prepared, err := persistence.PrepareProcess(o.Caller, id, persistence.DefinitionKey{ID: &id}, persistence.PrincipalKey{}, nil).Do(t.Context(), tx)
			require.NoError(t, err, "%+v", r)
			require.True(t, prepared.Taken)
			taken, err := tx.GetTakenProcess(t.Context(), o.Caller, id)
			require.NoError(t, err, "%+v", r)
			require.Equal(t, domain.SeesProcess(r), taken != nil, "%+v", r)
		}
		for id, process := range o.processOf {
			r := o.items[id]
			locked, err := persistence.LockProcessItem(o.Caller, id).Do(t.Context(), tx)
			requireFound(t, domain.SeesItem(r), err, r)
			if err == nil {
				require.Equal(t, domain.ItemRights{
					ProcessRights: domain.ProcessRights{Manages: domain.ManagesProcess(r.Process)}, Candidate: domain.ClaimsItem(r),
					Substitute: r.Substitute && r.Process.Member,
				}, locked.Rights, "%+v", r)
			}
			prepared, err := persistence.PrepareProcessItem(o.Caller, id, process, persistence.PrincipalKey{}, nil).Do(t.Context(), tx)
			require.NoError(t, err, "%+v", r)
			require.NotNil(t, prepared.Existing)
			require.Equal(t, domain.SeesItem(r), prepared.ExistingVisible, "%+v", r)
			require.Equal(t, domain.SeesProcess(o.processes[process]), prepared.Process != nil, "%+v", r)
		}
		return errChecked
	})
	require.ErrorIs(t, err, errChecked)
}
