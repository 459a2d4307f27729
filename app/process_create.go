package app

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// DefinitionKey names a process definition by its id, or by tenant and code.
type DefinitionKey = persistence.DefinitionKey

// NewProcess contains the input of CreateProcess. The definition is named by its
// id, or by tenant and code; the tenant may be left out where the code is clear
// without it. Metadata and Entity are JSON objects or nil.
type NewProcess struct {
	ID         *uuid.UUID
	Definition DefinitionKey
	Initiator  PrincipalKey
	Metadata   json.RawMessage
	Entity     json.RawMessage
	// MetadataField and EntityField are the fields in errors about Metadata and Entity; the defaults belong to
	// CreateProcess.
	MetadataField, EntityField domain.Field
	// Version, unless it is nil, has to be the one that is published.
	Version *uuid.UUID
	// Subject is the title of the process, "" for the one that the definition
	// makes.
	Subject string
	// Elements are values of elements by their codes. None is a document.
	Elements domain.ElementValues
	// RelatedID is the process that the new one comes from, nil when it comes from
	// none.
	RelatedID *uuid.UUID
	// DueAt is the due date of the process, nil for the one of the definition.
	DueAt *time.Time
	// Extras are data for the workflow alone: a JSON object, or nil for none.
	Extras json.RawMessage
}

// isOfDefinition reports whether p is of the definition, and so of the tenant, of
// the process to create.
func (in *NewProcess) isOfDefinition(p *domain.Process) bool {
	key := in.Definition
	if key.TenantID != nil && *key.TenantID != p.TenantID {
		return false
	}
	if key.ID != nil {
		return *key.ID == p.Definition.ID
	}
	return key.Code == p.Definition.Code
}

// CreateProcess (B8) starts a process of a published definition, pinned to the
// version that is published now, and reports whether it is new: with an id that
// is in use, the existing process is returned unchanged.
//
// It requires the Initiator or the Manager permission on the definition.
// Errors: DEFINITION_NOT_FOUND, DEFINITION_NOT_PUBLISHED, ACCESS_DENIED,
// VALIDATION for an initiator who is not an active principal of the tenant, for
// a related process that is of another tenant or not visible to the caller, and
// for extras without a workflow,
// CONFLICT for an id that is in use by a process of another definition, or by
// one not visible to the caller.
func (s *Service) CreateProcess(
	ctx context.Context, call domain.Call, in NewProcess,
) (process *domain.Process, created bool, err error) {
	if in.Definition.ID == nil && in.Definition.Code == "" {
		return nil, false, domain.InvalidField(domain.FieldProcessDefinition, "is required, or else processDefinitionCode")
	}
	if err := domain.CheckPlannedAt(domain.FieldProcessDueAt, in.DueAt); err != nil {
		return nil, false, err
	}
	id, now := idOr(in.ID), s.now()
	err = s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		l, err := newTextLookUps(call.Caller, now, nil, in.Metadata, in.Entity)
		if err != nil {
			return nil, err
		}
		prereqs, vals, err := persistence.Both(ctx, tx, persistence.PrepareProcess(call.Caller, id, in.Definition, in.Initiator, in.RelatedID), l.readValues())
		if err != nil {
			return nil, err
		}
		if prereqs.Taken {
			process, created = nil, false
			process, err = tx.GetTakenProcess(ctx, call.Caller, id)
			if err == nil && (process == nil || !in.isOfDefinition(process)) {
				_, right := selectStartable(prereqs.Definitions)
				err = idTaken(right)
			}
			return nil, err
		}
		process, created = nil, true
		process, err = s.startProcess(ctx, vals, id, in, prereqs)
		return vals.events, err
	})
	return process, created && err == nil, err
}

