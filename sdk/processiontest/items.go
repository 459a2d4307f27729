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
	params := read[rest.ProcessItemCreateParams](r)
	s.mu.Lock()
	defer s.mu.Unlock()
	item, a := s.add(params)
	if item != nil && item.Task == nil && !s.isWorker(s.caller(r)) {
		s.signal(item)
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
	send(w, a)
}

// add adds an item, which it returns, or finds the one with its id.
func (s *Service) add(params rest.ProcessItemCreateParams) (*rest.ProcessItem, answer) {
	if refusal, refuse := s.refusesItem(params); refuse {
		return nil, refusal
	}
	added := &rest.ProcessItem{
		ID: orNew(params.ID), Type: params.Type, ProcessID: params.ProcessID,
		ProcessItemDefinitionRef: &rest.ProcessItemDefinitionRef{Code: *params.ProcessItemDefinitionCode},
		ProcessItemThreadID:      params.ProcessItemThreadID,
	}
	if known := s.item(added.ID); known != nil {
		if known.Type != added.Type || known.ProcessID != added.ProcessID {
			return nil, refused(http.StatusConflict, rest.ErrorCodeCONFLICT, "")
		}
		return nil, ok(*known)
	}
	if process := s.processes[params.ProcessID]; process != nil && process.State != rest.ProcessStateRUNNING {
		return nil, refused(http.StatusForbidden, rest.ErrorCodePROCESSFINISHED, "")
	}
	if params.Message != nil {
		added.Message = &rest.ProcessItemMessage{Text: params.Message.Text, Data: params.Message.Data}
	}
	if params.Type == rest.ProcessItemTypeTASK {
		task := cmp.Or(params.Task, &rest.ProcessItemTaskCreateParams{})
		added.Task = &rest.ProcessItemTask{
			State: rest.ProcessItemTaskStateREADY, Data: valid(task.Data), ContextData: valid(task.ContextData), Logs: []rest.ProcessItemTaskLog{},
		}
		if added.OwnerID = s.principal(params.OwnerID, params.OwnerEmail); added.OwnerID != nil {
			added.Task.State = rest.ProcessItemTaskStateCLAIMED
			s.assist(added)
		}
	}
	if s.options.Spoil != nil {
		s.options.Spoil("create", added)
	}
	s.items = append(s.items, added)
	created := *added
	return &created, answer{http.StatusCreated, created}
}

// refusesItem looks at what is said of an item that is to be created.
func (s *Service) refusesItem(params rest.ProcessItemCreateParams) (refusal answer, refuse bool) {
	message := cmp.Or(params.Message, &rest.ProcessItemMessageCreateParams{})
	switch {
	case s.processes[params.ProcessID] == nil:
		return notFound(), true
	case params.ProcessItemDefinitionCode == nil && params.Type != rest.ProcessItemTypeMESSAGE:
		return invalid("/processItemDefinitionCode"), true
	case params.Type == rest.ProcessItemTypeMESSAGE && message.Text == nil && message.Data == nil:
		return invalid("/message"), true
	case message.Data != nil && message.DataStructureDataDefinitionCode == nil:
		return invalid("/message/dataStructureDataDefinitionCode"), true
	case params.ProcessItemThreadID != nil && s.item(*params.ProcessItemThreadID) == nil:
		return invalid("/processItemThreadId"), true
	case params.OwnerEmail != nil && s.principal(params.OwnerID, params.OwnerEmail) == nil:
		return invalid("/ownerEmail"), true
	}
	return answer{}, false
}

