package processiontest

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/rest"
)

// addRequested adds the item of a request. The workflow is notified of the messages and threads of users.
func (s *Service) addRequested(r *http.Request) (*rest.ProcessItem, answer) {
	params := decodeBody[rest.ProcessItemCreateParams](r)
	s.mu.Lock()
	defer s.mu.Unlock()
	item, a := s.addItem(params)
	if item != nil && item.Task == nil && !s.isWorker(s.callerOf(r)) {
		s.signalItem(item)
	}
	return item, a
}

func (s *Service) createItem(w http.ResponseWriter, r *http.Request) {
	item, a := s.addRequested(r)
	if item != nil {
		if person := s.people[item.ProcessItemDefinitionRef.Code]; person != nil {
			person(&Task{*item, s})
		}
	}
	writeAnswer(w, a)
}

// addItem adds an item, which it returns, or finds the one with its id.
func (s *Service) addItem(params rest.ProcessItemCreateParams) (*rest.ProcessItem, answer) {
	if refusal, refuse := s.refusesItem(params); refuse {
		return nil, refusal
	}
	added := &rest.ProcessItem{
		ID: orNew(params.ID), Type: params.Type, ProcessID: params.ProcessID,
		ProcessItemDefinitionRef: &rest.ProcessItemDefinitionRef{Code: *params.ProcessItemDefinitionCode},
		ProcessItemThreadID:      params.ProcessItemThreadID,
	}
	if known := s.itemWithID(added.ID); known != nil {
		if known.Type != added.Type || known.ProcessID != added.ProcessID {
			return nil, errorAnswer(http.StatusConflict, rest.ErrorCodeCONFLICT, "")
		}
		return nil, okAnswer(*known)
	}
	if process := s.processes[params.ProcessID]; process != nil && process.State != rest.ProcessStateRUNNING {
		return nil, errorAnswer(http.StatusForbidden, rest.ErrorCodePROCESSFINISHED, "")
	}
	if params.Message != nil {
		added.Message = &rest.ProcessItemMessage{Text: params.Message.Text, Data: params.Message.Data}
	}
	if params.Type == rest.ProcessItemTypeTASK {
		task := cmp.Or(params.Task, &rest.ProcessItemTaskCreateParams{})
		added.Task = &rest.ProcessItemTask{
			State: rest.ProcessItemTaskStateREADY, Data: withoutErrors(task.Data), ContextData: withoutErrors(task.ContextData), Logs: []rest.ProcessItemTaskLog{},
		}
		if added.OwnerID = s.principalOf(params.OwnerID, params.OwnerEmail); added.OwnerID != nil {
			added.Task.State = rest.ProcessItemTaskStateCLAIMED
			s.startAssistance(added)
		}
	}
	if s.options.Spoil != nil {
		s.options.Spoil("create", added)
	}
	s.items = append(s.items, added)
	created := *added
	return &created, answer{http.StatusCreated, created}
}

// refusesItem validates the parameters of a new item.
func (s *Service) refusesItem(params rest.ProcessItemCreateParams) (refusal answer, refuse bool) {
	message := cmp.Or(params.Message, &rest.ProcessItemMessageCreateParams{})
	switch {
	case s.processes[params.ProcessID] == nil:
		return notFound(), true
	case params.ProcessItemDefinitionCode == nil && params.Type != rest.ProcessItemTypeMESSAGE:
		return invalidAnswer("/processItemDefinitionCode"), true
	case params.Type == rest.ProcessItemTypeMESSAGE && message.Text == nil && message.Data == nil:
		return invalidAnswer("/message"), true
	case message.Data != nil && message.DataStructureDataDefinitionCode == nil:
		return invalidAnswer("/message/dataStructureDataDefinitionCode"), true
	case params.ProcessItemThreadID != nil && s.itemWithID(*params.ProcessItemThreadID) == nil:
		return invalidAnswer("/processItemThreadId"), true
	case params.OwnerEmail != nil && s.principalOf(params.OwnerID, params.OwnerEmail) == nil:
		return invalidAnswer("/ownerEmail"), true
	}
	return answer{}, false
}

func (s *Service) itemWithID(id uuid.UUID) *rest.ProcessItem {
	if i := slices.IndexFunc(s.items, func(item *rest.ProcessItem) bool { return item.ID == id }); i >= 0 {
		return s.items[i]
	}
	return nil
}

