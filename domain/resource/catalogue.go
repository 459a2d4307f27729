package resource

import (
	"encoding/json"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/filter"
)

// DataStructureSpec describes the data of a message.
type DataStructureSpec struct {
	// Name is the display name of the structure, 1..50 characters.
	Name string `json:"name" right:"no"`
	// Schema is the JSON Schema of the data.
	Schema json.RawMessage `json:"schema" right:"no"`
	// I18n are the translations of its texts, by language and key.
	I18n json.RawMessage `json:"i18n,omitempty" right:"no"`
}

// EncryptionKeySpec describes a key that encrypts the payloads of workflows. The code of the manifest is the id
// of its first version; only the service knows the value of the key.
type EncryptionKeySpec struct {
	// Description is the purpose of the key, up to 1000 characters.
	Description string `json:"description,omitempty" right:"no"`
	// Shared gives the key to every worker of the tenant, not only to workers that receive payloads of definitions
	// that name it.
	Shared bool `json:"shared,omitempty" right:"yes"`
}

// BusinessArtifactDefinitionSpec describes a kind of business artifact
// (specification section 2.15).
type BusinessArtifactDefinitionSpec struct {
	// Name is the display name of the artifact, 1..50 characters.
	Name string `json:"name" right:"no"`
	// DataSchema is the JSON Schema of the data of artifacts.
	DataSchema json.RawMessage `json:"dataSchema,omitempty" right:"no"`
	// UISchema lays out the form of the data (JSON Forms).
	UISchema json.RawMessage `json:"uiSchema,omitempty" right:"no"`
	// Indexes are the members of the data that artifacts can be filtered by.
	Indexes []IndexSpec `json:"indexes,omitempty" right:"no"`
	// Actions are the actions on an artifact.
	Actions []ArtifactActionSpec `json:"actions,omitempty" right:"within"`
	// I18n are the translations of its texts, by language and key.
	I18n json.RawMessage `json:"i18n,omitempty" right:"no"`
	// Permissions are the rights on artifacts of the definition.
	Permissions ArtifactPermissions `json:"permissions,omitzero" right:"within"`
}

// IndexedMembers returns the members of the data by which artifacts are indexed.
func (s *BusinessArtifactDefinitionSpec) IndexedMembers() []domain.IndexedMember {
	members := make([]domain.IndexedMember, len(s.Indexes))
	for i, index := range s.Indexes {
		members[i] = domain.IndexedMember{Field: index.Field, Type: filter.Type(index.Type)}
	}
	return members
}

// ArtifactPermissions are the rights on the artifacts of a definition.
type ArtifactPermissions struct {
	Viewers  []Grantee `json:"viewers,omitempty" right:"yes"`
	Editors  []Grantee `json:"editors,omitempty" right:"yes"`
	Managers []Grantee `json:"managers,omitempty" right:"yes"`
}

// ArtifactActionSpec describes an action on an artifact.
type ArtifactActionSpec struct {
	// Code is unique within the artifact definition, 1..50 characters.
	Code string `json:"code" right:"no"`
	// Name is the text of the menu, 1..50 characters.
	Name string                    `json:"name" right:"no"`
	Type domain.ArtifactActionType `json:"type" right:"no"`
	// InputSchema is the JSON Schema of the input of START_WORKFLOW and
	// DOWNLOADABLE, which run WorkflowType on TaskQueue.
	InputSchema  json.RawMessage `json:"inputSchema,omitempty" right:"no"`
	WorkflowType string          `json:"workflowType,omitempty" right:"no"`
	TaskQueue    string          `json:"taskQueue,omitempty" right:"yes"`
	// Runner is the code of the application that runs the workers of TaskQueue.
	Runner string `json:"runner,omitempty" right:"yes"`
	// ProcessDefinition is the code of the definition that START_PROCESS starts.
	ProcessDefinition string `json:"processDefinition,omitempty" right:"no"`
	// BusinessArtifactDefinition is the code of the definition for CREATE_BUSINESS_ARTIFACT.
	BusinessArtifactDefinition string `json:"businessArtifactDefinition,omitempty" right:"no"`
	// Prefill maps members of the new artifact's data, or of the new process's
	// metadata, to members of this one's data.
	Prefill map[string]string `json:"prefill,omitempty" right:"no"`
	// I18n are the translations of its texts, by language and key.
	I18n json.RawMessage `json:"i18n,omitempty" right:"no"`
}

// WebhookSubscriptionSpec describes where events are sent (specification
// section 6). Its secrets are issued by the service.
type WebhookSubscriptionSpec struct {
	// Name is the display name of the subscription, 1..255 characters.
	Name string `json:"name" right:"no"`
	// URL is where events are sent. The operator configures which URLs are allowed.
	URL string `json:"url" right:"yes"`
	// EventTypes are the types of event to send; all unless given, except deletions and restorations, which must
	// be named.
	EventTypes []string `json:"eventTypes,omitempty" right:"yes"`
	// PayloadVersion is B unless given.
	PayloadVersion domain.PayloadVersion `json:"payloadVersion,omitempty" right:"no"`
	// ProcessDefinition restricts events to processes of the definition with this code; all definitions unless given.
	ProcessDefinition string `json:"processDefinition,omitempty" right:"yes"`
	// Paused subscriptions get no deliveries. New events wait meanwhile.
	Paused bool `json:"paused,omitempty" right:"no"`
}

// RobotSpec describes a downloadable automation package (specification section 2.18). Its files and its
// environment variables are not part of manifests: they are uploaded and set separately.
type RobotSpec struct {
	// Name is the display name of the robot, 1..50 characters.
	Name string `json:"name" right:"no"`
	// Description describes the robot, up to 4000 characters.
	Description string `json:"description,omitempty" right:"no"`
	// SourceType is PACKAGE or ROBOT_FRAMEWORK_PYTHON_WHEEL; PACKAGE unless given.
	SourceType string `json:"sourceType,omitempty" right:"no"`
	// WorkflowType is the name of the workflow that runs the robot for a task,
	// 1..255 characters. It needs TaskQueue and Runner.
	WorkflowType string `json:"workflowType,omitempty" right:"no"`
	// TaskQueue is the queue that the robot's workers serve, 1..255 characters.
	TaskQueue string `json:"taskQueue,omitempty" right:"yes"`
	// Runner is the code of the application that runs the robot. The environment variables are visible to it.
	Runner string `json:"runner,omitempty" right:"yes"`
	// Permissions are the rights on the robot.
	Permissions RobotPermissions `json:"permissions,omitzero" right:"within"`
}

// RobotPermissions are the rights on a robot.
type RobotPermissions struct {
	// Viewers may read the robot and download its files.
	Viewers []Grantee `json:"viewers,omitempty" right:"yes"`
}
