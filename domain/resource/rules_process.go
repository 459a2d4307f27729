package resource

import (
	"errors"
	"slices"
	"strings"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/availability"
)

func (s *ProcessDefinitionSpec) checkSpec(r *report) {
	checkTemplate(s.SubjectTemplate, "/spec/subjectTemplate", r)
	checkSchema(s.MetadataSchema, "/spec/metadataSchema", r)
	checkIndexes(s.MetadataIndexes, s.MetadataSchema, "metadataSchema", "/spec/metadataIndexes", r)
	checkSchema(s.EntitySchema, "/spec/entitySchema", r)
	checkElements(s.Elements, "/spec/elements", r)
	for i := range s.Elements {
		// Clients of the older shape decode no other values of a process.
		if t := s.Elements[i].Type; t != "" && t != domain.ElementField && t != domain.ElementDecision {
			r.add(extendPointer("/spec/elements", i, "type"), "must be %s or %s for an element of a process: give elements of type %s to a task",
				domain.ElementField, domain.ElementDecision, t)
		}
	}
	checkUnique(memberValues(s.Items, func(i *ItemSpec) string { return i.Code }), "/spec/items", "code", r)
	for i := range s.Items {
		s.Items[i].check(extendPointer("/spec/items", i), r)
		s.checkFourEyes(i, r)
	}
	checkUnique(memberValues(s.UserActions, func(a *UserActionSpec) string { return a.Code }), "/spec/userActions", "code", r)
	for i := range s.UserActions {
		s.UserActions[i].check(s, extendPointer("/spec/userActions", i), r)
	}
	checkDue(s.Due, "/spec/due", r)
	checkTranslations(catalogueMembers(s), r)
	for _, list := range s.Permissions.granteeLists() {
		checkGrantees(list.grantees, list.pointer, list.roles, r)
	}
	if (s.State == "" || s.State == StatePublished) && len(s.Permissions.Initiators) == 0 {
		r.add("/spec/permissions/initiators", "must name at least one initiator before the definition can be published: name one, or set state to DRAFT")
	}
}

// checkFourEyes checks the codes of the tasks that exclude an item.
func (s *ProcessDefinitionSpec) checkFourEyes(at int, r *report) {
	item, pointer := &s.Items[at], extendPointer("/spec/items", at, "fourEyesWith")
	checkUnique(item.FourEyesWith, pointer, "", r)
	for i, code := range item.FourEyesWith {
		switch place := extendPointer(pointer, i); {
		case code == item.Code:
			r.add(place, "is the item itself: name the other task")
		case !hasItem(s.Items, code, domain.ItemTask):
			r.add(place, "there is no item %s of type %s in this definition", code, domain.ItemTask)
		}
	}
}

// OpposedTo returns the codes of the tasks that are opposed to the task with the code, in order.
func (s *ProcessDefinitionSpec) OpposedTo(code string) []string {
	with := make(map[string][]string, len(s.Items))
	for i := range s.Items {
		with[s.Items[i].Code] = s.Items[i].FourEyesWith
	}
	return domain.OpposedTo(code, with)
}

func (s *ItemSpec) check(pointer string, r *report) {
	task := []string{string(domain.ItemTask)}
	checkUses([]use{
		{member: "form", present: s.Form, types: task},
		{member: "dataSchema", present: s.DataSchema != nil, types: task},
		{member: "uiSchema", present: s.UISchema != nil, types: task},
		{member: "contextDataSchema", present: s.ContextDataSchema != nil, types: task},
		{member: "requireValidDataOnComplete", present: s.RequireValidDataOnComplete, types: task},
		{member: "fourEyesWith", present: len(s.FourEyesWith) > 0, types: task},
		{member: "elements", present: len(s.Elements) > 0, types: task},
		{member: "due", present: s.Due != "", types: task},
		{member: "followUp", present: s.FollowUp != "", types: task},
		{member: "priority", present: s.Priority != "", types: task},
		{member: "escalation", present: len(s.Escalation) > 0, types: task},
		{member: "robot", present: s.Robot != nil, types: task},
		{member: "candidates", present: len(s.Candidates) > 0, types: task},
	}, string(s.Type), pointer, r)
	checkSchema(s.DataSchema, pointer+"/dataSchema", r)
	checkSchema(s.ContextDataSchema, pointer+"/contextDataSchema", r)
	checkElements(s.Elements, pointer+"/elements", r)
	if s.Assistance != nil {
		s.Assistance.check(pointer+"/assistance", r)
		if s.Type != domain.ItemTask && s.Assistance.Answer == AnswerDraft {
			r.add(pointer+"/assistance/answer", "%s is only for TASK", AnswerDraft)
		}
	}
	checkDue(s.Due, pointer+"/due", r)
	checkDue(s.FollowUp, pointer+"/followUp", r)
	checkPriority(s.Priority, pointer+"/priority", r)
	checkEscalation(s.Escalation, pointer+"/escalation", r)
	checkGrantees(s.Candidates, pointer+"/candidates", []string{RoleProcessInitiator, RoleEveryone}, r)
	checkGrantees(s.Viewers, pointer+"/viewers", []string{RoleProcessInitiator, RoleEveryone}, r)
}

