package processiontest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/sdk/rest"
)

// maxPage is how many entries a page has when the request does not say.
const maxPage = 25

// answer is the response of an operation: a status and the value of its body.
type answer struct {
	status int
	body   any
}

func okAnswer(body any) answer { return answer{http.StatusOK, body} }

// errorAnswer returns an error response. location is the position in the request, or "".
func errorAnswer(status int, code rest.ErrorCode, location string) answer {
	info := rest.DefaultErrorInfo{Code: code, Message: string(code)}
	if location != "" {
		info.Location, info.LocationType = &location, new(rest.DefaultErrorInfoLocationTypeBody)
	}
	return answer{status, rest.DefaultError{Status: status, Message: string(code), Timestamp: time.Unix(0, 0).UTC(), Errors: []rest.DefaultErrorInfo{info}}}
}

func notFound() answer { return errorAnswer(http.StatusNotFound, rest.ErrorCodeNOTFOUND, "") }

func invalidState() answer { return errorAnswer(http.StatusConflict, rest.ErrorCodeINVALIDSTATE, "") }

func invalidAnswer(location string) answer {
	return errorAnswer(http.StatusBadRequest, rest.ErrorCodeVALIDATION, location)
}

// operationHandlers returns those under the lock of the service, by their method and path.
func (s *Service) operationHandlers() map[string]func(*http.Request) answer {
	return map[string]func(*http.Request) answer{
		"GET /principals/{id}":                                           s.retrievePrincipal,
		"POST /processes":                                                s.createProcess,
		"GET /processes":                                                 s.findProcesses,
		"GET /processes/{id}":                                            s.onProcess(func(p *rest.Process, _ *http.Request) answer { return okAnswer(p) }),
		"PUT /processes/{id}/metadata":                                   s.onProcess(whileItRuns(updateMetadata)),
		"PATCH /processes/{id}/metadata":                                 s.onProcess(whileItRuns(patchMetadata)),
		"PUT /processes/{id}/entity":                                     s.onProcess(whileItRuns(updateEntity)),
		"PATCH /processes/{id}/entity":                                   s.onProcess(whileItRuns(patchEntity)),
		"POST /processes/{id}/~actions/change-initiator":                 s.onProcess(whileItRuns(s.changeInitiator)),
		"POST /processes/{id}/~actions/complete":                         s.onProcess(s.endHandler(rest.ProcessStateCOMPLETED)),
		"POST /processes/{id}/~actions/cancel":                           s.onProcess(s.endHandler(rest.ProcessStateCANCELLED)),
		"POST /processes/{id}/~actions/cancel-process-items":             s.onProcess(s.cancelItems),
		"POST /processes/{id}/~actions/upload-document":                  s.onProcess(func(_ *rest.Process, r *http.Request) answer { return s.storeDocument(r) }),
		"POST /processes/{id}/~actions/upload-user-action-document":      s.onProcess(s.uploadForAction),
		"POST /processes/{id}/actions":                                   s.onProcess(s.createUserAction),
		"GET /processes/{id}/actions/{action}":                           s.onUserAction,
		"POST /processes/{id}/actions/{action}/~actions/cancel":          s.onUserAction,
		"GET /kms/keys/{id}":                                             s.retrieveKey,
		"POST /data-source-queries":                                      s.createQuery,
		"GET /data-source-queries/{id}":                                  s.retrieveQuery,
		"GET /process-items":                                             s.findItems,
		"GET /process-items/{id}":                                        s.onItem("retrieve"),
		"POST /process-items/{id}/task/~actions/claim":                   s.onItem("claim"),
		"POST /process-items/{id}/task/~actions/complete":                s.onItem("complete"),
		"POST /process-items/{id}/task/~actions/assign":                  s.onItem("assign"),
		"POST /process-items/{id}/task/~actions/delegate":                s.onItem("delegate"),
		"POST /process-items/{id}/task/~actions/release":                 s.onItem("release"),
		"POST /process-items/{id}/task/~actions/append-log":              s.onItem("log"),
		"PUT /process-items/{id}/task/data":                              s.onItem("update"),
		"PATCH /process-items/{id}/task/data":                            s.onItem("patch"),
		"PUT /process-items/{id}/task/context-data":                      s.onItem("context"),
		"POST /business-artifacts":                                       s.createArtifact,
		"GET /business-artifacts/{id}":                                   s.onArtifact,
		"PUT /business-artifacts/{id}/data":                              s.onArtifact,
		"PATCH /business-artifacts/{id}/data":                            s.onArtifact,
		"DELETE /business-artifacts/{id}":                                s.onArtifact,
		"POST /business-artifacts/{id}/actions":                          s.createArtifactAction,
		"GET /business-artifacts/{id}/actions/{action}":                  s.onArtifactAction,
		"POST /business-artifacts/{id}/actions/{action}/~actions/cancel": s.onArtifactAction,
		"POST /business-artifacts/{id}/~actions/upload-document":         s.storeDocument,
	}
}

