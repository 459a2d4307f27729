package demo

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// Loan is the process definition that the example worker runs.
func Loan() uuid.UUID { return id(0xe001) }

// Onboarding is a manual process definition, without a workflow.
func Onboarding() uuid.UUID { return id(0xe002) }

// Inspection is a process definition whose workflow understands the signals of
// Shape A.
func Inspection() uuid.UUID { return id(0xe003) }

// OtherLoan is the copy of LOAN in TenantOther.
func OtherLoan() uuid.UUID { return id(0xe0b1) }

// processDefinition is a process definition together with who may do what.
type processDefinition struct {
	domain.ProcessDefinition
	grants map[domain.ProcessPermission][]uuid.UUID
	// candidates of each item, by its code.
	candidates map[string][]domain.Grantee
}

func (d *processDefinition) load(tx *persistence.Tx, now time.Time) error {
	if err := tx.PublishDefinition(&d.ProcessDefinition, now); err != nil {
		return err
	}
	for permission, grantees := range d.grants {
		for _, grantee := range grantees {
			tx.GrantOnProcess(d.ID, permission, grantee)
		}
	}
	for _, item := range d.Items {
		for _, candidate := range d.candidates[item.Code] {
			tx.GrantOnItem(item.ID, domain.PermissionCandidate, candidate)
		}
	}
	return nil
}

func definitions() []*processDefinition {
	worker := domain.Grantee{ID: LoanWorker().ID}
	alice, carol := Alice().ID, Carol().ID
	return []*processDefinition{
		{
			ProcessDefinition: loan(Loan(), TenantDemo(), LoanWorker().ID),
			grants: map[domain.ProcessPermission][]uuid.UUID{
				domain.PermissionInitiator: {alice, carol},
				domain.PermissionManager:   {alice},
				domain.PermissionViewer:    {Reader().ID},
			},
			candidates: map[string][]domain.Grantee{
				"LOAN_APPLICATION":       {worker, {ID: carol}},
				"APPROVE_LOAN":           {worker, {ID: Reviewers()}},
				"NOTIFICATION_GRANTED":   {worker, {ProcessInitiator: true}},
				"NOTIFICATION_REJECTION": {worker, {ProcessInitiator: true}},
			},
		},
		{
			ProcessDefinition: loan(OtherLoan(), TenantOther(), OtherWorker().ID),
			grants: map[domain.ProcessPermission][]uuid.UUID{
				domain.PermissionInitiator: {OtherWorker().ID},
			},
			candidates: map[string][]domain.Grantee{
				"LOAN_APPLICATION": {{ID: OtherWorker().ID}},
				"APPROVE_LOAN":     {{ID: OtherWorker().ID}},
			},
		},
		{
			ProcessDefinition: onboarding(),
			grants: map[domain.ProcessPermission][]uuid.UUID{
				domain.PermissionInitiator: {alice},
				domain.PermissionManager:   {alice},
			},
			candidates: map[string][]domain.Grantee{"CHECKLIST": {worker, {ID: alice}}},
		},
		{
			ProcessDefinition: inspection(),
			grants: map[domain.ProcessPermission][]uuid.UUID{
				domain.PermissionInitiator: {alice},
				domain.PermissionManager:   {alice},
			},
			candidates: map[string][]domain.Grantee{"INSPECT": {worker}},
		},
	}
}

func loan(definition, tenant, runner uuid.UUID) domain.ProcessDefinition {
	const person = `"FIRST_NAME": {"type": "string"}, "LAST_NAME": {"type": "string"}`
	const amount = `"AMOUNT": {"type": ["string", "number"]}`
	d := process(definition, tenant, "LOAN", "Loan")
	d.Engine = &domain.EngineBinding{
		WorkflowType: "SampleEngineWorkerLoanWorkflow", TaskQueue: "QUEUE_SAMPLE_LOAN",
		SignalShape: domain.SignalShapeB, RunnerID: runner,
	}
	d.Spec.MetadataSchema = json.RawMessage(`{"type": "object", "properties": {` + person + `}}`)
	application := json.RawMessage(`{"type": "object",
  "properties": {` + person + `, ` + amount + `,
    "CURRENCY": {"enum": ["EUR", "USD", "GBP"]}, "ATTACHMENT": {"type": "string", "format": "kuflow-file"}},
  "required": ["FIRST_NAME", "LAST_NAME", "CURRENCY", "AMOUNT"]}`)
	approval := json.RawMessage(`{"type": "object",
  "properties": {` + person + `, ` + amount + `, "APPROVAL": {"enum": ["YES", "NO"]}},
  "required": ["FIRST_NAME", "LAST_NAME", "AMOUNT", "APPROVAL"]}`)
	d.Items = []domain.ItemDefinition{
		item(d, "LOAN_APPLICATION", "Loan application", domain.ItemTask, application),
		item(d, "APPROVE_LOAN", "Approve the loan", domain.ItemTask, approval),
		item(d, "NOTIFICATION_GRANTED", "The loan is granted", domain.ItemTask, nil),
		item(d, "NOTIFICATION_REJECTION", "The loan is rejected", domain.ItemTask, nil),
		item(d, "NOTE", "Note", domain.ItemMessage, nil),
		item(d, "DISCUSSION", "Discussion", domain.ItemThread, nil),
	}
	return d
}

func onboarding() domain.ProcessDefinition {
	d := process(Onboarding(), TenantDemo(), "ONBOARDING", "Onboarding")
	d.Spec.EntitySchema = json.RawMessage(`{"type": "object",
  "properties": {"name": {"type": "string"}, "age": {"type": "integer", "minimum": 0}},
  "required": ["name"]}`)
	d.Items = []domain.ItemDefinition{
		item(d, "CHECKLIST", "Checklist", domain.ItemTask, json.RawMessage(`{"type": "object",
  "properties": {"DONE": {"type": "boolean"}}, "required": ["DONE"]}`)),
	}
	return d
}

func inspection() domain.ProcessDefinition {
	d := process(Inspection(), TenantDemo(), "INSPECTION", "Inspection")
	d.Engine = &domain.EngineBinding{
		WorkflowType: "InspectionWorkflow", TaskQueue: "QUEUE_INSPECTION",
		SignalShape: domain.SignalShapeA, RunnerID: LoanWorker().ID,
	}
	d.Items = []domain.ItemDefinition{item(d, "INSPECT", "Inspect", domain.ItemTask, nil)}
	return d
}

func process(definition, tenant uuid.UUID, code, name string) domain.ProcessDefinition {
	return domain.ProcessDefinition{
		DefinitionRef: domain.DefinitionRef{ID: definition, Version: derived(definition, "version"), Code: code},
		TenantID:      tenant, Name: name,
	}
}

func item(
	of domain.ProcessDefinition, code, name string, itemType domain.ItemType, data json.RawMessage,
) domain.ItemDefinition {
	definition := derived(of.ID, code)
	return domain.ItemDefinition{
		DefinitionRef: domain.DefinitionRef{ID: definition, Version: derived(definition, "version"), Code: code},
		Type:          itemType, Name: name, Spec: domain.ItemSpec{DataSchema: data},
	}
}
