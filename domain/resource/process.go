package resource

import (
	"encoding/json"

	"github.com/procession-dev/procession/domain"
)

// PublicationState is the state of publication of a process definition.
type PublicationState string

// The publication states.
const (
	// StateDraft stores the manifest for later. The published version stays.
	StateDraft PublicationState = "DRAFT"
	// StatePublished publishes the manifest as the version to which new processes are pinned, if it differs from
	// the published one.
	StatePublished PublicationState = "PUBLISHED"
	// StateRetired prevents new processes. Running ones continue.
	StateRetired PublicationState = "RETIRED"
)

// ProcessDefinitionSpec describes a kind of process. All of it but Permissions,
// Candidates and Viewers is pinned: a running process keeps the version that it
// was started with. Permissions, Candidates and Viewers change at once, for all
// processes.
type ProcessDefinitionSpec struct {
	// Name is the display name of the process, 1..50 characters.
	Name string `json:"name" right:"no"`
	// Description explains to people what the process is for, up to 1000 characters.
	Description string `json:"description,omitempty" right:"no"`
	// State is PUBLISHED unless given.
	State PublicationState `json:"state,omitempty" right:"no"`
	// SubjectTemplate produces the subject of a process from its metadata, with plain paths as in "Loan of {{
	// LAST_NAME }}". The default is the name.
	SubjectTemplate string `json:"subjectTemplate,omitempty" right:"no"`
	// Engine is absent for a process without a workflow.
	Engine *EngineSpec `json:"engine,omitempty" right:"within"`
	// MetadataSchema is the JSON Schema of the metadata of processes.
	MetadataSchema json.RawMessage `json:"metadataSchema,omitempty" right:"no"`
	// MetadataUISchema is the layout of the form of the metadata (JSON Forms).
	MetadataUISchema json.RawMessage `json:"metadataUiSchema,omitempty" right:"no"`
	// MetadataIndexes are the members of the metadata by which processes can be filtered.
	MetadataIndexes []IndexSpec `json:"metadataIndexes,omitempty" right:"no"`
	// EntitySchema is the JSON Schema of the entity of processes.
	EntitySchema json.RawMessage `json:"entitySchema,omitempty" right:"no"`
	// EntityUISchema is the layout of the form of the entity (JSON Forms).
	EntityUISchema json.RawMessage `json:"entityUiSchema,omitempty" right:"no"`
	// Elements are the process elements of Shape A.
	Elements []ElementSpec `json:"elements,omitempty" right:"no"`
	// DataStructures are the codes of the data structures that messages may carry.
	DataStructures []string `json:"dataStructures,omitempty" right:"no"`
	// Items are the kinds of item that a process may have.
	Items []ItemSpec `json:"items,omitempty" right:"within"`
	// UserActions are the actions of users on a process.
	UserActions []UserActionSpec `json:"userActions,omitempty" right:"within"`
	// I18n are the translations of its texts, by language and key.
	I18n json.RawMessage `json:"i18n,omitempty" right:"no"`
	// Due is the due date of a process: a duration of ISO 8601 after its creation, or an expression over its values.
	Due string `json:"due,omitempty" right:"no"`
	// Calendar is the code of the calendar of the working time of due dates, which count all hours without one.
	Calendar string `json:"calendar,omitempty" right:"no"`
	// Permissions are the rights on processes of the definition.
	Permissions ProcessPermissions `json:"permissions,omitzero" right:"within"`
}

// EngineSpec names the workflow that runs processes.
type EngineSpec struct {
	// WorkflowType is the name of the workflow, 1..255 characters.
	WorkflowType string `json:"workflowType" right:"yes"`
	// TaskQueue is the queue that its workers serve, 1..255 characters.
	TaskQueue string `json:"taskQueue" right:"yes"`
	// SignalShape is the shape of the signal that the workflow receives when an item is completed, B unless
	// given.
	SignalShape domain.SignalShape `json:"signalShape,omitempty" right:"yes"`
	// Runner is the code of the application that runs the workers. It has the
	// Manager permission on the processes.
	Runner string `json:"runner" right:"yes"`
	// EncryptionKey is the code of the key that encrypts the workflow's payloads; they are plain unless given.
	EncryptionKey string `json:"encryptionKey,omitempty" right:"yes"`
}

