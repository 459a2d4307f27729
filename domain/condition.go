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

// NeedsAttention reports whether an operator must act for the process to proceed.
func (c ConditionCode) NeedsAttention() bool { return c == ConditionFailed || c == ConditionStuck }

// WaitsForEngine reports whether the process proceeds as soon as Temporal and a worker of its queue are available.
func (c ConditionCode) WaitsForEngine() bool { return c == ConditionStarting || c == ConditionUnknown }

// Condition tells how a process proceeds, since when and why. IncidentID is the open incident of the process's workflow, or of
// another workflow for the process, nil if there is none. IncidentKind is its kind. Message is the message of the incident, or
// the cause of UNKNOWN.
type Condition struct {
	Code         ConditionCode
	Since        time.Time
	Message      string
	IncidentID   *uuid.UUID
	IncidentKind IncidentKind
}

// InitialCondition returns the condition of a process that is created at the time now, with or without a workflow.
func InitialCondition(hasWorkflow bool, now time.Time) *Condition {
	if hasWorkflow {
		return &Condition{Code: ConditionStarting, Since: now}
	}
	return &Condition{Code: ConditionRunning, Since: now}
}

// Standing groups conditions by the person or system that must act, "" for a process that proceeds.
type Standing string

// The standings.
const (
	// StandingAttention is the standing of a process that an operator must help to proceed.
	StandingAttention Standing = "ATTENTION"
	// StandingEngine is the standing of a process that waits for Temporal or for a worker.
	StandingEngine Standing = "ENGINE"
)

// StartGrace is the time in which Temporal usually starts a workflow. A process that starts for longer waits for the engine.
const StartGrace = 10 * time.Second

// Standing returns the standing of a process at the time now.
func (c *Condition) Standing(now time.Time) Standing {
	switch {
	case c.Code == ConditionFinished:
		return ""
	case c.Code.NeedsAttention(), c.IncidentID != nil:
		return StandingAttention
	case c.Code == ConditionStarting && now.Sub(c.Since) < StartGrace:
		return ""
	case c.Code.WaitsForEngine():
		return StandingEngine
	}
	return ""
}

// AttentionCounts are numbers of a navigation: the processes that the caller manages and that need attention, and the open
// incidents of the tenants that it administers which are not muted. Each is AttentionLimit at most.
type AttentionCounts struct{ Processes, Incidents int64 }

// AttentionLimit bounds counts of processes by standing and of open incidents.
const AttentionLimit = 1000
