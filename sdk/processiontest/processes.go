package processiontest

import (
	"encoding/json"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/rest"
)

func (s *Service) createProcess(r *http.Request) answer {
	params := decodeBody[rest.ProcessCreateParams](r)
	id := orNew(params.ID)
	if known, found := s.processes[id]; found {
		return okAnswer(known)
	}
	initiator := s.principalOf(params.InitiatorID, params.InitiatorEmail)
	switch {
	case params.InitiatorEmail != nil && initiator == nil:
		return invalidAnswer("/initiatorEmail")
	case initiator == nil:
		initiator = new(s.callerOf(r))
	}
	process := &rest.Process{
		ID: id, State: rest.ProcessStateRUNNING, InitiatorID: initiator, Metadata: withoutErrors(params.Metadata), Entity: withoutErrors(params.Entity),
		ProcessRelated: &rest.ProcessRelated{Incoming: []uuid.UUID{}, Outcoming: []uuid.UUID{}},
	}
	if params.ProcessDefinitionCode != nil {
		process.ProcessDefinitionRef = &rest.ProcessDefinitionRef{Code: *params.ProcessDefinitionCode}
	}
	if params.RelatedProcessID != nil {
		other, found := s.processes[*params.RelatedProcessID]
		if !found {
			return invalidAnswer("/relatedProcessId")
		}
		process.ProcessRelated.Incoming = []uuid.UUID{other.ID}
		if other.ProcessRelated == nil {
			other.ProcessRelated = &rest.ProcessRelated{Incoming: []uuid.UUID{}}
		}
		other.ProcessRelated.Outcoming = append(other.ProcessRelated.Outcoming, id)
	}
	s.processes[id] = process
	if s.options.Workflow != "" && params.RelatedProcessID == nil {
		request := procession.WorkflowRequest{ProcessID: id}
		if len(params.Extras) > 0 && json.Unmarshal(params.Extras, &request.Extras) != nil {
			return invalidAnswer("/extras")
		}
		s.startWorkflow(request)
	}
	return answer{http.StatusCreated, process}
}

func orNew(id *uuid.UUID) uuid.UUID {
	if id == nil {
		return uuid.New()
	}
	return *id
}

// startWorkflow runs the workflow of a process as a worker would.
func (s *Service) startWorkflow(request procession.WorkflowRequest) {
	s.startRun(request.ProcessID, s.options.Workflow, request, func(err error) { s.endProcess(request.ProcessID, err) })
}

// startRun runs a workflow under an id, and calls ended when it has returned.
func (s *Service) startRun(id uuid.UUID, workflowType string, request any, ended func(error)) {
	e := s.newEngine()
	// Without this timeout, the clock has no time to skip to while the workflow waits for callers, and activities are not
	// retried.
	e.SetWorkflowRunTimeout(0)
	s.engines[id] = e
	s.running.Go(func() {
		e.ExecuteWorkflow(workflowType, request)
		ended(e.GetWorkflowError())
	})
}

// startBeside runs a workflow about something that its end does not change.
func (s *Service) startBeside(id uuid.UUID, workflowType string, request any) {
	s.startRun(id, workflowType, request, func(err error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.engines, id)
		if err != nil {
			s.tb.Logf("%s: %v", workflowType, err)
		}
	})
}

// endProcess completes the process of a workflow that has returned.
func (s *Service) endProcess(id uuid.UUID, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.engines, id)
	process := s.processes[id]
	switch {
	case err != nil:
		s.tb.Logf("workflow of process %s: %v", id, err)
	case process != nil && process.State == rest.ProcessStateRUNNING:
		process.State = rest.ProcessStateCOMPLETED
	}
}

func (s *Service) findProcesses(r *http.Request) answer {
	query := r.URL.Query()
	var found []*rest.Process
	for _, process := range s.processes {
		code := ""
		if process.ProcessDefinitionRef != nil {
			code = process.ProcessDefinitionRef.Code
		}
		if matchesFilter(query["state"], string(process.State)) && matchesFilter(query["processDefinitionCode"], code) &&
			(process.InitiatorID == nil || matchesFilter(query["initiatorId"], process.InitiatorID.String())) {
			listed := *process
			listed.Metadata, listed.Entity = nil, nil
			found = append(found, &listed)
		}
	}
	return pageOf(r, found)
}

