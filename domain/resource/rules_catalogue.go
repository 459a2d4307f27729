package resource

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/procession-dev/procession/domain"
)

func (s *DataStructureSpec) checkSpec(r *report) {
	checkSchema(s.Schema, "/spec/schema", r)
	checkTranslations(catalogueMembers(s), r)
}

func (*EncryptionKeySpec) checkSpec(*report) {}

func (s *BusinessArtifactDefinitionSpec) checkSpec(r *report) {
	checkSchema(s.DataSchema, "/spec/dataSchema", r)
	checkIndexes(s.Indexes, s.DataSchema, "dataSchema", "/spec/indexes", r)
	checkUnique(memberValues(s.Actions, func(a *ArtifactActionSpec) string { return a.Code }), "/spec/actions", "code", r)
	for i := range s.Actions {
		s.Actions[i].check(propertiesOf(s.DataSchema), extendPointer("/spec/actions", i), r)
	}
	checkTranslations(catalogueMembers(s), r)
	for _, list := range s.Permissions.granteeLists() {
		checkGrantees(list.grantees, list.pointer, list.roles, r)
	}
}

// check checks an action, given the properties of the artifact's data.
func (s *ArtifactActionSpec) check(properties map[string]json.RawMessage, pointer string, r *report) {
	workflow := []string{string(domain.ArtifactActionStartWorkflow), string(domain.ArtifactActionDownloadable)}
	create := []string{string(domain.ArtifactActionCreateArtifact)}
	start := []string{string(domain.ArtifactActionStartProcess)}
	checkUses([]use{
		{member: "inputSchema", present: s.InputSchema != nil, types: workflow},
		{member: "workflowType", present: s.WorkflowType != "", types: workflow, required: true},
		{member: "taskQueue", present: s.TaskQueue != "", types: workflow, required: true},
		{member: "runner", present: s.Runner != "", types: workflow, required: true},
		{
			member: "processDefinition", present: s.ProcessDefinition != "",
			types: start, required: true,
		},
		{member: "businessArtifactDefinition", present: s.BusinessArtifactDefinition != "", types: create, required: true},
		{member: "prefill", present: len(s.Prefill) > 0, types: append(create, start...)},
	}, string(s.Type), pointer, r)
	checkSchema(s.InputSchema, pointer+"/inputSchema", r)
	for _, member := range slices.Sorted(maps.Keys(s.Prefill)) {
		if _, ok := properties[s.Prefill[member]]; !ok && properties != nil {
			r.add(extendPointer(pointer, "prefill", member), "%s is not one of the properties at the top of dataSchema", s.Prefill[member])
		}
	}
}

// The operator configures where events may be sent; that is checked elsewhere.
func (s *WebhookSubscriptionSpec) checkSpec(r *report) {
	version := cmp.Or(s.PayloadVersion, domain.PayloadB)
	types := domain.PublicEventNames(version)
	for i, eventType := range s.EventTypes {
		if !slices.Contains(types, eventType) {
			r.add(extendPointer("/spec/eventTypes", i), "is not an event of payload version %s, which has %s", version, joinWords(types))
		}
	}
}

func (s *RobotSpec) checkSpec(r *report) {
	if s.WorkflowType != "" {
		for member, value := range map[string]string{"taskQueue": s.TaskQueue, "runner": s.Runner} {
			if value == "" {
				r.add("/spec/"+member, "is required with workflowType")
			}
		}
	}
	checkGrantees(s.Permissions.Viewers, "/spec/permissions/viewers", []string{RoleEveryone}, r)
}
