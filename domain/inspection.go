package domain

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"time"
)

// RunFinding is the outcome of an inspection of a running workflow, "" for a workflow that proceeds.
type RunFinding string

// The findings.
const (
	// FindingStuck is a workflow with a Problem.
	FindingStuck RunFinding = "STUCK"
	// FindingUnserved is a workflow with a workflow task or an activity that no worker takes.
	FindingUnserved RunFinding = "UNSERVED"
	// FindingWaiting is a workflow that only a message, a thread or a user action can continue.
	FindingWaiting RunFinding = "WAITING_FOR_SIGNAL"
)

// Condition returns the condition of a process with a running workflow with the finding.
func (f RunFinding) Condition() ConditionCode {
	switch f {
	case FindingStuck:
		return ConditionStuck
	case FindingUnserved:
		return ConditionUnknown
	case FindingWaiting:
		return ConditionWaitingForSignal
	}
	return ConditionRunning
}

// Problem is the cause of an incident. Activity is the type of the failed activity, "" if another part failed. Attempts
// counts the failed attempts. Worker is the build id of the last worker, "" if unknown. Message is one line, Failure the
// chain of causes with their stack traces.
type Problem struct {
	Kind     IncidentKind
	Activity string
	Attempts int
	Worker   string
	Message  string
	Failure  string
}

// variableText matches the parts of messages that differ between incidents of the same cause.
var variableText = regexp.MustCompile(`[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}|0x[0-9a-fA-F]+|\d+`)

// fingerprint returns a key that is equal for problems of the same cause: the kind, the workflow, the activity, the worker
// version and the message without ids and numbers.
func (p *Problem) fingerprint(run EngineRun) string {
	message := variableText.ReplaceAllString(p.Message, "#")
	sum := sha256.Sum256([]byte(strings.Join([]string{
		string(p.Kind), string(run.Kind), run.WorkflowType, run.TaskQueue, p.Activity, p.Worker, message,
	}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// Inspection is the state of a running workflow in Temporal. EngineRun is Temporal's id of the first run of its chain.
type Inspection struct {
	EngineRun string
	// Problem is a repeated failure, nil if there is none.
	Problem *Problem
	// UnservedSince is the time since which a workflow task or an attempt of an activity waits for a worker, nil if none does. It is in
	// the future during a backoff. UnservedQueue is the task queue of the activity, "" for a workflow task.
	UnservedSince *time.Time
	UnservedQueue string
	// Busy is set while a worker, an activity, a child workflow or a Nexus operation is to continue the workflow.
	Busy bool
	// NextTimer is the earliest time of a timer, nil if none is pending.
	NextTimer *time.Time
	// Unclear is set when the history is too long to find the pending timers.
	Unclear bool
}

// ProcessWork tells what may continue the workflow of a process. Open is set for an open task or a running action;
// Signals if messages, threads or user actions signal the workflow.
type ProcessWork struct{ Open, Signals bool }

// The pauses until the next inspection. After the last use of a workflow they grow with its idle time.
const (
	InspectAfter       = 30 * time.Second
	maxInspectionPause = time.Hour
	// unservedAfter is the time for which a workflow task may wait for a worker.
	unservedAfter = 15 * time.Second
)

// Diagnosis is the conclusion from an inspection. Problem is set for FindingStuck. InspectAt is the time of the next
// inspection, nil for none until the workflow is used. Queue is the task queue of FindingUnserved, "" for the workflow's own.
type Diagnosis struct {
	Finding   RunFinding
	Problem   *Problem
	InspectAt *time.Time
	Queue     string
}

// Diagnose returns the conclusion from an inspection at the time now of a workflow that was last used at the time usedAt.
// work is nil for the workflow of an action or a robot.
func Diagnose(i Inspection, work *ProcessWork, usedAt, now time.Time) Diagnosis {
	again := now.Add(min(max(now.Sub(usedAt), InspectAfter), maxInspectionPause))
	switch {
	case i.Problem != nil:
		return Diagnosis{Finding: FindingStuck, Problem: i.Problem, InspectAt: &again}
	case i.UnservedSince != nil && now.Sub(*i.UnservedSince) >= unservedAfter:
		again = now.Add(InspectAfter)
		return Diagnosis{Finding: FindingUnserved, InspectAt: &again, Queue: i.UnservedQueue}
	case i.Busy || i.UnservedSince != nil:
		return Diagnosis{InspectAt: &again}
	case i.NextTimer != nil:
		later := i.NextTimer.Add(InspectAfter)
		if later.Before(again) {
			later = again
		}
		return Diagnosis{InspectAt: &later}
	case work == nil || i.Unclear:
		return Diagnosis{InspectAt: &again}
	case work.Open:
		return Diagnosis{}
	case work.Signals:
		return Diagnosis{Finding: FindingWaiting}
	}
	return Diagnosis{Finding: FindingStuck, InspectAt: &again, Problem: &Problem{
		Kind: IncidentNoWait, Attempts: 1,
		Message: "nothing can continue the workflow: the process has no open task or action, and the workflow no timer, activity or child workflow",
	}}
}