func checkElements(elements []ElementSpec, pointer string, r *report) {
	checkUnique(memberValues(elements, func(e *ElementSpec) string { return e.Code }), pointer, "code", r)
	for i := range elements {
		e, place := &elements[i], extendPointer(pointer, i)
		checkUses([]use{
			{member: "fieldType", present: e.FieldType != "", types: []string{string(domain.ElementField)}},
			{member: "schema", present: e.Schema != nil, types: []string{string(domain.ElementForm)}, required: true},
			{member: "options", present: e.Options != nil, types: []string{string(domain.ElementDecision)}, required: true},
		}, string(e.Type), place, r)
		checkSchema(e.Schema, place+"/schema", r)
		checkUnique(memberValues(e.Options, func(o *OptionSpec) string { return o.Code }), place+"/options", "code", r)
	}
}

func (s *AssistanceSpec) check(pointer string, r *report) {
	checkTemplate(s.System, pointer+"/system", r)
	checkTemplate(s.Prompt, pointer+"/prompt", r)
	checkSchema(s.OutputSchema, pointer+"/outputSchema", r)
	switch {
	case s.Answer == AnswerDraft && len(s.DraftFields) == 0:
		r.add(pointer+"/draftFields", "is required for %s", AnswerDraft)
	case s.Answer != AnswerDraft && len(s.DraftFields) > 0:
		r.add(pointer+"/draftFields", "is only for the answer %s", AnswerDraft)
	case len(s.DraftFields) > 1 && s.OutputSchema == nil:
		r.add(pointer+"/outputSchema", "is required for several draftFields: without it the answer is one text")
	}
}

// check checks an action, given the definition that has it.
func (s *UserActionSpec) check(of *ProcessDefinitionSpec, pointer string, r *report) {
	workflow := []string{string(domain.ProcessActionDownloadable), string(domain.ProcessActionStartWorkflow)}
	related := []string{string(domain.ProcessActionStartRelatedProcess)}
	item := []string{
		string(domain.ProcessActionCreateTask), string(domain.ProcessActionCreateMessage),
		string(domain.ProcessActionCreateThread),
	}
	signal := []string{string(domain.ProcessActionSendSignal)}
	checkUses([]use{
		{member: "workflowType", present: s.WorkflowType != "", types: workflow, required: true},
		{member: "taskQueue", present: s.TaskQueue != "", types: workflow, required: true},
		{member: "runner", present: s.Runner != "", types: workflow},
		{member: "processDefinition", present: s.ProcessDefinition != "", types: related, required: true},
		// A message does not require an item.
		{member: "item", present: s.Item != "", types: item, required: s.Type != domain.ProcessActionCreateMessage},
		{member: "signalName", present: s.SignalName != "", types: signal, required: true},
	}, string(s.Type), pointer, r)
	if t := s.Type.ItemType(); t != "" && s.Item != "" && !hasItem(of.Items, s.Item, t) {
		r.add(pointer+"/item", "there is no item %s of type %s in this definition", s.Item, t)
	}
	if s.Type == domain.ProcessActionSendSignal && of.Engine == nil {
		r.add(pointer+"/type", "needs a process with an engine: there is no workflow to send a signal to")
	}
	if isReserved(s.SignalName) {
		r.add(pointer+"/signalName", "is a name that the service and Temporal keep to themselves")
	}
	s.checkAvailability(of, pointer+"/availability", r)
}

// isReserved reports whether workers interpret a signal of the name in another way.
func isReserved(signal string) bool {
	return strings.HasPrefix(signal, "KuFlow_Engine_Signal_") || strings.HasPrefix(signal, "__")
}

func (s *UserActionSpec) checkAvailability(of *ProcessDefinitionSpec, pointer string, r *report) {
	if s.Availability == "" {
		return
	}
	expression, err := availability.Parse(s.Availability)
	var wrong *availability.Error
	switch {
	case errors.As(err, &wrong):
		r.add(pointer, "is not an availability expression: column %d: %s", wrong.Column, wrong.Message)
	case err != nil:
		r.add(pointer, "is not an availability expression: %v", err)
	default:
		for _, code := range expression.Tasks() {
			if !hasItem(of.Items, code, domain.ItemTask) {
				r.add(pointer, "names the task %s, which is not an item of type TASK in this definition", code)
			}
		}
	}
}

func hasItem(items []ItemSpec, code string, t domain.ItemType) bool {
	return slices.ContainsFunc(items, func(i ItemSpec) bool { return i.Code == code && i.Type == t })
}
