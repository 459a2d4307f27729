package domain

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain/filter"
	"github.com/procession-dev/procession/domain/translation"
)

// DefinitionRef identifies a definition as resources show it: its id, the version they are pinned to, and its
// code.
type DefinitionRef struct {
	ID      uuid.UUID
	Version uuid.UUID
	Code    string
}

// SignalShape is the shape of the signal that a process definition's workflow receives when an item is completed
// (engine contract, "Signals").
type SignalShape string

// The signal shapes.
const (
	SignalShapeA SignalShape = "A"
	SignalShapeB SignalShape = "B"
)

// EngineBinding names the workflow that runs the processes of a definition, the
// task queue its workers serve, and the application that runs those workers.
type EngineBinding struct {
	WorkflowType string
	TaskQueue    string
	SignalShape  SignalShape
	RunnerID     uuid.UUID
	// EncryptionKey is the code of the key that encrypts payloads, empty for plain payloads. It is then left out
	// of digests, so that versions from before this field keep theirs.
	EncryptionKey string `json:",omitempty"`
}

// ProcessDefinition is one published, immutable version of a process
// definition. Engine is nil for a manual process.
type ProcessDefinition struct {
	DefinitionRef
	TenantID uuid.UUID
	Name     string
	Engine   *EngineBinding
	Spec     ProcessSpec
	Items    []ItemDefinition
}

// ProcessSpec is the part of a process definition that the database stores as one document. A nil schema accepts
// any object.
type ProcessSpec struct {
	// Description explains what the process is for.
	Description string `json:"description,omitempty"`
	// SubjectTemplate produces the subject of a process from its metadata.
	SubjectTemplate string          `json:"subjectTemplate,omitempty"`
	MetadataSchema  json.RawMessage `json:"metadataSchema,omitempty"`
	MetadataIndexes []IndexedMember `json:"metadataIndexes,omitempty"`
	EntitySchema    json.RawMessage `json:"entitySchema,omitempty"`
	// MetadataUISchema and EntityUISchema are the layouts of the forms (JSON Forms).
	MetadataUISchema json.RawMessage `json:"metadataUiSchema,omitempty"`
	EntityUISchema   json.RawMessage `json:"entityUiSchema,omitempty"`
	// DataStructures maps the codes of the data structures that messages may carry to their schemas.
	DataStructures map[string]json.RawMessage `json:"dataStructures,omitempty"`
	Elements       []ElementDefinition        `json:"elements,omitempty"`
	// I18n are the translations of its texts, StructureTexts the ones of the data structures by their codes.
	I18n           json.RawMessage            `json:"i18n,omitempty"`
	StructureTexts map[string]json.RawMessage `json:"dataStructureTexts,omitempty"`
	// Due is a rule of package deadline, "" for none.
	Due string `json:"due,omitempty"`
	// UserActions are in the order of menus.
	UserActions []UserAction `json:"userActions,omitempty"`
}

// IndexedMember is a top-level member of a value by which resources can be filtered, and the type as which it is
// compared.
type IndexedMember struct {
	Field string      `json:"field"`
	Type  filter.Type `json:"type"`
}

// Texts returns the texts of the definition for a reader, nil if there are no translations.
func (d *ProcessDefinition) Texts(reader *translation.Reader) *translation.Texts {
	return translation.New(reader, translation.ParseCached(d.Spec.I18n))
}

// ItemTexts returns the texts of an item definition for a reader, nil if there are no translations.
func (d *ProcessDefinition) ItemTexts(item *ItemDefinition, reader *translation.Reader) *translation.Texts {
	return translation.New(reader, translation.ParseCached(item.Spec.I18n), translation.ParseCached(d.Spec.I18n))
}

// StructureTexts returns the texts of a data structure for a reader, nil if there are no translations.
func (d *ProcessDefinition) StructureTexts(code string, reader *translation.Reader) *translation.Texts {
	return translation.New(reader, translation.ParseCached(d.Spec.StructureTexts[code]), translation.ParseCached(d.Spec.I18n))
}

// ItemName returns the name of an item definition with its translations.
func (d *ProcessDefinition) ItemName(item *ItemDefinition) translation.Name {
	return translation.ParseCached(item.Spec.I18n).Name(item.Name, item.Code).Or(translation.ParseCached(d.Spec.I18n).Name(item.Name, item.Code))
}

// TranslatedName returns the name of the definition with its translations.
func (d *ProcessDefinition) TranslatedName() translation.Name {
	return translation.ParseCached(d.Spec.I18n).Name(d.Name, d.Code)
}

