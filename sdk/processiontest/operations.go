package processiontest

import (
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/rest"
)

// documentURI is the reference of every uploaded document.
const documentURI = "kuflow-file:uri=ku:document/1;"

func (s *Service) routes() http.Handler {
	routes := http.NewServeMux()
	for pattern, handle := range map[string]http.HandlerFunc{
		"POST /processes":                                           s.createProcess,
		"GET /processes/{id}":                                       s.onProcess(func(*rest.Process, *http.Request) {}),
		"PATCH /processes/{id}/metadata":                            s.onProcess(patchMetadata),
		"POST /processes/{id}/~actions/complete":                    s.onProcess(func(p *rest.Process, _ *http.Request) { p.State = rest.ProcessStateCOMPLETED }),
		"POST /processes/{id}/~actions/upload-document":             s.upload,
		"POST /processes/{id}/~actions/upload-user-action-document": s.upload,
		"GET /process-items":                                        s.findItems,
		"POST /process-items":                                       s.createItem,
		"GET /process-items/{id}":                                   s.onItem("retrieve"),
		"POST /process-items/{id}/task/~actions/claim":              s.onItem("claim"),
		"POST /process-items/{id}/task/~actions/complete":           s.onItem("complete"),
		"PUT /process-items/{id}/task/data":                         s.onItem("update"),
		"PATCH /process-items/{id}/task/data":                       s.onItem("patch"),
		"GET /business-artifacts/{id}":                              s.onArtifact,
		"PATCH /business-artifacts/{id}/data":                       s.onArtifact,
		"GET /business-artifacts/{id}/actions/{action}":             s.retrieveAction,
		"POST /business-artifacts/{id}/~actions/upload-document":    s.upload,
	} {
		method, path, _ := strings.Cut(pattern, " ")
		routes.HandleFunc(method+" "+version+path, handle)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.options.Refuse != nil {
			if status, body := s.options.Refuse(r); status != 0 {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(status)
				_, _ = io.WriteString(w, body)
				return
			}
		}
		routes.ServeHTTP(w, r)
	})
}

func send(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		panic(err)
	}
}

func refuse(w http.ResponseWriter, status int, code rest.ErrorCode) {
	send(w, status, rest.DefaultError{
		Status: status, Message: string(code), Errors: []rest.DefaultErrorInfo{{Code: code, Message: string(code)}},
	})
}

// read decodes a request; one of the wrong form is a mistake of the test.
func read[T any](r *http.Request) T {
	var value T
	if err := json.NewDecoder(r.Body).Decode(&value); err != nil {
		panic(err)
	}
	return value
}

func (s *Service) caller(r *http.Request) uuid.UUID {
	return s.options.Principals[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
}

func (s *Service) createProcess(w http.ResponseWriter, r *http.Request) {
	params := read[rest.ProcessCreateParams](r)
	s.mu.Lock()
	defer s.mu.Unlock()
	id := *params.ID
	if known, ok := s.processes[id]; ok {
		send(w, http.StatusOK, known)
		return
	}
	process := &rest.Process{ID: id, State: rest.ProcessStateRUNNING, InitiatorID: new(s.caller(r)), Metadata: params.Metadata}
	s.processes[id] = process
	if s.options.Workflow != "" && params.RelatedProcessID == nil {
		s.startWorkflow(id)
	}
	send(w, http.StatusCreated, process)
}

// startWorkflow runs the workflow of a process as a worker would, and completes the process when it returns.
func (s *Service) startWorkflow(id uuid.UUID) {
	e := s.newEngine()
	// Without this timeout there is nothing to skip to while the workflow waits for callers. Activities are not retried
	// then.
	e.SetWorkflowRunTimeout(0)
	s.engines[id] = e
	s.running.Go(func() {
		e.ExecuteWorkflow(s.options.Workflow, procession.WorkflowRequest{ProcessID: id})
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.engines, id)
		if err := e.GetWorkflowError(); err != nil {
			s.tb.Logf("workflow of process %s: %v", id, err)
			return
		}
		s.processes[id].State = rest.ProcessStateCOMPLETED
	})
}

func (s *Service) onProcess(change func(*rest.Process, *http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		process, ok := s.processes[uuid.MustParse(r.PathValue("id"))]
		switch {
		case !ok:
			refuse(w, http.StatusNotFound, rest.ErrorCodeNOTFOUND)
		case r.Method == http.MethodPost && process.State != rest.ProcessStateRUNNING:
			refuse(w, http.StatusConflict, rest.ErrorCodePROCESSFINISHED)
		default:
			change(process, r)
			send(w, http.StatusOK, process)
		}
	}
}

func patchMetadata(process *rest.Process, r *http.Request) {
	process.Metadata = patched(r, process.Metadata)
}

// patched applies a patch to the members of a value.
func patched(r *http.Request, before *rest.JSONValue) *rest.JSONValue {
	members := map[string]json.RawMessage{}
	if before != nil && before.Value != nil {
		if err := json.Unmarshal(before.Value, &members); err != nil {
			panic(err)
		}
	}
	for _, operation := range read[rest.JSONPatch](r) {
		name := strings.NewReplacer("~1", "/", "~0", "~").Replace(strings.TrimPrefix(operation.Path, "/"))
		if operation.Op == rest.JSONPatchOperationOpRemove {
			delete(members, name)
			continue
		}
		members[name] = operation.Value
	}
	raw, err := json.Marshal(members)
	if err != nil {
		panic(err)
	}
	return &rest.JSONValue{Valid: new(true), Value: raw}
}

