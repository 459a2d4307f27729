package httpio

import (
	"context"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

// Record contains the facts about a request that its handlers report to the chain in front of them. It is not safe for
// concurrent use.
type Record struct {
	// Route is the pattern of the request's path, "" if no route matches.
	Route string
	// Kind and ID identify the resource that the path names, if it is one that denials are recorded for.
	Kind domain.EventResource
	ID   uuid.UUID
	// Denied reports whether the caller lacks the right to the requested operation.
	Denied bool
}

type recordKey struct{}

// WithRecord returns a context of a request with a new record.
func WithRecord(ctx context.Context) (context.Context, *Record) {
	record := &Record{}
	return context.WithValue(ctx, recordKey{}, record), record
}

// RecordOf returns the record of the request that ctx belongs to. Without one it returns a record that is not read.
func RecordOf(ctx context.Context) *Record {
	if record, ok := ctx.Value(recordKey{}).(*Record); ok {
		return record
	}
	return &Record{}
}

// Refuse records the error that a request is answered with.
func (r *Record) Refuse(err *domain.Error) {
	r.Denied = r.Denied || err != nil && err.Code == domain.CodeAccessDenied
}

// auditedPath returns the kind of the resources with ids after a segment of a path, "" if their refusals name none.
func auditedPath(segment string) domain.EventResource {
	return map[string]domain.EventResource{
		"processes": domain.ResourceProcess, "process-items": domain.ResourceItem, "tasks": domain.ResourceItem,
		"business-artifacts": domain.ResourceArtifact, "artifacts": domain.ResourceArtifact,
		"robots": domain.ConfiguredResource("Robot"),
	}[segment]
}

// RecordRoute is the middleware that records the route of a request and the resource that its path names.
func RecordRoute(c *gin.Context) {
	record := RecordOf(c.Request.Context())
	record.Route = c.FullPath()
	before, _, ok := strings.Cut(record.Route, "/:id")
	if !ok {
		return
	}
	kind := auditedPath(before[strings.LastIndexByte(before, '/')+1:])
	if id, err := uuid.Parse(c.Param("id")); err == nil && kind != "" {
		record.Kind, record.ID = kind, id
	}
}