// ActionName returns the name of a user action with its translations.
func (d *ProcessDefinition) ActionName(a *UserAction) translation.Name {
	return translation.ParseCached(a.I18n).Name(a.Name, a.Code).Or(translation.ParseCached(d.Spec.I18n).Name(a.Name, a.Code))
}

// Item returns the item definition with the code, or false.
func (d *ProcessDefinition) Item(code string) (*ItemDefinition, bool) {
	for i := range d.Items {
		if d.Items[i].Code == code {
			return &d.Items[i], true
		}
	}
	return nil, false
}

// ItemDefinition is the definition of one kind of item of a process definition.
type ItemDefinition struct {
	DefinitionRef
	Type ItemType
	Name string
	Spec ItemSpec
}

// ItemSpec is the part of an item definition that the database stores as one document. A nil schema accepts any
// object.
type ItemSpec struct {
	// Description contains instructions for people.
	Description string `json:"description,omitempty"`
	// Form reports whether the data of a task is filled in as a form.
	Form                       bool            `json:"form,omitempty"`
	DataSchema                 json.RawMessage `json:"dataSchema,omitempty"`
	UISchema                   json.RawMessage `json:"uiSchema,omitempty"`
	ContextDataSchema          json.RawMessage `json:"contextDataSchema,omitempty"`
	RequireValidDataOnComplete bool            `json:"requireValidDataOnComplete,omitempty"`
	// FourEyesWith are the codes of opposed tasks.
	FourEyesWith []string            `json:"fourEyesWith,omitempty"`
	Elements     []ElementDefinition `json:"elements,omitempty"`
	// I18n are the translations of its texts; the ones of the process follow.
	I18n json.RawMessage `json:"i18n,omitempty"`
	// Due, FollowUp and Priority are rules of package deadline, "" for none.
	Due      string `json:"due,omitempty"`
	FollowUp string `json:"followUp,omitempty"`
	Priority string `json:"priority,omitempty"`
	// Escalation are the steps after the due date of a task.
	Escalation []EscalationStep `json:"escalation,omitempty"`
	// Assistance configures how a model helps with a task, nil for not at all.
	Assistance *Assistance `json:"assistance,omitempty"`
	// Robot assists the owner of a task, nil for none.
	Robot *TaskRobot `json:"robot,omitempty"`
}

// ProcessPermission is a right on the processes of a definition.
type ProcessPermission string

// The process permissions.
const (
	PermissionInitiator     ProcessPermission = "INITIATOR"
	PermissionViewer        ProcessPermission = "VIEWER"
	PermissionManager       ProcessPermission = "MANAGER"
	PermissionAdministrator ProcessPermission = "ADMINISTRATOR"
	PermissionRepairer      ProcessPermission = "REPAIRER"
)

// ItemPermission is a right on the items of an item definition.
type ItemPermission string

// The item permissions.
const (
	PermissionCandidate  ItemPermission = "CANDIDATE"
	PermissionItemViewer ItemPermission = "VIEWER"
)

// Grantee is the holder of a right. ProcessInitiator stands for the initiator of the process in question;
// otherwise ID is a principal's, a group's, or a tenant's
// for all its active users.
type Grantee struct {
	ID               uuid.UUID
	ProcessInitiator bool
}

// PublishedVersion is a version of a process definition. Processes counts the processes pinned to it, Running the
// active ones among them; Published reports whether new processes are pinned to it.
type PublishedVersion struct {
	Version   uuid.UUID
	Number    int
	Name      string
	Published bool
	CreatedBy uuid.UUID
	CreatedAt time.Time
	Processes int64
	Running   int64
}

// DefinitionUse contains statistics of a process definition. Number is the version for new processes, 0 without one;
// Running counts the active processes.
type DefinitionUse struct {
	ID       uuid.UUID
	Number   int
	Versions int
	Running  int64
}

// SignalsWorkflow reports whether messages, threads or user actions signal the workflow of a process.
func (d *ProcessDefinition) SignalsWorkflow() bool {
	for i := range d.Items {
		if d.Items[i].Type != ItemTask {
			return true
		}
	}
	for i := range d.Spec.UserActions {
		switch d.Spec.UserActions[i].Type {
		case ProcessActionSendSignal, ProcessActionCreateTask, ProcessActionCreateMessage, ProcessActionCreateThread:
			return true
		case ProcessActionDownloadable, ProcessActionStartWorkflow, ProcessActionStartRelatedProcess:
		}
	}
	return false
}
