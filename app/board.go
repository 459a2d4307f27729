package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/events"
)

// BoardFilter narrows FindBoard.
type BoardFilter = persistence.BoardFilter

// FindBoard returns a page of the processes visible to the caller, and the values of its filters. They can be sorted by
// createdAt, lastModifiedAt, subject, definition, initiator and condition. Errors are as in FindProcesses.
func (s *Service) FindBoard(
	ctx context.Context, call domain.Call, filter BoardFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Board, error) {
	return s.store.Reader.ListBoard(ctx, call.Caller, filter, page, sort)
}

// ExportBoard calls each with the first limit processes that FindBoard lists, while they
// are read, and returns its error.
func (s *Service) ExportBoard(
	ctx context.Context, call domain.Call, filter BoardFilter, limit int, sort []domain.SortKey,
	each func(*domain.BoardProcess) error,
) error {
	return s.streams.EachOfBoard(ctx, call.Caller, filter, limit, sort, each)
}

// ProcessView is a process visible to a caller as people read it. MayManage reports
// whether the caller has the Manager permission, Actions are the user actions that it may
// invoke now, and ActionNames the names of all user actions of the definition by their
// codes.
type ProcessView struct {
	*persistence.ProcessOverview

	MayManage bool
	MayRepair bool
	// Administers reports whether the caller administers the tenant or the definition of the process.
	Administers bool
	Actions     []AvailableAction
	ActionNames map[string]translation.Name
	Definition  *domain.ProcessDefinition
}

// ProcessAddition is a part of a process that RetrieveProcessView reads too.
type ProcessAddition = persistence.ProcessAddition

// RetrieveProcessView returns a process visible to the caller with its available actions, or NOT_FOUND. The additions
// cost no further round trip to the database.
func (s *Service) RetrieveProcessView(
	ctx context.Context, call domain.Call, id uuid.UUID, additions ...ProcessAddition,
) (*ProcessView, error) {
	found, err := s.store.Reader.GetProcessOverview(ctx, call.Caller, id, additions...)
	if err != nil {
		return nil, err
	}
	d, err := s.definitions.get(ctx, s.store.Reader, found.Process.Definition.Version)
	if err != nil {
		return nil, err
	}
	administersTenant := call.Caller.Administration(found.Whole.TenantID).Administers()
	o := &ProcessView{
		ProcessOverview: found, MayManage: found.Relations.Manager,
		MayRepair: found.RepairGranted || administersTenant, Administers: found.DefinitionGranted || administersTenant, Definition: d.ProcessDefinition,
		ActionNames: map[string]translation.Name{messageAction: {Source: d.findAction(messageAction).Name}},
	}
	for _, a := range d.actions {
		o.ActionNames[a.Code] = d.ActionName(a.UserAction)
	}
	o.Actions, err = s.availableActions(ctx, d, &found.ActionableProcess)
	return o, err
}

// EventRange is a part of an event log.
type EventRange = events.Range

// FindProcessEvents returns the next events of a process visible to the caller, and of
// its items, actions and documents as far as they are visible to the caller too. It
// returns NOT_FOUND for other processes.
func (s *Service) FindProcessEvents(
	ctx context.Context, call domain.Call, process uuid.UUID, part EventRange,
) ([]domain.TimelineEvent, error) {
	return events.ListTimeline(ctx, s.store.Reader, call.Caller, process, part)
}

// AddEvents is FindProcessEvents as an addition of RetrieveProcessView.
func (*Service) AddEvents(part EventRange, dest *[]domain.TimelineEvent) ProcessAddition {
	return events.WithTimeline(part, dest)
}

// PartFilter narrows AddParts.
type PartFilter = persistence.PartFilter

// AddParts is FindProcessParts as an addition of RetrieveProcessView.
func (*Service) AddParts(
	filter PartFilter, page domain.PageRequest, sort []domain.SortKey, dest *domain.Page[domain.ProcessPart],
) ProcessAddition {
	return persistence.WithProcessParts(filter, page, sort, dest)
}

// AddDocuments is FindProcessDocuments as an addition of RetrieveProcessView.
func (s *Service) AddDocuments(page domain.PageRequest, dest *domain.Page[domain.NamedDocument]) ProcessAddition {
	return persistence.WithProcessDocuments(page, s.now(), dest)
}

// FindProcessParts returns a page of the items of a process that are visible to the
// caller, of the types or of all.
func (s *Service) FindProcessParts(
	ctx context.Context, call domain.Call, process uuid.UUID, types []domain.ItemType, page domain.PageRequest,
	sort []domain.SortKey,
) (domain.Page[domain.ProcessPart], error) {
	return s.store.Reader.ListProcessParts(ctx, call.Caller, process, types, page, sort)
}

// FindProcessActions returns a page of the user actions that were invoked on a process
// visible to the caller, the newest first unless they are sorted.
func (s *Service) FindProcessActions(
	ctx context.Context, call domain.Call, process uuid.UUID, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.NamedAction], error) {
	return s.store.Reader.ListProcessActions(ctx, call.Caller, process, page, sort, s.now())
}

// FindProcessDocuments returns a page of the documents of a process, and of actions on
// it, that are kept and visible to the caller, the newest first unless they are sorted.
func (s *Service) FindProcessDocuments(
	ctx context.Context, call domain.Call, process uuid.UUID, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.NamedDocument], error) {
	return s.store.Reader.ListProcessDocuments(ctx, call.Caller, process, page, sort, s.now())
}

// FindSubjects returns the subjects of the processes with the ids that are visible to the caller.
func (s *Service) FindSubjects(ctx context.Context, call domain.Call, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	return s.store.Reader.ListSubjects(ctx, call.Caller, ids)
}
