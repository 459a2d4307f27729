package scim

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain"
)

// kindError is the kind of a refusal (RFC 7644, section 3.12, table 9). It is the cause of a domain.Error.
type kindError string

// The kinds.
const (
	errInvalidFilter kindError = "invalidFilter"
	errInvalidPath   kindError = "invalidPath"
	errInvalidSyntax kindError = "invalidSyntax"
	errInvalidValue  kindError = "invalidValue"
	errMutability    kindError = "mutability"
	errNoTarget      kindError = "noTarget"
	errUniqueness    kindError = "uniqueness"
)

// Error implements error.
func (t kindError) Error() string { return string(t) }

// refuseAs returns the refusal of a request.
func refuseAs(t kindError, detail string) error {
	return &domain.Error{Kind: domain.KindInvalid, Code: domain.CodeValidation, Message: detail, Cause: t}
}

// inOperation names the operation of a PATCH that a refusal is about.
func inOperation(err error, index int) error {
	if refusal, ok := errors.AsType[*domain.Error](err); ok {
		refusal.Message = fmt.Sprintf("Operations[%d]: %s", index, refusal.Message)
	}
	return err
}

// errorBody is the body of a refusal.
type errorBody struct {
	Schemas  []string  `json:"schemas"`
	Status   string    `json:"status"`
	ScimType kindError `json:"scimType,omitempty"`
	Detail   string    `json:"detail"`
}

// writeFailure answers a request with an error.
func (s *Server) writeFailure(c *gin.Context, err error) {
	kind, _ := errors.AsType[kindError](err)
	if administration.IsUniqueness(err) {
		kind = errUniqueness
	}
	public, status := s.errs.Refuse(c, err)
	if kind == "" && status == http.StatusBadRequest {
		kind = errInvalidValue
	}
	writeJSON(c, status, errorBody{Schemas: []string{errorMessage}, Status: strconv.Itoa(status), ScimType: kind, Detail: describeError(public)})
}

// describeError returns the message of an error with its details. Their locations are in manifests, and left out.
func describeError(err *domain.Error) string {
	var parts []string
	for _, detail := range err.Details {
		name := detail.Location[strings.LastIndexByte(detail.Location, '/')+1:]
		parts = append(parts, strings.TrimSpace(name+" "+detail.Message))
	}
	if len(parts) == 0 {
		return err.Message
	}
	return strings.Join(parts, "; ")
}
