package contracttest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"

	"github.com/getkin/kin-openapi/openapi3filter"
)

// ErrContract is wrapped by every error that reports a break of the contract.
var ErrContract = errors.New("contract broken")

type invalidKey struct{}

// Invalid declares that a request breaks the contract on purpose. Its answer is
// still checked.
func Invalid(r *http.Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), invalidKey{}, true))
}

// Client returns a client that checks every exchange against its contract. base
// carries the requests; see InProcess. An exchange that
// breaks a contract fails with an error that wraps ErrContract.
func Client(base http.RoundTripper, contracts ...*Contract) *http.Client {
	for _, c := range contracts {
		base = &Transport{contract: c, base: base}
	}
	return &http.Client{
		Transport:     base,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Transport checks requests and answers against a contract. An exchange
// outside its operations gets the common checks.
type Transport struct {
	contract *Contract
	base     http.RoundTripper
}

// RoundTrip carries out a request. Requests must be valid unless declared
// Invalid; answers must be documented, with the documented headers and body.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	op, params := t.contract.findOperation(r)
	declaredInvalid, _ := r.Context().Value(invalidKey{}).(bool)
	var sent []byte
	if r.Body != nil {
		var err error
		if sent, err = io.ReadAll(r.Body); err != nil {
			return nil, fmt.Errorf("reading request body: %w", err)
		}
		_ = r.Body.Close()
	}
	// Checked on a copy: a RoundTripper must not change the request.
	if op != nil && !declaredInvalid {
		if err := openapi3filter.ValidateRequest(r.Context(), op.validationInput(withBody(r, sent), params)); err != nil {
			return nil, fmt.Errorf("%w: request of %s: %w", ErrContract, op.id, err)
		}
	}
	resp, err := t.base.RoundTrip(withBody(r, sent))
	if err != nil {
		return nil, fmt.Errorf("carrying out request: %w", err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("reading answer: %w", err)
	}
	_ = resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(body))
	if err := t.checkAnswer(r, op, params, resp, body); err != nil {
		return nil, fmt.Errorf("%w: %s %s answered %d: %w", ErrContract, r.Method, r.URL.Path, resp.StatusCode, err)
	}
	return resp, nil
}

func withBody(r *http.Request, body []byte) *http.Request {
	clone := r.Clone(r.Context())
	clone.Body = io.NopCloser(bytes.NewReader(body))
	clone.ContentLength = int64(len(body))
	if len(body) == 0 {
		clone.Body = http.NoBody
	}
	return clone
}

func (t *Transport) checkAnswer(
	r *http.Request, op *operation, params map[string]string, resp *http.Response, body []byte,
) error {
	if resp.Header.Get("X-Request-Id") == "" {
		return errors.New("answer without X-Request-Id")
	}
	if resp.StatusCode >= http.StatusBadRequest {
		if err := checkError(r, resp, body); err != nil {
			return err
		}
	}
	if op == nil {
		return nil
	}
	status := strconv.Itoa(resp.StatusCode)
	if op.route.Operation.Responses.Value(status) == nil {
		if resp.StatusCode < http.StatusBadRequest {
			return errors.New("status is not documented")
		}
		status = "default"
	}
	input := op.validationInput(r, params)
	// The library does not read streams of events.
	input.Options.ExcludeResponseBody = resp.Header.Get("Content-Type") == "text/event-stream"
	err := openapi3filter.ValidateResponse(r.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: resp.StatusCode, Header: resp.Header,
		Body: io.NopCloser(bytes.NewReader(body)), Options: input.Options,
	})
	if err != nil {
		return err
	}
	t.contract.coverage.record(Pair{OperationID: op.id, Status: status})
	t.contract.members.observeBody(op.answerSchema(status), body)
	return nil
}

// ErrorBody is the body of every failed request.
type ErrorBody struct {
	Timestamp string      `json:"timestamp"`
	Status    int         `json:"status"`
	Message   string      `json:"message"`
	Errors    []ErrorInfo `json:"errors"`
}

// ErrorInfo is one entry of an ErrorBody.
type ErrorInfo struct {
	Code         string `json:"code"`
	Message      string `json:"message"`
	Location     string `json:"location"`
	LocationType string `json:"locationType"`
}

// checkError checks the rules for failures that a schema cannot express.
func checkError(r *http.Request, resp *http.Response, body []byte) error {
	switch {
	case resp.StatusCode == http.StatusUnauthorized && resp.Header.Get("WWW-Authenticate") == "":
		return errors.New("401 without WWW-Authenticate")
	case resp.StatusCode == http.StatusMethodNotAllowed && resp.Header.Get("Allow") == "":
		return errors.New("405 without Allow")
	case resp.StatusCode == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") == "":
		return errors.New("503 without Retry-After")
	case r.Method == http.MethodHead:
		return nil
	}
	var decoded ErrorBody
	if err := json.Unmarshal(body, &decoded); err != nil {
		return fmt.Errorf("decoding error body: %w", err)
	}
	if decoded.Status != resp.StatusCode {
		return fmt.Errorf("body says status %d", decoded.Status)
	}
	return nil
}

// InProcess carries requests straight to a handler, without a network.
func InProcess(handler http.Handler) http.RoundTripper { return inProcess{handler} }

type inProcess struct{ handler http.Handler }

// RoundTrip lets the handler answer the request.
func (p inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	served := r.Clone(r.Context())
	served.RequestURI = r.URL.RequestURI()
	recorder := httptest.NewRecorder()
	p.handler.ServeHTTP(recorder, served)
	resp := recorder.Result()
	resp.Request = r
	return resp, nil
}