func (s *Service) startProcess( //nolint:funlen // the steps of one transaction, in their order
	ctx context.Context, vals *values, id uuid.UUID, in NewProcess, prereqs *persistence.ProcessPrerequisites,
) (*domain.Process, error) {
	tx, caller, now := vals.tx, vals.caller, vals.now
	found, err := selectStartable(prereqs.Definitions)
	if err != nil {
		return nil, err
	}
	initiator, err := resolvePrincipal(in.Initiator, prereqs.Initiator, found.TenantID, domain.FieldProcessInitiator)
	if err != nil {
		return nil, err
	}
	if initiator == nil {
		initiator = &caller.PrincipalID
	}
	if in.Version != nil && *in.Version != *found.Version {
		return nil, domain.Conflict(domain.CodeDefinitionNotPublished, "this version of the process definition is not published")
	}
	if in.RelatedID != nil && (prereqs.RelatedTenantID == nil || *prereqs.RelatedTenantID != found.TenantID) {
		return nil, domain.InvalidField(domain.FieldRelatedProcess, "does not exist in the tenant or is not visible to you")
	}
	d, err := s.definitions.get(ctx, tx, *found.Version)
	if err != nil {
		return nil, err
	}
	if err := domain.CheckExtras(in.Extras, d.Engine != nil); err != nil {
		return nil, err
	}
	p := &domain.Process{
		ID: id, TenantID: found.TenantID, Definition: d.DefinitionRef, State: domain.ProcessRunning,
		InitiatorID: *initiator, Audit: domain.NewAudit(caller.PrincipalID, now), Condition: domain.InitialCondition(d.Engine != nil, now),
		DueAt: domain.RoundPlannedAt(in.DueAt),
	}
	if p.Metadata, err = vals.prepareInitial(ctx, processSite(p, domain.SlotMetadata), d.metadata, in.Metadata); err != nil {
		return nil, nestError(cmp.Or(in.MetadataField, domain.FieldProcessMetadata), "", err)
	}
	if p.Entity, err = vals.prepareInitial(ctx, processSite(p, domain.SlotEntity), d.entity, in.Entity); err != nil {
		return nil, nestError(cmp.Or(in.EntityField, domain.FieldProcessEntity), "", err)
	}
	if p.Elements, err = vals.initialElements(ctx, processSite(p, domain.SlotElement), d.elements, in.Elements); err != nil {
		return nil, err
	}
	if p.DueAt == nil {
		p.DueAt = resolveRule(ctx, d.due, valuesOfProcess(p), clockOf(found.Clock), now)
	}
	if p.Subject = in.Subject; p.Subject == "" {
		p.Subject = domain.NewSubject(d.Spec.SubjectTemplate, d.Name, in.Metadata)
	}
	if err := tx.InsertProcess(p); err != nil {
		return nil, err
	}
	if err := indexProcess(tx, p, d); err != nil {
		return nil, err
	}
	if in.RelatedID != nil {
		p.Related.Incoming = []uuid.UUID{*in.RelatedID}
		tx.InsertProcessRelation(*in.RelatedID, p)
	}
	vals.record(
		domain.ProcessEvent(domain.EventProcessCreated, p, caller.PrincipalID, now).With("definitionCode", p.Definition.Code),
		domain.ProcessEvent(domain.EventProcessStateChanged, p, caller.PrincipalID, now),
	)
	if d.Engine != nil {
		member, err := caller.Tenant(&p.TenantID)
		if err != nil {
			return nil, err
		}
		run := domain.NewProcessRun(domain.NewID(), p, member.Namespace, *d.Engine)
		run.Extras = in.Extras
		startWorkflow(tx, run, d.Engine.EncryptionKey, now)
	}
	return p, nil
}

// selectStartable picks the definition that the caller may start processes of.
func selectStartable(found []persistence.FoundDefinition) (persistence.FoundDefinition, error) {
	var none persistence.FoundDefinition
	if len(found) > 1 {
		return none, domain.InvalidField(domain.FieldTenant, "is required: several of your tenants have this definition")
	}
	if len(found) == 0 || !found[0].Rights.Sees() {
		return none, &domain.Error{
			Kind: domain.KindNotFound, Code: domain.CodeDefinitionNotFound, Message: "process definition not found",
		}
	}
	if !found[0].Rights.MayStart() {
		return none, domain.Denied("the Initiator permission on the process definition is required")
	}
	if found[0].Version == nil {
		return none, domain.Conflict(domain.CodeDefinitionNotPublished, "the process definition is not published")
	}
	return found[0], nil
}
