package restapi

import (
	"encoding/json"

	"github.com/google/uuid"
)

// States of tasks and processes.
const (
	TaskCompleted    = "COMPLETED"
	TaskCancelled    = "CANCELLED"
	ProcessRunning   = "RUNNING"
	ProcessCompleted = "COMPLETED"
)

// Types of element values that the example uses.
const (
	TypeString = "STRING"
	TypeNumber = "NUMBER"
)

// ElementValue is one value of an element. Value is JSON of its type; a number keeps the digits it was sent with.
// The service says in Valid whether the value fits the element's definition; absent means yes.
type ElementValue struct {
	Valid *bool           `json:"valid,omitempty"`
	Type  string          `json:"type"`
	Value json.RawMessage `json:"value,omitempty"`
}

// IsValid reports whether there is a value and it is valid.
func (v ElementValue) IsValid() bool {
	return v.Value != nil && string(v.Value) != "null" && (v.Valid == nil || *v.Valid)
}

// Text is a value of type STRING.
func Text(text string) ElementValue {
	value, err := json.Marshal(text)
	if err != nil {
		value = nil // no string fails to encode
	}
	return ElementValue{Type: TypeString, Value: value}
}

// Number is a value of type NUMBER, given in the digits that JSON wants.
func Number(digits json.Number) ElementValue {
	return ElementValue{Type: TypeNumber, Value: json.RawMessage(digits)}
}

// ElementValues are the values of elements by the codes of their definitions.
type ElementValues map[string][]ElementValue

// First is the first value of an element, or one without a value.
func (v ElementValues) First(code string) ElementValue {
	if len(v[code]) == 0 {
		return ElementValue{}
	}
	return v[code][0]
}

// Definition names a definition, by its id or its code.
type Definition struct {
	ID   *uuid.UUID `json:"id,omitempty"`
	Code string     `json:"code,omitempty"`
}

// Process is a process (A6, A8, A9).
type Process struct {
	ID                uuid.UUID     `json:"id"`
	State             string        `json:"state,omitempty"`
	Subject           string        `json:"subject,omitempty"`
	ProcessDefinition Definition    `json:"processDefinition"`
	ElementValues     ElementValues `json:"elementValues,omitempty"`
}

// Task is a task (A18 to A31).
type Task struct {
	ID             uuid.UUID     `json:"id"`
	ProcessID      uuid.UUID     `json:"processId"`
	State          string        `json:"state,omitempty"`
	TaskDefinition Definition    `json:"taskDefinition"`
	ElementValues  ElementValues `json:"elementValues,omitempty"`
}

// SaveElementCommand is the body of A9 and A22.
type SaveElementCommand struct {
	ElementDefinitionCode string         `json:"elementDefinitionCode"`
	ElementValues         []ElementValue `json:"elementValues"`
}

// Worker is the body of A33.
type Worker struct {
	Identity      string   `json:"identity"`
	TaskQueue     string   `json:"taskQueue"`
	WorkflowTypes []string `json:"workflowTypes"`
	ActivityTypes []string `json:"activityTypes"`
	Hostname      string   `json:"hostname"`
	IP            string   `json:"ip"`
}

// EngineCertificate is the way into Temporal that A38 grants: the namespace, and the TLS material in PEM.
type EngineCertificate struct {
	Namespace string `json:"namespace"`
	TLS       struct {
		ServerRootCACertificate string `json:"serverRootCaCertificate"`
		ClientCertificate       string `json:"clientCertificate"`
		ClientPrivateKey        string `json:"clientPrivateKey"`
	} `json:"tls"`
}