// findItems lists items in the order of their creation. Lists have no data.
func (s *Service) findItems(r *http.Request) answer {
	query := r.URL.Query()
	var found []*rest.ProcessItem
	for _, item := range s.items {
		state := ""
		if item.Task != nil {
			state = string(item.Task.State)
		}
		if matchesFilter(query["processId"], item.ProcessID.String()) && matchesFilter(query["type"], string(item.Type)) && matchesFilter(query["taskState"], state) &&
			matchesFilter(query["processItemDefinitionCode"], item.ProcessItemDefinitionRef.Code) && s.canRead(s.callerOf(r), item) {
			found = append(found, item)
		}
	}
	content := make([]rest.ProcessItemPageItem, len(found))
	for i, item := range found {
		content[i] = rest.ProcessItemPageItem{
			ID: item.ID, Type: item.Type, ProcessID: item.ProcessID, OwnerID: item.OwnerID,
			ProcessItemDefinitionRef: item.ProcessItemDefinitionRef, ProcessItemThreadID: item.ProcessItemThreadID,
		}
		if item.Task != nil {
			content[i].Task = &rest.ProcessItemTaskPageItem{State: item.Task.State}
		}
		if item.Message != nil {
			content[i].Message = &rest.ProcessItemMessagePageItem{Text: item.Message.Text}
		}
	}
	return pageOf(r, content)
}

// pageOf returns the page of a list that the request asks for.
func pageOf[T any](r *http.Request, all []T) answer {
	number, _ := strconv.Atoi(r.URL.Query().Get("page"))
	size, err := strconv.Atoi(r.URL.Query().Get("size"))
	if err != nil {
		size = maxPage
	}
	content := []T{}
	if first := number * size; first < len(all) {
		content = all[first:min(first+size, len(all))]
	}
	metadata := rest.PageMetadata{Page: number, Size: size, TotalElements: int64(len(all))}
	if size > 0 {
		metadata.TotalPages = (len(all) + size - 1) / size
	}
	return okAnswer(map[string]any{"content": content, "metadata": metadata})
}

func (s *Service) canRead(caller uuid.UUID, item *rest.ProcessItem) bool {
	return s.options.Hidden == nil || !s.options.Hidden(caller, *item)
}

// onItem returns every operation on one item.
func (s *Service) onItem(operation string) func(*http.Request) answer {
	return func(r *http.Request) answer {
		caller, item := s.callerOf(r), s.itemWithID(uuid.MustParse(r.PathValue("id")))
		switch {
		case item == nil || !s.canRead(caller, item):
			return notFound()
		case operation == "retrieve":
			return okAnswer(item)
		case item.Task == nil:
			return invalidState()
		}
		if refusal, refuse := s.refusesTask(operation, item, caller); refuse {
			return refusal
		}
		// Earlier responses must not change.
		item.Task = new(*item.Task)
		if refusal, refuse := s.changeTask(operation, item, caller, r); refuse {
			return refusal
		}
		if s.options.Spoil != nil {
			s.options.Spoil(operation, item)
		}
		return okAnswer(item)
	}
}

// refusesTask checks the owner and the state of a task. The worker and Managers have the rights of its owner, except for
// completing it; only they may write its context data.
func (s *Service) refusesTask(operation string, item *rest.ProcessItem, caller uuid.UUID) (refusal answer, refuse bool) {
	owned := item.OwnerID != nil && *item.OwnerID == caller
	state := item.Task.State
	ended := state == rest.ProcessItemTaskStateCOMPLETED || state == rest.ProcessItemTaskStateCANCELLED
	notOwned := errorAnswer(http.StatusForbidden, rest.ErrorCodeTASKNOTOWNED, "")
	switch {
	case operation == "context" && !s.canManage(caller):
		return errorAnswer(http.StatusForbidden, rest.ErrorCodeACCESSDENIED, ""), true
	case operation == "complete" && item.OwnerID != nil && !owned:
		return notOwned, true
	case operation == "complete":
		return invalidState(), state == rest.ProcessItemTaskStateREADY || state == rest.ProcessItemTaskStateCANCELLED
	case operation == "claim" && !ended && item.OwnerID != nil && !owned && !hasDelegated(item, caller):
		return errorAnswer(http.StatusConflict, rest.ErrorCodeTASKALREADYCLAIMED, ""), true
	case operation == "release" && state == rest.ProcessItemTaskStateREADY:
		return answer{}, false
	case operation != "claim" && !owned && !s.canManage(caller):
		return notOwned, true
	case operation == "log":
		return invalidState(), state == rest.ProcessItemTaskStateCANCELLED
	}
	return invalidState(), ended
}