// matchesFilter reports whether a filter has the value, or is not set.
func matchesFilter(filter []string, value string) bool {
	return len(filter) == 0 || slices.Contains(filter, value)
}

func (s *Service) onProcess(handle func(*rest.Process, *http.Request) answer) func(*http.Request) answer {
	return func(r *http.Request) answer {
		process, found := s.processes[uuid.MustParse(r.PathValue("id"))]
		if !found {
			return notFound()
		}
		return handle(process, r)
	}
}

// whileItRuns refuses operations on a finished process.
func whileItRuns(handle func(*rest.Process, *http.Request) answer) func(*rest.Process, *http.Request) answer {
	return func(process *rest.Process, r *http.Request) answer {
		if process.State != rest.ProcessStateRUNNING {
			return errorAnswer(http.StatusForbidden, rest.ErrorCodePROCESSFINISHED, "")
		}
		return handle(process, r)
	}
}

func updateMetadata(process *rest.Process, r *http.Request) answer {
	params := decodeBody[rest.ProcessMetadataUpdateParams](r)
	process.Metadata = withoutErrors(&params.Metadata)
	return okAnswer(process)
}

func patchMetadata(process *rest.Process, r *http.Request) answer {
	if refusal, refuse := applyPatch(r, &process.Metadata); refuse {
		return refusal
	}
	return okAnswer(process)
}

func updateEntity(process *rest.Process, r *http.Request) answer {
	params := decodeBody[rest.ProcessEntityUpdateParams](r)
	process.Entity = withoutErrors(&params.Entity)
	return okAnswer(process)
}

func patchEntity(process *rest.Process, r *http.Request) answer {
	if refusal, refuse := applyPatch(r, &process.Entity); refuse {
		return refusal
	}
	return okAnswer(process)
}

func (s *Service) changeInitiator(process *rest.Process, r *http.Request) answer {
	params := decodeBody[rest.ProcessChangeInitiatorParams](r)
	initiator := s.principalOf(params.InitiatorID, params.InitiatorEmail)
	switch {
	case initiator == nil && params.InitiatorEmail != nil:
		return invalidAnswer("/initiatorEmail")
	case initiator == nil:
		return invalidAnswer("/initiatorId")
	}
	process.InitiatorID = initiator
	return okAnswer(process)
}

// endHandler ends a process. One that is cancelled takes its open tasks and its workflow with it.
func (s *Service) endHandler(state rest.ProcessState) func(*rest.Process, *http.Request) answer {
	return func(process *rest.Process, _ *http.Request) answer {
		if process.State != state && process.State != rest.ProcessStateRUNNING {
			return invalidState()
		}
		before := process.State
		process.State = state
		if state == rest.ProcessStateCANCELLED && before != state {
			for _, item := range s.items {
				if item.ProcessID == process.ID {
					cancelTask(item)
				}
			}
			if e, running := s.engines[process.ID]; running {
				e.onceStarted(e.CancelWorkflow)
			}
		}
		return okAnswer(process)
	}
}

func (s *Service) cancelItems(process *rest.Process, r *http.Request) answer {
	for _, id := range r.URL.Query()["processItemId"] {
		item := s.itemWithID(uuid.MustParse(id))
		if item == nil || item.ProcessID != process.ID {
			return notFound()
		}
		cancelTask(item)
	}
	return okAnswer(process)
}

// cancelTask cancels a task unless it is at its end.
func cancelTask(item *rest.ProcessItem) {
	if item.Task == nil || item.Task.State == rest.ProcessItemTaskStateCOMPLETED {
		return
	}
	// Earlier responses must not change.
	item.Task = new(*item.Task)
	item.Task.State = rest.ProcessItemTaskStateCANCELLED
}
