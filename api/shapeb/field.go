package shapeb

import (
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/domain"
)

// fieldLocations maps the fields of operations to their locations in requests of this
// version.
func fieldLocations() httpio.Fields {
	return httpio.Fields{
		domain.FieldTenant:             httpio.Body("/tenantId"),
		domain.FieldSort:               httpio.Query("sort"),
		domain.FieldMetadataFilter:     httpio.Query("metadata"),
		domain.FieldValueFilter:        httpio.Query("value"),
		domain.FieldAuthenticationType: httpio.Body("/type"),
		domain.FieldCertificateRequest: httpio.Body("/certificateSigningRequest"),
		domain.FieldTaskQueue:          httpio.Body("/taskQueue"),

		domain.FieldProcessDefinition:                           httpio.Body("/processDefinitionId"),
		domain.FieldProcessInitiator.Member(domain.MemberID):    httpio.Body("/initiatorId"),
		domain.FieldProcessInitiator.Member(domain.MemberEmail): httpio.Body("/initiatorEmail"),
		domain.FieldExtras:                                      httpio.Body("/extras"),
		domain.FieldRelatedProcess:                              httpio.Body("/relatedProcessId"),
		domain.FieldNewInitiator.Member(domain.MemberID):        httpio.Body("/initiatorId"),
		domain.FieldNewInitiator.Member(domain.MemberEmail):     httpio.Body("/initiatorEmail"),

		domain.FieldItemDefinition:                       httpio.Body("/processItemDefinitionCode"),
		domain.FieldItemOwner.Member(domain.MemberID):    httpio.Body("/ownerId"),
		domain.FieldItemOwner.Member(domain.MemberEmail): httpio.Body("/ownerEmail"),
		domain.FieldItemThread:                           httpio.Body("/processItemThreadId"),
		domain.FieldItemTask:                             httpio.Body("/task"),
		domain.FieldTaskDueAt:                            httpio.Body("/task/dueAt"),
		domain.FieldTaskFollowUpAt:                       httpio.Body("/task/followUpAt"),
		domain.FieldPlanDueAt:                            httpio.Body("/dueAt"),
		domain.FieldPlanFollowUpAt:                       httpio.Body("/followUpAt"),
		domain.FieldProcessDueAt:                         httpio.Body("/dueAt"),
		domain.FieldItemMessage:                          httpio.Body("/message"),
		domain.FieldMessageData:                          httpio.Body("/message/data"),
		domain.FieldMessageDataStructure:                 httpio.Body("/message/dataStructureDataDefinitionCode"),
		domain.FieldNewOwner.Member(domain.MemberID):     httpio.Body("/ownerId"),
		domain.FieldNewOwner.Member(domain.MemberEmail):  httpio.Body("/ownerEmail"),
		domain.FieldDelegationNote:                       httpio.Body("/note"),

		domain.FieldProcessMetadata: httpio.Body("/metadata/value"),
		domain.FieldProcessEntity:   httpio.Body("/entity/value"),
		domain.FieldRelatedMetadata: httpio.Body("/startRelatedProcess/metadata"),
		domain.FieldRelatedEntity:   httpio.Body("/startRelatedProcess/entity"),
		domain.FieldStartedMetadata: httpio.Body("/startProcess/metadata"),
		domain.FieldStartedEntity:   httpio.Body("/startProcess/entity"),

		domain.FieldUserAction:       httpio.Body("/processActionDefinitionCode"),
		domain.FieldActionText:       httpio.Body("/createProcessItemMessage/text"),
		domain.FieldActionTaskThread: httpio.Body("/createTask/processItemThreadId"),
		domain.FieldActionTextThread: httpio.Body("/createProcessItemMessage/processItemThreadId"),
		domain.FieldSignalInput:      httpio.Body("/sendWorkflowSignal/input"),

		domain.FieldArtifactDefinition: httpio.Body("/businessArtifactDefinitionId"),
		domain.FieldArtifactAction:     httpio.Body("/businessArtifactActionDefinitionCode"),
		domain.FieldWorkflowInput:      httpio.Body("/startWorkflow/input"),
		domain.FieldDownloadInput:      httpio.Body("/downloadable/input"),
		domain.FieldArtifactValue:      httpio.Body("/createArtifact/value"),

		domain.FieldDocument:    httpio.Query("documentUri"),
		domain.FieldContentType: httpio.Query("fileContentType"),
		domain.FieldTarget:      httpio.Query("targetUri"),
	}
}