// hasDelegated reports whether a caller delegated a task to its owner.
func hasDelegated(item *rest.ProcessItem, caller uuid.UUID) bool {
	return item.Task.Delegation != nil && item.Task.Delegation.DelegatorID == caller
}

// canManage reports whether a caller manages processes.
func (s *Service) canManage(caller uuid.UUID) bool {
	return s.isWorker(caller) || slices.Contains(s.options.Managers, caller)
}

// isWorker reports whether a caller is the application of the worker, which has the zero id.
func (s *Service) isWorker(caller uuid.UUID) bool { return caller == uuid.Nil }

// startAssistance starts the robot of a task that got an owner.
func (s *Service) startAssistance(item *rest.ProcessItem) {
	if robot, found := s.options.Robots[item.ProcessItemDefinitionRef.Code]; found {
		s.startBeside(item.ID, robot.Workflow, procession.RobotRequest{
			ProcessID: item.ProcessID, ProcessItemID: item.ID, RobotOperation: robot.Operation,
		})
	}
}

func (s *Service) changeTask(operation string, item *rest.ProcessItem, caller uuid.UUID, r *http.Request) (refusal answer, refuse bool) {
	switch operation {
	case "claim":
		if item.OwnerID == nil {
			s.startAssistance(item)
		}
		if item.OwnerID == nil || *item.OwnerID != caller {
			give(item, &caller)
		}
	case "assign":
		params := decodeBody[rest.ProcessItemTaskAssignParams](r)
		owner := s.principalOf(params.OwnerID, params.OwnerEmail)
		if owner == nil {
			return invalidAnswer("/ownerId"), true
		}
		give(item, owner)
	case "delegate":
		return s.delegate(item, caller, decodeBody[rest.ProcessItemTaskDelegateParams](r))
	case "release":
		give(item, nil)
	case "log":
		params := decodeBody[rest.ProcessItemTaskAppendLogParams](r)
		item.Task.Logs = append(slices.Clone(item.Task.Logs), rest.ProcessItemTaskLog{
			ID: uuid.New(), Level: params.Level, Message: params.Message, Timestamp: time.Unix(0, 0).UTC(),
		})
	case "update":
		params := decodeBody[rest.ProcessItemTaskDataUpdateParams](r)
		item.Task.Data = withoutErrors(&params.Data)
	case "context":
		params := decodeBody[rest.ProcessItemTaskContextDataUpdateParams](r)
		item.Task.ContextData = withoutErrors(&params.Data)
	case "patch":
		return applyPatch(r, &item.Task.Data)
	case "complete":
		if item.Task.State != rest.ProcessItemTaskStateCOMPLETED {
			s.completeItem(item, nil)
		}
	}
	return answer{}, false
}

// give gives a task another owner, nil for none, and ends its delegation.
func give(item *rest.ProcessItem, owner *uuid.UUID) {
	item.OwnerID, item.Task.Delegation, item.Task.State = owner, nil, rest.ProcessItemTaskStateCLAIMED
	if owner == nil {
		item.Task.State = rest.ProcessItemTaskStateREADY
	}
}

func (s *Service) delegate(item *rest.ProcessItem, caller uuid.UUID, params rest.ProcessItemTaskDelegateParams) (refusal answer, refuse bool) {
	owner := s.principalOf(params.OwnerID, params.OwnerEmail)
	if owner == nil || *owner == caller {
		if params.OwnerID == nil && params.OwnerEmail != nil {
			return invalidAnswer("/ownerEmail"), true
		}
		return invalidAnswer("/ownerId"), true
	}
	give(item, owner)
	item.Task.Delegation = &rest.ProcessItemTaskDelegation{DelegatorID: caller, DelegatedAt: time.Unix(0, 0).UTC(), Note: params.Note}
	return answer{}, false
}

// completeItem completes a task, with other data unless that is nil, and signals the workflow of its process.
func (s *Service) completeItem(item *rest.ProcessItem, data *rest.JSONValue) {
	item.Task = new(*item.Task)
	item.Task.State = rest.ProcessItemTaskStateCOMPLETED
	item.Task.Data = cmp.Or(data, item.Task.Data)
	s.signalItem(item)
}

// signalItem notifies the workflow of a process of an item.
func (s *Service) signalItem(item *rest.ProcessItem) {
	if e, running := s.engines[item.ProcessID]; running {
		signal := procession.ItemSignal{ID: item.ID, Type: string(item.Type)}
		e.onceStarted(func() { e.SignalWorkflow(itemSignal, signal) })
	}
}
