package cli

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain"
)

// reply is an answer that has been read.
type reply interface {
	StatusCode() int
	Status() string
	GetBody() []byte
}

// restReply is a reply of the REST API.
type restReply struct {
	*http.Response

	body []byte
}

func (r restReply) StatusCode() int { return r.Response.StatusCode }
func (r restReply) Status() string  { return r.Response.Status }
func (r restReply) GetBody() []byte { return r.body }

// maxReply bounds the size of replies of the REST API.
const maxReply = 64 << 20

// receive decodes an answer of the REST API, as read does.
func receive[T any](s *service, r *http.Response, err error) (T, error) {
	var value T
	if err != nil {
		return value, s.unanswered(err)
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxReply))
	if err = errors.Join(err, r.Body.Close()); err != nil {
		return value, s.unanswered(err)
	}
	return read[T](s, restReply{r, body}, nil)
}

// nothing is the content of an answer without a body.
type nothing struct{}

// read decodes an answer of the service: what it holds, or why there is none.
func read[T any](s *service, a reply, err error) (T, error) {
	var value T
	if err != nil {
		return value, s.unanswered(err)
	}
	switch a.StatusCode() {
	case http.StatusNoContent:
		return value, nil
	case http.StatusOK, http.StatusCreated:
		if err := json.Unmarshal(a.GetBody(), &value); err != nil {
			return value, s.stranger(a)
		}
		return value, nil
	}
	var failure oasadmin.DefaultError
	if json.Unmarshal(a.GetBody(), &failure) != nil || failure.Message == "" {
		return value, s.stranger(a)
	}
	return value, refused(a.StatusCode(), failure)
}

// stranger returns the failure for an answer that the service would not give.
func (s *service) stranger(a reply) error {
	return &failure{kind: domain.KindInternal, text: fmt.Sprintf(
		"%s answers with %s, and not as the service does", s.address, a.Status(),
	)}
}

// unanswered returns the failure for a request that got no answer.
func (s *service) unanswered(err error) error {
	failed, ok := errors.AsType[*url.Error](err)
	if !ok {
		return fmt.Errorf("reading what %s answers: %w", s.address, err)
	}
	if failed.Timeout() {
		return fmt.Errorf("%s does not answer in time (--timeout)", s.address)
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return fmt.Errorf("the certificate of %s is not to be trusted (--ca-file says who is): %w", s.address, failed.Err)
	}
	return fmt.Errorf("%s cannot be reached (--server): %w", s.address, failed.Err)
}