// ProcessPermissions are the rights on the processes of a definition
// (specification section 2.14). A published definition needs an initiator.
type ProcessPermissions struct {
	Initiators     []Grantee `json:"initiators,omitempty" right:"yes"`
	Viewers        []Grantee `json:"viewers,omitempty" right:"yes"`
	Managers       []Grantee `json:"managers,omitempty" right:"yes"`
	Administrators []Grantee `json:"administrators,omitempty" right:"yes"`
	// Repairers may repair the processes that they see.
	Repairers []Grantee `json:"repairers,omitempty" right:"yes"`
}

// ItemSpec describes a kind of process item.
type ItemSpec struct {
	// Code is unique within the process definition, 1..50 characters.
	Code string          `json:"code" right:"no"`
	Type domain.ItemType `json:"type" right:"no"`
	// Name is the display name of the item, 1..50 characters.
	Name string `json:"name" right:"no"`
	// Description contains instructions for people, up to 1000 characters.
	Description string `json:"description,omitempty" right:"no"`
	// Form reports whether the data of the task is filled in as a form.
	Form bool `json:"form,omitempty" right:"no"`
	// DataSchema is the JSON Schema of the data of a task.
	DataSchema json.RawMessage `json:"dataSchema,omitempty" right:"no"`
	// UISchema is the layout of the form (JSON Forms).
	UISchema json.RawMessage `json:"uiSchema,omitempty" right:"no"`
	// ContextDataSchema is the JSON Schema of the data that a task shows next to its form.
	ContextDataSchema json.RawMessage `json:"contextDataSchema,omitempty" right:"no"`
	// RequireValidDataOnComplete refuses to complete a task with invalid data.
	RequireValidDataOnComplete bool `json:"requireValidDataOnComplete,omitempty" right:"no"`
	// FourEyesWith are the codes of tasks that one person must not do together with the task.
	FourEyesWith []string `json:"fourEyesWith,omitempty" right:"yes"`
	// Elements are the task elements of Shape A.
	Elements []ElementSpec `json:"elements,omitempty" right:"no"`
	// I18n are the translations of its texts, by language and key.
	I18n json.RawMessage `json:"i18n,omitempty" right:"no"`
	// Due and FollowUp are the due date and the follow-up date of a task: a duration of ISO 8601 after its creation, or an
	// expression over the values of the process and the task.
	Due      string `json:"due,omitempty" right:"no"`
	FollowUp string `json:"followUp,omitempty" right:"no"`
	// Priority is the priority of a task, NORMAL unless given, or such an expression.
	Priority string `json:"priority,omitempty" right:"no"`
	// Escalation are the steps that the service takes with an open task after its due date.
	Escalation []EscalationSpec `json:"escalation,omitempty" right:"yes"`
	// Assistance configures how a model helps with an item.
	Assistance *AssistanceSpec `json:"assistance,omitempty" right:"no"`
	// Robot assists the owner of a task.
	Robot *ItemRobotSpec `json:"robot,omitempty" right:"yes"`
	// Candidates may claim a task.
	Candidates []Grantee `json:"candidates,omitempty" right:"yes"`
	// Viewers may read the item.
	Viewers []Grantee `json:"viewers,omitempty" right:"yes"`
}

// EscalationSpec is a step of an escalation. It has one of Notify, Priority, Assign and Signal.
type EscalationSpec struct {
	// After is a duration of ISO 8601 after the due date. Steps are in the order of their durations.
	After string `json:"after"`
	// Notify are told, by an event.
	Notify []Grantee `json:"notify,omitempty"`
	// Priority is the least priority that the task has afterwards.
	Priority domain.TaskPriority `json:"priority,omitempty"`
	// Assign gets the task. Of a group, the member with the fewest claimed tasks does.
	Assign *Grantee `json:"assign,omitempty"`
	// Signal signals the workflow of the process that the task is overdue.
	Signal bool `json:"signal,omitempty"`
}