func (s *Service) createItem(w http.ResponseWriter, r *http.Request) {
	params := read[rest.ProcessItemCreateParams](r)
	item, created := s.add(params)
	person := s.people[*params.ProcessItemDefinitionCode]
	if created && person != nil && params.OwnerID == nil {
		person(&Task{item, s})
	}
	send(w, http.StatusCreated, item)
}

// add adds an item, or finds the one with its id.
func (s *Service) add(params rest.ProcessItemCreateParams) (item rest.ProcessItem, created bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.item(*params.ID); known != nil {
		return *known, false
	}
	added := &rest.ProcessItem{
		ID: *params.ID, Type: params.Type, ProcessID: params.ProcessID, OwnerID: params.OwnerID,
		ProcessItemDefinitionRef: &rest.ProcessItemDefinitionRef{Code: *params.ProcessItemDefinitionCode},
	}
	if params.Message != nil {
		added.Message = &rest.ProcessItemMessage{Text: params.Message.Text, Data: params.Message.Data}
	}
	if params.Type == rest.ProcessItemTypeTASK {
		added.Task = &rest.ProcessItemTask{State: rest.ProcessItemTaskStateREADY, Data: s.value(struct{}{})}
		if params.OwnerID != nil {
			added.Task.State = rest.ProcessItemTaskStateCLAIMED
		}
		if params.Task != nil && params.Task.Data != nil {
			added.Task.Data.Value = params.Task.Data.Value
		}
		if params.Task != nil && params.Task.ContextData != nil {
			added.Task.ContextData = &rest.JSONValue{Value: params.Task.ContextData.Value}
		}
	}
	if s.options.Spoil != nil {
		s.options.Spoil("create", added)
	}
	s.items = append(s.items, added)
	return *added, true
}

func (s *Service) item(id uuid.UUID) *rest.ProcessItem {
	if i := slices.IndexFunc(s.items, func(item *rest.ProcessItem) bool { return item.ID == id }); i >= 0 {
		return s.items[i]
	}
	return nil
}

func (s *Service) findItems(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	query := r.URL.Query()
	content := []*rest.ProcessItem{}
	for _, item := range s.items {
		code := query.Get("processItemDefinitionCode")
		if item.ProcessID.String() == query.Get("processId") && (code == "" || code == item.ProcessItemDefinitionRef.Code) {
			content = append(content, item)
		}
	}
	send(w, http.StatusOK, map[string]any{"content": content})
}

// onItem is every operation on one item.
func (s *Service) onItem(operation string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		caller, item := s.caller(r), s.item(uuid.MustParse(r.PathValue("id")))
		switch {
		case item == nil, s.options.Hidden != nil && s.options.Hidden(caller, *item):
			refuse(w, http.StatusNotFound, rest.ErrorCodeNOTFOUND)
		case operation != "retrieve" && operation != "claim" && (item.OwnerID == nil || *item.OwnerID != caller):
			refuse(w, http.StatusForbidden, rest.ErrorCodeTASKNOTOWNED)
		default:
			s.act(operation, item, caller, r)
			send(w, http.StatusOK, item)
		}
	}
}

func (s *Service) act(operation string, item *rest.ProcessItem, caller uuid.UUID, r *http.Request) {
	if operation == "retrieve" {
		return
	}
	// What was answered before stays as it was.
	item.Task = new(*item.Task)
	switch operation {
	case "claim":
		item.OwnerID, item.Task.State = &caller, rest.ProcessItemTaskStateCLAIMED
	case "update":
		item.Task.Data = &rest.JSONValue{Valid: new(true), Value: read[rest.ProcessItemTaskDataUpdateParams](r).Data.Value}
	case "patch":
		item.Task.Data = patched(r, item.Task.Data)
	case "complete":
		s.complete(item, nil)
	}
	if s.options.Spoil != nil {
		s.options.Spoil(operation, item)
	}
}

// complete completes a task, with other data unless that is nil, and signals the workflow of its process.
func (s *Service) complete(item *rest.ProcessItem, data *rest.JSONValue) {
	item.Task = new(*item.Task)
	item.Task.State = rest.ProcessItemTaskStateCOMPLETED
	item.Task.Data = cmp.Or(data, item.Task.Data)
	if e, ok := s.engines[item.ProcessID]; ok {
		e.SignalWorkflow(itemSignal, procession.ItemSignal{ID: item.ID, Type: string(item.Type)})
	}
}

func (s *Service) onArtifact(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	artifact, ok := s.artifacts[uuid.MustParse(r.PathValue("id"))]
	if !ok {
		refuse(w, http.StatusNotFound, rest.ErrorCodeNOTFOUND)
		return
	}
	if r.Method == http.MethodPatch {
		artifact.Data = patched(r, artifact.Data)
	}
	send(w, http.StatusOK, artifact)
}

func (s *Service) retrieveAction(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	action, ok := s.actions[uuid.MustParse(r.PathValue("action"))]
	if !ok {
		refuse(w, http.StatusNotFound, rest.ErrorCodeNOTFOUND)
		return
	}
	send(w, http.StatusOK, action)
}

func (s *Service) upload(w http.ResponseWriter, r *http.Request) {
	content, err := io.ReadAll(r.Body)
	if err != nil {
		panic(err)
	}
	document := Document{Query: map[string]string{}, Content: string(content)}
	for name, values := range r.URL.Query() {
		document.Query[name] = values[0]
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.documents = append(s.documents, document)
	send(w, http.StatusOK, rest.DocumentReference{DocumentURI: documentURI})
}
