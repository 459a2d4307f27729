package domain

import (
	"time"

	"github.com/google/uuid"
)

// ConditionCode tells how a process proceeds.
type ConditionCode string

// The conditions of a process.
const (
	// ConditionStarting is the condition until Temporal has started the workflow.
	ConditionStarting ConditionCode = "STARTING"
	ConditionRunning  ConditionCode = "RUNNING"
	// ConditionWaitingForSignal is the condition of a process without open work: its workflow waits for a message, a thread
	// or a user action.
	ConditionWaitingForSignal ConditionCode = "WAITING_FOR_SIGNAL"
	// ConditionFailed is the condition of a process with a failed workflow.
	ConditionFailed ConditionCode = "FAILED"
	// ConditionStuck is the condition of a process with a workflow that fails repeatedly or waits for nothing.
	ConditionStuck ConditionCode = "STUCK"
	// ConditionUnknown is the condition while Temporal is unreachable or no worker continues the workflow.
	ConditionUnknown  ConditionCode = "UNKNOWN"
	ConditionFinished ConditionCode = "FINISHED"
)

// ConditionCodes returns all conditions.
func ConditionCodes() []ConditionCode {
	return []ConditionCode{
		ConditionStarting, ConditionRunning, ConditionWaitingForSignal, ConditionFailed, ConditionStuck, ConditionUnknown,
		ConditionFinished,
	}
}

// AttentionCodes returns the conditions that need attention.
func AttentionCodes() []ConditionCode { return []ConditionCode{ConditionFailed, ConditionStuck} }

// NeedsAttention reports whether an operator must act for the process to proceed.
func (c ConditionCode) NeedsAttention() bool { return c == ConditionFailed || c == ConditionStuck }

// WaitsForEngine reports whether the process proceeds as soon as Temporal and a worker of its queue are available.
func (c ConditionCode) WaitsForEngine() bool { return c == ConditionStarting || c == ConditionUnknown }

// Condition tells how a process proceeds, since when and why. Message is the cause of FAILED, STUCK and UNKNOWN.
// IncidentID is the open incident of the process's workflow, nil if there is none.
type Condition struct {
	Code       ConditionCode
	Since      time.Time
	Message    string
	IncidentID *uuid.UUID
}
