package processiontest

import (
	"net/http"
	"slices"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/rest"
)

func (s *Service) createProcess(r *http.Request) answer {
	params := read[rest.ProcessCreateParams](r)
	id := orNew(params.ID)
	if known, found := s.processes[id]; found {
		return ok(known)
	}
	initiator := s.principal(params.InitiatorID, params.InitiatorEmail)
	switch {
	case params.InitiatorEmail != nil && initiator == nil:
		return invalid("/initiatorEmail")
	case initiator == nil:
		initiator = new(s.caller(r))
	}
	process := &rest.Process{
		ID: id, State: rest.ProcessStateRUNNING, InitiatorID: initiator, Metadata: valid(params.Metadata), Entity: valid(params.Entity),
		ProcessRelated: &rest.ProcessRelated{Incoming: []uuid.UUID{}, Outcoming: []uuid.UUID{}},
	}
	if params.ProcessDefinitionCode != nil {
		process.ProcessDefinitionRef = &rest.ProcessDefinitionRef{Code: *params.ProcessDefinitionCode}
	}
	if params.RelatedProcessID != nil {
		other, found := s.processes[*params.RelatedProcessID]
		if !found {
			return invalid("/relatedProcessId")
		}
		process.ProcessRelated.Incoming = []uuid.UUID{other.ID}
		if other.ProcessRelated == nil {
			other.ProcessRelated = &rest.ProcessRelated{Incoming: []uuid.UUID{}}
		}
		other.ProcessRelated.Outcoming = append(other.ProcessRelated.Outcoming, id)
	}
	s.processes[id] = process
	if s.options.Workflow != "" && params.RelatedProcessID == nil {
		s.startWorkflow(id)
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
func (s *Service) startWorkflow(id uuid.UUID) {
	s.start(id, s.options.Workflow, procession.WorkflowRequest{ProcessID: id}, func(err error) { s.ended(id, err) })
}

// start runs a workflow under an id, and calls ended when it has returned.
func (s *Service) start(id uuid.UUID, workflowType string, request any, ended func(error)) {
	e := s.newEngine()
	// Without this timeout there is nothing to skip to while the workflow waits for callers. Activities are not retried
	// then.
	e.SetWorkflowRunTimeout(0)
	s.engines[id] = e
	s.running.Go(func() {
		e.ExecuteWorkflow(workflowType, request)
		ended(e.GetWorkflowError())
	})
}

// startBeside runs a workflow about something that its end does not change.
func (s *Service) startBeside(id uuid.UUID, workflowType string, request any) {
	s.start(id, workflowType, request, func(err error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.engines, id)
		if err != nil {
			s.tb.Logf("%s: %v", workflowType, err)
		}
	})
}

// ended completes the process of a workflow that has returned.
func (s *Service) ended(id uuid.UUID, err error) {
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
		if among(query["state"], string(process.State)) && among(query["processDefinitionCode"], code) &&
			(process.InitiatorID == nil || among(query["initiatorId"], process.InitiatorID.String())) {
			listed := *process
			listed.Metadata, listed.Entity = nil, nil
			found = append(found, &listed)
		}
	}
	return page(r, found)
}

// among reports whether a filter has the value, or is not set.
func among(filter []string, value string) bool {
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

// whileItRuns refuses what cannot be done with a process that is finished.
func whileItRuns(handle func(*rest.Process, *http.Request) answer) func(*rest.Process, *http.Request) answer {
	return func(process *rest.Process, r *http.Request) answer {
		if process.State != rest.ProcessStateRUNNING {
			return refused(http.StatusForbidden, rest.ErrorCodePROCESSFINISHED, "")
		}
		return handle(process, r)
	}
}

func updateMetadata(process *rest.Process, r *http.Request) answer {
	params := read[rest.ProcessMetadataUpdateParams](r)
	process.Metadata = valid(&params.Metadata)
	return ok(process)
}

func patchMetadata(process *rest.Process, r *http.Request) answer {
	if refusal, refuse := patched(r, &process.Metadata); refuse {
		return refusal
	}
	return ok(process)
}

func updateEntity(process *rest.Process, r *http.Request) answer {
	params := read[rest.ProcessEntityUpdateParams](r)
	process.Entity = valid(&params.Entity)
	return ok(process)
}

func patchEntity(process *rest.Process, r *http.Request) answer {
	if refusal, refuse := patched(r, &process.Entity); refuse {
		return refusal
	}
	return ok(process)
}

func (s *Service) changeInitiator(process *rest.Process, r *http.Request) answer {
	params := read[rest.ProcessChangeInitiatorParams](r)
	initiator := s.principal(params.InitiatorID, params.InitiatorEmail)
	switch {
	case initiator == nil && params.InitiatorEmail != nil:
		return invalid("/initiatorEmail")
	case initiator == nil:
		return invalid("/initiatorId")
	}
	process.InitiatorID = initiator
	return ok(process)
}

// end ends a process. One that is cancelled takes its open tasks and its workflow with it.
func (s *Service) end(state rest.ProcessState) func(*rest.Process, *http.Request) answer {
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
		return ok(process)
	}
}

func (s *Service) cancelItems(process *rest.Process, r *http.Request) answer {
	for _, id := range r.URL.Query()["processItemId"] {
		item := s.item(uuid.MustParse(id))
		if item == nil || item.ProcessID != process.ID {
			return notFound()
		}
		cancelTask(item)
	}
	return ok(process)
}

// cancelTask cancels a task unless it is at its end.
func cancelTask(item *rest.ProcessItem) {
	if item.Task == nil || item.Task.State == rest.ProcessItemTaskStateCOMPLETED {
		return
	}
	// What was answered before stays as it was.
	item.Task = new(*item.Task)
	item.Task.State = rest.ProcessItemTaskStateCANCELLED
}
