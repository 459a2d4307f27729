package processiontest

import (
	"io"
	"net/http"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/rest"
)

// documentURI is the reference of every uploaded document.
const documentURI = "kuflow-file:uri=ku:document/1;"

// createUserAction invokes a user action that delivers a document.
func (s *Service) createUserAction(process *rest.Process, r *http.Request) answer {
	params := decodeBody[rest.ProcessActionCreateParams](r)
	id := orNew(params.ID)
	if known, found := s.userActions[id]; found {
		return okAnswer(known)
	}
	code := params.ProcessActionDefinitionCode
	action := s.addUserAction(process.ID, id, code).ProcessAction
	if workflowType, found := s.options.UserActions[code]; found {
		s.startBeside(id, workflowType, procession.UserActionRequest{
			ProcessID: process.ID, UserActionDefinitionType: string(action.Type), UserActionDefinitionCode: code,
			UserActionID: id, RequestorPrincipalID: s.callerOf(r),
		})
	}
	return answer{http.StatusCreated, action}
}

func (s *Service) addUserAction(process, id uuid.UUID, code string) *userAction {
	action := &userAction{process: process, ProcessAction: rest.ProcessAction{
		ID: id, Type: rest.ProcessActionTypeDOWNLOADABLE, Status: rest.ProcessActionStatusREQUESTED,
		ProcessActionDefinitionRef: rest.ProcessActionDefinitionRef{Code: code}, Downloadable: &rest.ProcessActionDownloadable{},
	}}
	s.userActions[id] = action
	return action
}

// userAction is a user action on a process.
type userAction struct {
	rest.ProcessAction

	process uuid.UUID
}

// onUserAction retrieves a user action, or cancels it.
func (s *Service) onUserAction(r *http.Request) answer {
	action, found := s.userActions[uuid.MustParse(r.PathValue("action"))]
	if !found || action.process.String() != r.PathValue("id") {
		return notFound()
	}
	if r.Method == http.MethodPost && action.Status == rest.ProcessActionStatusREQUESTED {
		action.Status = rest.ProcessActionStatusCANCELED
	}
	return okAnswer(action.ProcessAction)
}

// uploadForAction delivers the document of a user action, which completes that, unless it waits for none.
func (s *Service) uploadForAction(process *rest.Process, r *http.Request) answer {
	action, found := s.userActions[uuid.MustParse(r.URL.Query().Get("userActionValueId"))]
	switch {
	case !found || action.process != process.ID:
		return notFound()
	case action.Status != rest.ProcessActionStatusREQUESTED:
		return answer{http.StatusNotModified, nil}
	}
	s.storeDocument(r)
	action.Status, action.Downloadable = rest.ProcessActionStatusCOMPLETED, &rest.ProcessActionDownloadable{DocumentURI: new(documentURI)}
	return okAnswer(process)
}

func (s *Service) storeDocument(r *http.Request) answer {
	content, err := io.ReadAll(r.Body)
	if err != nil {
		panic(err)
	}
	document := Document{Query: map[string]string{}, Content: string(content)}
	for name, values := range r.URL.Query() {
		document.Query[name] = values[0]
	}
	s.documents = append(s.documents, document)
	return okAnswer(rest.DocumentReference{DocumentURI: documentURI})
}

func (s *Service) createArtifact(r *http.Request) answer {
	params := decodeBody[rest.BusinessArtifactCreateParams](r)
	id := orNew(params.ID)
	if known, found := s.artifacts[id]; found {
		return okAnswer(known)
	}
	artifact := &rest.BusinessArtifact{ID: id, Data: withoutErrors(params.Data)}
	if params.BusinessArtifactDefinitionCode != nil {
		artifact.BusinessArtifactDefinitionRef.Code = *params.BusinessArtifactDefinitionCode
	}
	s.artifacts[id] = artifact
	return answer{http.StatusCreated, artifact}
}

// onArtifact returns every operation on one artifact. One that is deleted can still be retrieved.
func (s *Service) onArtifact(r *http.Request) answer {
	artifact, found := s.artifacts[uuid.MustParse(r.PathValue("id"))]
	if !found {
		return notFound()
	}
	switch r.Method {
	case http.MethodDelete:
		return answer{http.StatusNoContent, nil}
	case http.MethodPut:
		params := decodeBody[rest.BusinessArtifactDataUpdateParams](r)
		artifact.Data = withoutErrors(&params.Data)
	case http.MethodPatch:
		if refusal, refuse := applyPatch(r, &artifact.Data); refuse {
			return refusal
		}
	}
	return okAnswer(artifact)
}

// createArtifactAction invokes an action that delivers a document. No workflow is started for it: Execute runs that.
func (s *Service) createArtifactAction(r *http.Request) answer {
	params := decodeBody[rest.BusinessArtifactActionCreateParams](r)
	id := orNew(params.ID)
	if known, found := s.actions[id]; found {
		return okAnswer(known)
	}
	var input any = struct{}{}
	if params.Downloadable != nil && params.Downloadable.Input != nil {
		input = params.Downloadable.Input
	}
	return answer{http.StatusCreated, s.addArtifactAction(id, s.encodeValue(input))}
}

func (s *Service) addArtifactAction(id uuid.UUID, input *rest.JSONValue) *rest.BusinessArtifactAction {
	s.actions[id] = &rest.BusinessArtifactAction{
		ID: id, Type: rest.BusinessArtifactActionTypeDOWNLOADABLE, Status: rest.BusinessArtifactActionStatusREQUESTED,
		Downloadable: &rest.BusinessArtifactActionDownloadable{Input: input},
	}
	return s.actions[id]
}

// onArtifactAction retrieves an action, or cancels it.
func (s *Service) onArtifactAction(r *http.Request) answer {
	action, found := s.actions[uuid.MustParse(r.PathValue("action"))]
	if !found {
		return notFound()
	}
	if r.Method == http.MethodPost && action.Status == rest.BusinessArtifactActionStatusREQUESTED {
		action.Status = rest.BusinessArtifactActionStatusCANCELED
	}
	return okAnswer(action)
}