// ItemRobotSpec names the robot that assists with a task: its workflow is started
// when the task gets an owner.
type ItemRobotSpec struct {
	// Code is the code of a robot that has a workflowType.
	Code string `json:"code"`
	// Operation is the operation requested from the robot, 1..255 characters.
	Operation string `json:"operation"`
}

// FieldType is the type of the value of a FIELD element.
type FieldType string

// The field types.
const (
	FieldString FieldType = "STRING"
	FieldNumber FieldType = "NUMBER"
)

// ElementSpec describes an element of Shape A (specification section 2.8).
type ElementSpec struct {
	// Code is unique within the process or the task, 1..50 characters.
	Code string `json:"code" right:"no"`
	// Name is the display name of the element, 1..50 characters.
	Name string             `json:"name" right:"no"`
	Type domain.ElementType `json:"type" right:"no"`
	// FieldType is for elements of type FIELD, and STRING unless given.
	FieldType FieldType `json:"fieldType,omitempty" right:"no"`
	// Multiple elements may have several values.
	Multiple bool `json:"multiple,omitempty" right:"no"`
	// Mandatory elements must have a value when the task is completed.
	Mandatory bool `json:"mandatory,omitempty" right:"no"`
	// Schema is the JSON Schema of the values of a FORM element.
	Schema json.RawMessage `json:"schema,omitempty" right:"no"`
	// Options are the choices of a DECISION element.
	Options []OptionSpec `json:"options,omitempty" right:"no"`
}

// OptionSpec is one choice of a DECISION element.
type OptionSpec struct {
	Code string `json:"code" right:"no"`
	Name string `json:"name" right:"no"`
}

// AssistanceAnswer is the use of the answer of a model.
type AssistanceAnswer string

// The ways to use an answer.
const (
	// AnswerSuggestion shows the answer next to the form.
	AnswerSuggestion AssistanceAnswer = "SUGGESTION"
	// AnswerDraft writes the answer into fields of the task's data.
	AnswerDraft AssistanceAnswer = "DRAFT"
)

// AssistanceSpec configures how a model helps with a task (specification
// section 2.11).
type AssistanceSpec struct {
	// System is the system prompt of the model.
	System string `json:"system,omitempty" right:"no"`
	// Prompt is the question. Like System it may name values as in
	// "{{ data.AMOUNT }}": of the data and contextData of the task, of the data and
	// the text of the message, and of the metadata of the process.
	Prompt string `json:"prompt" right:"no"`
	// Documents are JSON Pointers of the members of the data that hold the
	// documents to read. Unless given, all documents of the data and of the elements
	// are read.
	Documents []string `json:"documents,omitempty" right:"no"`
	// Model is the name of the model; the operator's choice unless given.
	Model string `json:"model,omitempty" right:"no"`
	// Temperature is between 0 and 2.
	Temperature *float64 `json:"temperature,omitempty" right:"no"`
	// OutputSchema is the JSON Schema of the answer, which is an object then, and
	// plain text otherwise.
	OutputSchema json.RawMessage `json:"outputSchema,omitempty" right:"no"`
	// Answer is SUGGESTION unless given. Only tasks have a DRAFT.
	Answer AssistanceAnswer `json:"answer,omitempty" right:"no"`
	// DraftFields are JSON Pointers of the members of the data that a DRAFT may set to the values of the answer.
	DraftFields []string `json:"draftFields,omitempty" right:"no"`
}

// IndexType is the type that values are compared as.
type IndexType string

// The index types.
const (
	IndexString IndexType = "STRING"
	IndexNumber IndexType = "NUMBER"
	IndexDate   IndexType = "DATE"
)

// IndexSpec names a member of a value that resources can be filtered by.
type IndexSpec struct {
	// Field is the name of a top-level member.
	Field string    `json:"field" right:"no"`
	Type  IndexType `json:"type" right:"no"`
}

// UserActionSpec describes an action of users on a process. Processes are pinned to all of it but Runner.
type UserActionSpec struct {
	domain.UserAction `right:"within"`
	// Runner is the code of the application that runs the workers of TaskQueue; the engine's unless given. It has the
	// Manager permission on the processes.
	Runner string `json:"runner,omitempty" right:"yes"`
}
