package app

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// newAction returns an action that the caller invokes.
func (c *change) newAction(id, tenant uuid.UUID, ref domain.ActionDefinitionRef) domain.Action {
	return domain.Action{
		ID: id, TenantID: tenant, Status: domain.ActionRequested, Definition: ref,
		Audit: domain.NewAudit(c.caller.PrincipalID, c.now),
	}
}

// actionWorkflow names the workflow of an action of the tenant.
func (c *change) actionWorkflow(tenant uuid.UUID, workflowType, queue string) (domain.ActionWorkflow, error) {
	member, err := c.caller.Tenant(&tenant)
	if err != nil {
		return domain.ActionWorkflow{}, err
	}
	return domain.ActionWorkflow{Namespace: member.Namespace, Type: workflowType, TaskQueue: queue}, nil
}

// startProcessOf completes an action by starting a process as CreateProcess does,
// with the caller as its initiator.
func (s *Service) startProcessOf(
	ctx context.Context, vals *values, a *domain.Action, id uuid.UUID, in NewProcess, prereqs *persistence.ProcessPrerequisites,
) error {
	process, err := s.startProcess(ctx, vals, id, in, prereqs)
	if err != nil {
		return startDefinitionError(err)
	}
	a.Started = &domain.StartedProcess{DefinitionID: process.Definition.ID, ID: process.ID}
	a.Complete(vals.caller.PrincipalID, vals.now)
	return nil
}

// startDefinitionError returns an error about a process definition that the caller did not
// name.
func startDefinitionError(err error) error {
	if domain.HasCode(err, domain.CodeDefinitionNotFound) {
		return domain.Denied("the Initiator permission on the process definition is required")
	}
	return err
}

// endAction ends a REQUESTED action as its workflow ended, with an incident where that
// failed.
func endAction(tx *persistence.Tx, a *domain.Action, run domain.EngineRun, c domain.RunEnd, now time.Time) domain.Events {
	by := domain.SystemPrincipalID()
	switch c.Status {
	case domain.RunFailed:
		a.Fail(c.Message, by, now)
		return domain.Events{openIncident(tx, run, c, now)}
	case domain.RunCancelled:
		a.Cancel(by, now)
	case domain.RunCompleted, domain.RunPending, domain.RunRunning:
		a.Complete(by, now)
	}
	return nil
}

// violationError returns why an action with a value that violates its schema is not carried
// out.
func violationError(field domain.Field, violations []domain.ValueError) *domain.Error {
	refusal := &domain.Error{Kind: domain.KindInvalid, Code: domain.CodeValidation, Message: "the request is not valid"}
	for _, violation := range violations {
		refusal.Details = append(refusal.Details, domain.Detail{
			Code: domain.CodeValidation, Message: "violates the keyword " + violation.Type + " of its schema",
			Field: field, Location: violation.PropertyPath,
		})
	}
	return refusal
}

// nestError names, in an error about a value, the field that has the value at the
// JSON Pointer.
func nestError(field domain.Field, pointer string, err error) error {
	domainErr, ok := errors.AsType[*domain.Error](err)
	if !ok {
		return err
	}
	moved := *domainErr
	moved.Details = make([]domain.Detail, len(domainErr.Details))
	for i, detail := range domainErr.Details {
		if detail.LocationType == domain.LocationBody {
			detail.Field, detail.Location, detail.LocationType = field, pointer+detail.Location, ""
		}
		moved.Details[i] = detail
	}
	return &moved
}

// unknownAction refuses the code of an action that does not exist. field is the one
// with the code.
func unknownAction(field domain.Field, message string) error {
	return &domain.Error{
		Kind: domain.KindNotFound, Code: domain.CodeDefinitionNotFound, Message: "action definition not found",
		Details: []domain.Detail{{
			Code: domain.CodeDefinitionNotFound, Message: message, Field: field,
		}},
	}
}
