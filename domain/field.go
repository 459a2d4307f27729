package domain

// Field names a member of the input of an operation. Each contract maps fields to places in its requests.
type Field string

// The fields that errors are about.
const (
	FieldTenant             Field = "tenant"
	FieldSort               Field = "sort"
	FieldMetadataFilter     Field = "metadata filter"
	FieldValueFilter        Field = "value filter"
	FieldPrincipal          Field = "principal"
	FieldAuthenticationType Field = "authentication type"
	FieldCertificateRequest Field = "certificate signing request"
	FieldTaskQueue          Field = "task queue"

	FieldProcessDefinition Field = "process.definition"
	FieldProcessInitiator  Field = "process.initiator"
	FieldProcessMetadata   Field = "process.metadata"
	FieldProcessEntity     Field = "process.entity"
	FieldRelatedMetadata   Field = "related process.metadata"
	FieldRelatedEntity     Field = "related process.entity"
	FieldStartedMetadata   Field = "started process.metadata"
	FieldStartedEntity     Field = "started process.entity"
	FieldRelatedProcess    Field = "process.related"
	FieldExtras            Field = "process.extras"
	FieldNewInitiator      Field = "new initiator"

	FieldDelegationNote Field = "delegation note"

	FieldItemDefinition       Field = "item.definition"
	FieldItemOwner            Field = "item.owner"
	FieldItemThread           Field = "item.thread"
	FieldItemTask             Field = "item.task"
	FieldTaskDueAt            Field = "item.task.due at"
	FieldTaskFollowUpAt       Field = "item.task.follow up at"
	FieldPlanDueAt            Field = "planning.due at"
	FieldPlanFollowUpAt       Field = "planning.follow up at"
	FieldProcessDueAt         Field = "process.due at"
	FieldItemMessage          Field = "item.message"
	FieldMessageData          Field = "item.message.data"
	FieldMessageDataStructure Field = "item.message.data structure"
	FieldActivityToken        Field = "item.activity token"
	FieldNewOwner             Field = "new owner"
	FieldAssignee             Field = "assignee"

	// FieldElements are values of elements, FieldElementCode is the element that is written, FieldElement the
	// element to which a document belongs.
	FieldElements    Field = "elements"
	FieldElementCode Field = "element code"
	FieldElement     Field = "element"

	FieldUserAction       Field = "user action"
	FieldActionText       Field = "user action.text"
	FieldActionTaskThread Field = "user action.task thread"
	FieldActionTextThread Field = "user action.message thread"
	FieldSignalInput      Field = "user action.signal input"

	FieldArtifactDefinition Field = "artifact.definition"
	FieldArtifactAction     Field = "artifact action"
	FieldWorkflowInput      Field = "artifact action.workflow input"
	FieldDownloadInput      Field = "artifact action.download input"
	FieldArtifactValue      Field = "artifact action.value"

	FieldDocument    Field = "document"
	FieldContentType Field = "content type"
	FieldTarget      Field = "target"
	FieldSchemaPath  Field = "schema path"
)

// The members of a principal that an input names.
const (
	MemberID            = "id"
	MemberEmail         = "email"
	MemberUserID        = "user id"
	MemberApplicationID = "application id"
)

// Member returns the name of a member of the field.
func (f Field) Member(name string) Field { return f + "." + Field(name) }