func (s *Service) item(id uuid.UUID) *rest.ProcessItem {
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
		if among(query["processId"], item.ProcessID.String()) && among(query["type"], string(item.Type)) && among(query["taskState"], state) &&
			among(query["processItemDefinitionCode"], item.ProcessItemDefinitionRef.Code) && s.sees(s.caller(r), item) {
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
	return page(r, content)
}

// page returns the page of a list that the request asks for.
func page[T any](r *http.Request, all []T) answer {
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
	return ok(map[string]any{"content": content, "metadata": metadata})
}

func (s *Service) sees(caller uuid.UUID, item *rest.ProcessItem) bool {
	return s.options.Hidden == nil || !s.options.Hidden(caller, *item)
}

// onItem returns every operation on one item.
func (s *Service) onItem(operation string) func(*http.Request) answer {
	return func(r *http.Request) answer {
		caller, item := s.caller(r), s.item(uuid.MustParse(r.PathValue("id")))
		switch {
		case item == nil || !s.sees(caller, item):
			return notFound()
		case operation == "retrieve":
			return ok(item)
		case item.Task == nil:
			return invalidState()
		}
		if refusal, refuse := s.refusesTask(operation, item, caller); refuse {
			return refusal
		}
		// What was answered before stays as it was.
		item.Task = new(*item.Task)
		if refusal, refuse := s.act(operation, item, caller, r); refuse {
			return refusal
		}
		if s.options.Spoil != nil {
			s.options.Spoil(operation, item)
		}
		return ok(item)
	}
}

// refusesTask checks the owner and the state of a task. The worker and Managers have the rights of its owner, except for
// completing it; only they may write its context data.
func (s *Service) refusesTask(operation string, item *rest.ProcessItem, caller uuid.UUID) (refusal answer, refuse bool) {
	owned := item.OwnerID != nil && *item.OwnerID == caller
	state := item.Task.State
	ended := state == rest.ProcessItemTaskStateCOMPLETED || state == rest.ProcessItemTaskStateCANCELLED
	notOwned := refused(http.StatusForbidden, rest.ErrorCodeTASKNOTOWNED, "")
	switch {
	case operation == "context" && !s.manages(caller):
		return refused(http.StatusForbidden, rest.ErrorCodeACCESSDENIED, ""), true
	case operation == "complete" && item.OwnerID != nil && !owned:
		return notOwned, true
	case operation == "complete":
		return invalidState(), state == rest.ProcessItemTaskStateREADY || state == rest.ProcessItemTaskStateCANCELLED
	case operation == "claim" && !ended && item.OwnerID != nil && !owned:
		return refused(http.StatusConflict, rest.ErrorCodeTASKALREADYCLAIMED, ""), true
	case operation != "claim" && !owned && !s.manages(caller):
		return notOwned, true
	case operation == "log":
		return invalidState(), state == rest.ProcessItemTaskStateCANCELLED
	}
	return invalidState(), ended
}

// manages reports whether a caller manages processes.
func (s *Service) manages(caller uuid.UUID) bool {
	return s.isWorker(caller) || slices.Contains(s.options.Managers, caller)
}

// isWorker reports whether a caller is the application of the worker, which has the zero id.
func (s *Service) isWorker(caller uuid.UUID) bool { return caller == uuid.Nil }

// assist starts the robot of a task that got an owner.
func (s *Service) assist(item *rest.ProcessItem) {
	if robot, found := s.options.Robots[item.ProcessItemDefinitionRef.Code]; found {
		s.startBeside(item.ID, robot.Workflow, procession.RobotRequest{
			ProcessID: item.ProcessID, ProcessItemID: item.ID, RobotOperation: robot.Operation,
		})
	}
}

func (s *Service) act(operation string, item *rest.ProcessItem, caller uuid.UUID, r *http.Request) (refusal answer, refuse bool) {
	switch operation {
	case "claim":
		if item.OwnerID == nil {
			item.OwnerID, item.Task.State = &caller, rest.ProcessItemTaskStateCLAIMED
			s.assist(item)
		}
	case "assign":
		params := read[rest.ProcessItemTaskAssignParams](r)
		owner := s.principal(params.OwnerID, params.OwnerEmail)
		if owner == nil {
			return invalid("/ownerId"), true
		}
		item.OwnerID, item.Task.State = owner, rest.ProcessItemTaskStateCLAIMED
	case "log":
		params := read[rest.ProcessItemTaskAppendLogParams](r)
		item.Task.Logs = append(slices.Clone(item.Task.Logs), rest.ProcessItemTaskLog{
			ID: uuid.New(), Level: params.Level, Message: params.Message, Timestamp: time.Unix(0, 0).UTC(),
		})
	case "update":
		params := read[rest.ProcessItemTaskDataUpdateParams](r)
		item.Task.Data = valid(&params.Data)
	case "context":
		params := read[rest.ProcessItemTaskContextDataUpdateParams](r)
		item.Task.ContextData = valid(&params.Data)
	case "patch":
		return patched(r, &item.Task.Data)
	case "complete":
		if item.Task.State != rest.ProcessItemTaskStateCOMPLETED {
			s.complete(item, nil)
		}
	}
	return answer{}, false
}

// complete completes a task, with other data unless that is nil, and signals the workflow of its process.
func (s *Service) complete(item *rest.ProcessItem, data *rest.JSONValue) {
	item.Task = new(*item.Task)
	item.Task.State = rest.ProcessItemTaskStateCOMPLETED
	item.Task.Data = cmp.Or(data, item.Task.Data)
	s.signal(item)
}

// signal notifies the workflow of a process of an item.
func (s *Service) signal(item *rest.ProcessItem) {
	if e, running := s.engines[item.ProcessID]; running {
		signal := procession.ItemSignal{ID: item.ID, Type: string(item.Type)}
		e.onceStarted(func() { e.SignalWorkflow(itemSignal, signal) })
	}
}
