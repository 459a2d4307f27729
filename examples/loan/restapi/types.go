package restapi

import (
	"encoding/json"

	"github.com/google/uuid"
)

// States of a process.
const (
	ProcessRunning   = "RUNNING"
	ProcessCompleted = "COMPLETED"
	ProcessCancelled = "CANCELLED"
)

// States of a task.
const (
	TaskReady     = "READY"
	TaskClaimed   = "CLAIMED"
	TaskCompleted = "COMPLETED"
	TaskCancelled = "CANCELLED"
)

// Types of process items.
const (
	ItemTask    = "TASK"
	ItemMessage = "MESSAGE"
)

// Types of an authentication.
const (
	EngineToken       = "ENGINE_TOKEN"
	EngineCertificate = "ENGINE_CERTIFICATE"
)

// Object is the JSON object inside a JSONValue. Members stay raw, so that numbers keep every digit.
type Object map[string]json.RawMessage

// JSONValue is a JSON object with the service's verdict on it. Valid and Errors are read only: the service ignores
// them in requests.
type JSONValue struct {
	Valid  *bool            `json:"valid,omitempty"`
	Value  Object           `json:"value"`
	Errors []JSONValueError `json:"errors,omitempty"`
}

// JSONValueError names a member that violates the value's schema, by JSON Pointer, and the violated keyword.
type JSONValueError struct {
	PropertyPath string `json:"propertyPath"`
	Type         string `json:"type"`
}

// PatchOperation is one operation of a JSON Patch (RFC 6902).
type PatchOperation struct {
	Op    string          `json:"op"`
	Path  string          `json:"path"`
	Value json.RawMessage `json:"value,omitempty"`
}

// DefinitionRef names the definition that a process or an item follows.
type DefinitionRef struct {
	ID      uuid.UUID `json:"id"`
	Version uuid.UUID `json:"version"`
	Code    string    `json:"code"`
}

// Process is a process as B8 and B9 return it.
type Process struct {
	ID                   uuid.UUID      `json:"id"`
	State                string         `json:"state"`
	ProcessDefinitionRef *DefinitionRef `json:"processDefinitionRef,omitempty"`
	Metadata             *JSONValue     `json:"metadata,omitempty"`
	InitiatorID          *uuid.UUID     `json:"initiatorId,omitempty"`
	TenantID             uuid.UUID      `json:"tenantId"`
}

// ProcessCreateParams is the body of B8. The id makes the creation repeatable.
type ProcessCreateParams struct {
	ID                  uuid.UUID `json:"id"`
	ProcessDefinitionID uuid.UUID `json:"processDefinitionId"`
}

// ProcessItem is a process item as B22 to B31 return it. Lists (B21) leave out the task's data.
type ProcessItem struct {
	ID                       uuid.UUID      `json:"id"`
	Type                     string         `json:"type"`
	ProcessID                uuid.UUID      `json:"processId"`
	OwnerID                  *uuid.UUID     `json:"ownerId,omitempty"`
	ProcessItemDefinitionRef *DefinitionRef `json:"processItemDefinitionRef,omitempty"`
	Task                     *Task          `json:"task,omitempty"`
}

// Task is the part of a process item that only tasks have.
type Task struct {
	State string     `json:"state"`
	Data  *JSONValue `json:"data,omitempty"`
}

// Code is the item definition's code, or empty for an item without a definition.
func (i ProcessItem) Code() string {
	if i.ProcessItemDefinitionRef == nil {
		return ""
	}
	return i.ProcessItemDefinitionRef.Code
}

// TaskState is the state of a task, or empty for an item that is no task.
func (i ProcessItem) TaskState() string {
	if i.Task == nil {
		return ""
	}
	return i.Task.State
}

// TaskData is the task's data; it is empty, never nil, when the item has none.
func (i ProcessItem) TaskData() Object {
	if i.Task == nil || i.Task.Data == nil || i.Task.Data.Value == nil {
		return Object{}
	}
	return i.Task.Data.Value
}

// ProcessItemCreateParams is the body of B22. The id makes the creation repeatable.
type ProcessItemCreateParams struct {
	ID                        uuid.UUID            `json:"id"`
	Type                      string               `json:"type"`
	ProcessID                 uuid.UUID            `json:"processId"`
	OwnerID                   *uuid.UUID           `json:"ownerId,omitempty"`
	ProcessItemDefinitionCode string               `json:"processItemDefinitionCode"`
	Task                      *TaskCreateParams    `json:"task,omitempty"`
	Message                   *MessageCreateParams `json:"message,omitempty"`
}

// MessageCreateParams is what a message says.
type MessageCreateParams struct {
	Text string `json:"text"`
}

// TaskCreateParams fills a task while it is created.
type TaskCreateParams struct {
	Data *JSONValue `json:"data,omitempty"`
}

// BusinessArtifact is a business artifact as B36 and B39 return it.
type BusinessArtifact struct {
	ID   uuid.UUID  `json:"id"`
	Data *JSONValue `json:"data,omitempty"`
}

// Values is the artifact's data; it is empty, never nil, when the artifact has none.
func (a BusinessArtifact) Values() Object {
	if a.Data == nil || a.Data.Value == nil {
		return Object{}
	}
	return a.Data.Value
}

// BusinessArtifactAction is an action of type DOWNLOADABLE as B41 returns it.
type BusinessArtifactAction struct {
	ID           uuid.UUID     `json:"id"`
	Status       string        `json:"status"`
	Downloadable *Downloadable `json:"downloadable,omitempty"`
}

// Downloadable is the part of an action that only those of that type have.
type Downloadable struct {
	Input *JSONValue `json:"input,omitempty"`
}

// Input is what the action was invoked with; it is empty, never nil, when that was nothing.
func (a BusinessArtifactAction) Input() Object {
	if a.Downloadable == nil || a.Downloadable.Input == nil || a.Downloadable.Input.Value == nil {
		return Object{}
	}
	return a.Downloadable.Input.Value
}

// WorkerCreateParams is the body of B46.
type WorkerCreateParams struct {
	Identity      string   `json:"identity"`
	TaskQueue     string   `json:"taskQueue"`
	WorkflowTypes []string `json:"workflowTypes"`
	ActivityTypes []string `json:"activityTypes"`
	Hostname      string   `json:"hostname"`
	IP            string   `json:"ip"`
}

// Authentication is the answer of B51: one of its two members is set, according to the type asked for.
type Authentication struct {
	EngineToken       *EngineTokenGrant       `json:"engineToken,omitempty"`
	EngineCertificate *EngineCertificateGrant `json:"engineCertificate,omitempty"`
}

// EngineTokenGrant is a bearer token for Temporal and the RFC 3339 instant it expires at.
type EngineTokenGrant struct {
	Token     string `json:"token"`
	ExpiredAt string `json:"expiredAt"`
}

// EngineCertificateGrant is a client certificate for Temporal and the namespace it opens.
type EngineCertificateGrant struct {
	Namespace string `json:"namespace"`
	TLS       struct {
		ServerRootCACertificate string `json:"serverRootCaCertificate"`
		ClientCertificate       string `json:"clientCertificate"`
		ClientPrivateKey        string `json:"clientPrivateKey"`
	} `json:"tls"`
}