func (s *Service) newHandler() http.Handler {
	routes := http.NewServeMux()
	for pattern, handle := range s.operationHandlers() {
		method, path, _ := strings.Cut(pattern, " ")
		routes.HandleFunc(method+" "+version+path, func(w http.ResponseWriter, r *http.Request) {
			s.mu.Lock()
			defer s.mu.Unlock()
			writeAnswer(w, handle(r))
		})
	}
	// People may work on an item before its creation has returned.
	routes.HandleFunc("POST "+version+"/process-items", s.createItem)
	routes.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.tb.Logf("processiontest does not have %s %s", r.Method, r.URL.Path)
		writeAnswer(w, errorAnswer(http.StatusNotImplemented, rest.ErrorCodeFEATUREDISABLED, ""))
	})
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

func writeAnswer(w http.ResponseWriter, a answer) {
	if a.body == nil {
		w.WriteHeader(a.status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.status)
	if err := json.NewEncoder(w).Encode(a.body); err != nil {
		panic(err)
	}
}

// decodeBody decodes a request; one of the wrong form is a mistake of the test.
func decodeBody[T any](r *http.Request) T {
	var value T
	if err := json.NewDecoder(r.Body).Decode(&value); err != nil {
		panic(err)
	}
	return value
}

func (s *Service) callerOf(r *http.Request) uuid.UUID {
	return s.options.Principals[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
}

// principalOf returns who an id or an e-mail address names, or nil. Every id names a principal.
func (s *Service) principalOf(id *uuid.UUID, email *string) *uuid.UUID {
	if id != nil || email == nil {
		return id
	}
	if known, found := s.options.Emails[*email]; found {
		return &known
	}
	return nil
}

func (s *Service) retrievePrincipal(r *http.Request) answer {
	id := uuid.MustParse(r.PathValue("id"))
	known := id == s.Initiator
	for _, principal := range s.options.Principals {
		known = known || principal == id
	}
	if !known {
		return notFound()
	}
	return okAnswer(rest.Principal{ID: &id, Type: new(rest.PrincipalTypeUSER), Name: new(id.String())})
}

// applyPatch applies a patch to a value. A patch that fails is a refusal.
func applyPatch(r *http.Request, value **rest.JSONValue) (refusal answer, refuse bool) {
	before := json.RawMessage(`{}`)
	if *value != nil && len((*value).Value) > 0 {
		before = (*value).Value
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(err)
	}
	patch, err := jsonpatch.DecodePatch(body)
	if err != nil {
		panic(err)
	}
	after, err := patch.Apply(before)
	if err != nil {
		return errorAnswer(http.StatusConflict, rest.ErrorCodePATCHFAILED, ""), true
	}
	*value = &rest.JSONValue{Valid: new(true), Value: after}
	return answer{}, false
}

// withoutErrors returns a value as the service keeps it; nil is an empty one.
func withoutErrors(value *rest.JSONValue) *rest.JSONValue {
	if value == nil || len(value.Value) == 0 {
		return &rest.JSONValue{Valid: new(true), Value: json.RawMessage(`{}`)}
	}
	return &rest.JSONValue{Valid: new(true), Value: value.Value}
}
