package persistence_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/accessmodel"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/events"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// documentReader is a caller with its relations to documents.
type documentReader struct {
	domain.Caller
	documents map[uuid.UUID]accessmodel.DocumentRelations
	processOf map[uuid.UUID]uuid.UUID
}

// documentReader creates a caller in every relation to documents of processes.
func (s *accessFixture) documentReader(kind domain.PrincipalType) *documentReader {
	caller, group := s.principal(kind)
	a := &documentReader{
		Caller: caller, documents: map[uuid.UUID]accessmodel.DocumentRelations{}, processOf: map[uuid.UUID]uuid.UUID{},
	}
	for _, permission := range []domain.ProcessPermission{"", domain.PermissionViewer, domain.PermissionManager} {
		for _, ofItem := range []domain.ItemPermission{"", domain.PermissionCandidate, domain.PermissionItemViewer} {
			for _, initiates := range []bool{false, true} {
				for _, runs := range []bool{false, kind == domain.PrincipalApplication} {
					a.add(s, group, permission, ofItem, initiates, runs)
				}
			}
		}
	}
	return a
}

func (a *documentReader) add(
	s *accessFixture, group uuid.UUID, permission domain.ProcessPermission, ofItem domain.ItemPermission, initiates, runs bool,
) {
	var runner *uuid.UUID
	if runs {
		runner = &a.PrincipalID
	}
	k := s.define(runner)
	if permission != "" {
		s.grant(k, permission, directly, a.Caller, group)
	}
	if ofItem != "" {
		s.grantItem(k, ofItem, throughGroup, a.Caller, group)
	}
	process := s.process(k, s.either(initiates, a.PrincipalID))
	of := domain.ProcessRelations{
		Member: true, Initiator: initiates, Runner: runs, Viewer: permission == domain.PermissionViewer,
		Manager: permission == domain.PermissionManager, ItemCandidate: ofItem == domain.PermissionCandidate,
	}
	visible, other := s.itemOf(process, k, k.item, nil), s.itemOf(process, k, k.other, nil)
	granted := domain.ItemRelations{
		Process: of, Candidate: ofItem == domain.PermissionCandidate, Viewer: ofItem == domain.PermissionItemViewer,
	}
	byItem, byOther := []domain.ItemRelations{granted}, []domain.ItemRelations{{Process: of}}
	for _, uploads := range []bool{false, true} {
		by := s.either(uploads, a.PrincipalID)
		for _, d := range []struct {
			accessmodel.DocumentRelations
			holders []uuid.UUID
		}{
			{accessmodel.DocumentRelations{}, nil},
			{accessmodel.DocumentRelations{LinkedToProcess: true}, []uuid.UUID{process}},
			{accessmodel.DocumentRelations{LinkedTo: byItem}, []uuid.UUID{visible}},
			{accessmodel.DocumentRelations{LinkedTo: byOther}, []uuid.UUID{other}},
			{accessmodel.DocumentRelations{LinkedTo: append(byOther, granted)}, []uuid.UUID{other, visible}},
		} {
			id := s.document("PROCESS", process, by, d.holders...)
			d.Process, d.Uploader = of, uploads
			s.happened(domain.EventDocumentUploaded, domain.ResourceDocument, process, id)
			a.documents[id], a.processOf[id] = d.DocumentRelations, process
		}
		action := uuid.New()
		s.add("process_actions", action, s.tenant, process, "DOWNLOADABLE", "COMPLETED", uuid.New(), "A", by, s.now, s.author, s.now, s.now)
		id := s.document("PROCESS_ACTION", action, s.author)
		a.documents[id] = accessmodel.DocumentRelations{Process: of, Delivered: true, Invoker: uploads}
		a.processOf[id] = process
	}
}

// requireTimelines requires that timelines have the uploads of visible documents alone.
func (a *documentReader) requireTimelines(t *testing.T, reader *persistence.Reader) {
	t.Helper()
	visible, sees := map[uuid.UUID]int{}, map[uuid.UUID]bool{}
	for id, r := range a.documents {
		process := a.processOf[id]
		sees[process] = domain.SeesProcess(r.Process)
		if accessmodel.SeesDocument(r) && !r.Delivered {
			visible[process]++
		}
	}
	for process, expected := range sees {
		found, err := events.ListTimeline(t.Context(), reader, a.Caller, process, events.Range{Limit: 100})
		requireFound(t, expected, err, process)
		uploads := 0
		for _, e := range found {
			if e.Type == domain.EventDocumentUploaded {
				uploads++
			}
		}
		if expected {
			require.Equal(t, visible[process], uploads)
		}
	}
}

// document creates a document to which values of the holders refer.
func (s *accessFixture) document(kind string, owner, by uuid.UUID, holders ...uuid.UUID) uuid.UUID {
	id := uuid.New()
	s.add("documents", id, s.tenant, kind, owner, uuid.New(), "a.txt", "text/plain", 1, make([]byte, 32), by, s.now)
	for _, holder := range holders {
		s.add("document_links", holder, domain.SlotData, id, s.tenant)
	}
	return id
}

// The visibility rules of the domain and the conditions of the queries agree for documents, in reads and in
// references.
func TestDocumentsAreVisibleAsTheDomainSays(t *testing.T) {
	t.Parallel()
	s := newAccessFixture(t)
	archivists := []*documentReader{s.documentReader(domain.PrincipalUser), s.documentReader(domain.PrincipalApplication)}
	url := pgtest.URL(t)
	s.store(url)
	db := pgtest.Open(t, url)
	for i, a := range archivists {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			var targets *persistence.Targets
			err := db.Write(t.Context(), func(tx *persistence.Tx) (err error) {
				var lookUps persistence.LookUps
				for id := range a.documents {
					lookUps.Documents = append(lookUps.Documents, id)
				}
				targets, err = persistence.LookUp(a.Caller, lookUps, s.now).Do(t.Context(), tx)
				require.NoError(t, err)
				return errChecked
			})
			require.ErrorIs(t, err, errChecked)
			a.requireTimelines(t, db.Reader())
			for id, r := range a.documents {
				_, found := targets.Document(s.tenant, id)
				require.Equal(t, accessmodel.SeesDocument(r), found, "%+v", r)
				_, err := db.Reader().GetDocumentOfProcess(t.Context(), a.Caller, a.processOf[id], id, s.now)
				requireFound(t, accessmodel.SeesDocument(r), err, r)
			}
		})
	}
}
