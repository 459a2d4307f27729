package cli

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain"
)

// maxResponse bounds the size of responses in bytes.
const maxResponse = 64 << 20

// receive decodes the response of an operation, or returns the reason of its failure.
func receive[T any](s *service, r *http.Response, err error) (T, error) {
	var value T
	if err != nil {
		return value, s.requestFailure(err)
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxResponse))
	if err = errors.Join(err, r.Body.Close()); err != nil {
		return value, s.requestFailure(err)
	}
	switch r.StatusCode {
	case http.StatusNoContent:
		return value, nil
	case http.StatusOK, http.StatusCreated:
		err := json.Unmarshal(body, &value)
		switch {
		case err == nil:
			return value, nil
		case strings.Contains(r.Header.Get("Content-Type"), "json"):
			return value, s.requestFailure(err)
		}
	}
	var failure oasadmin.DefaultError
	if json.Unmarshal(body, &failure) != nil || failure.Message == "" {
		return value, s.unexpectedResponse(r)
	}
	return value, newFailure(r.StatusCode, failure)
}

// unexpectedResponse returns the failure for a response that the service would not send.
func (s *service) unexpectedResponse(r *http.Response) error {
	return &failure{kind: domain.KindInternal, text: fmt.Sprintf(
		"%s sent an unexpected response: %s", s.address, r.Status,
	)}
}

// requestFailure returns the failure for a request that got no answer.
func (s *service) requestFailure(err error) error {
	failed, ok := errors.AsType[*url.Error](err)
	if !ok {
		return fmt.Errorf("reading the response of %s: %w", s.address, err)
	}
	if failed.Timeout() {
		return fmt.Errorf("%s does not answer in time (--timeout)", s.address)
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return fmt.Errorf("the certificate of %s is not trusted (see --ca-file): %w", s.address, failed.Err)
	}
	return fmt.Errorf("%s cannot be reached (--server): %w", s.address, failed.Err)
}
