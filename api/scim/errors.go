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

// scimType is the kind of a refusal (RFC 7644, section 3.12, table 9). It is the cause of a domain.Error.
type scimType string

// The kinds.
const (
	invalidFilter scimType = "invalidFilter"
	invalidPath   scimType = "invalidPath"
	invalidSyntax scimType = "invalidSyntax"
	invalidValue  scimType = "invalidValue"
	mutability    scimType = "mutability"
	noTarget      scimType = "noTarget"
	uniqueness    scimType = "uniqueness"
)

// Error implements error.
func (t scimType) Error() string { return string(t) }

// refuseAs returns the refusal of a request.
func refuseAs(t scimType, detail string) error {
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
	Schemas  []string `json:"schemas"`
	Status   string   `json:"status"`
	ScimType scimType `json:"scimType,omitempty"`
	Detail   string   `json:"detail"`
}

// writeFailure answers a request with an error.
func (s *Server) writeFailure(c *gin.Context, err error) {
	kind, _ := errors.AsType[scimType](err)
	if administration.IsUniqueness(err) {
		kind = uniqueness
	}
	public, status := s.errs.Refuse(c, err)
	if kind == "" && status == http.StatusBadRequest {
		kind = invalidValue
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
