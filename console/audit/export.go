package audit

import (
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

const (
	// maxExported bounds the records of an export.
	maxExported = 10_000
	// exportedAtOnce is the number of records in one read.
	exportedAtOnce = 500
)

// ExportCSV offers the listed records as comma-separated values.
func (s *Screens) ExportCSV(v *web.Visit) (*web.Answer, error) {
	head := []string{"id", "occurredAt", "tenant", "actorId", "actor", "type", "resourceKind", "resourceId", "processId", "previousState", "state", "requestId", "details"}
	each, err := s.exportRecords(v)
	if err != nil {
		return nil, err
	}
	return web.CSV("audit.csv", head, func(add func(...string) error) error {
		return each(func(r *domain.AuditRecord) error {
			return add(
				r.ID.String(), r.OccurredAt.UTC().Format(time.RFC3339Nano), r.TenantCode, r.ActorID.String(), r.ActorName,
				string(r.Type), string(r.ResourceKind), r.ResourceID.String(), idText(r.ProcessID), r.PreviousState, r.State,
				r.RequestID, detailsText(r.Details),
			)
		})
	}), nil
}

// record is a record as JSON, with the names of the administration API.
type record struct {
	ID            uuid.UUID         `json:"id"`
	OccurredAt    time.Time         `json:"occurredAt"`
	Tenant        string            `json:"tenant,omitempty"`
	ActorID       uuid.UUID         `json:"actorId"`
	Actor         string            `json:"actor,omitempty"`
	Type          string            `json:"type"`
	ResourceKind  string            `json:"resourceKind"`
	ResourceID    uuid.UUID         `json:"resourceId"`
	ProcessID     uuid.UUID         `json:"processId,omitzero"`
	PreviousState string            `json:"previousState,omitempty"`
	State         string            `json:"state,omitempty"`
	RequestID     string            `json:"requestId,omitempty"`
	Details       map[string]string `json:"details,omitempty"`
}

// ExportJSON offers the listed records as JSON, one in each line.
func (s *Screens) ExportJSON(v *web.Visit) (*web.Answer, error) {
	each, err := s.exportRecords(v)
	if err != nil {
		return nil, err
	}
	return web.File("audit.jsonl", "application/jsonl", func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		return each(func(r *domain.AuditRecord) error {
			return encoder.Encode(record{
				ID: r.ID, OccurredAt: r.OccurredAt.UTC(), Tenant: r.TenantCode, ActorID: r.ActorID, Actor: r.ActorName,
				Type: string(r.Type), ResourceKind: string(r.ResourceKind), ResourceID: r.ResourceID, ProcessID: r.ProcessID,
				PreviousState: r.PreviousState, State: r.State, RequestID: r.RequestID, Details: r.Details,
			})
		})
	}), nil
}

// exportRecords returns a function that visits the first maxExported of the matching records.
func (s *Screens) exportRecords(v *web.Visit) (func(visit func(*domain.AuditRecord) error) error, error) {
	filter, err := parseFilter(v.Context(), v.Query(filterNames()...))
	if err != nil {
		return nil, err
	}
	return func(visit func(*domain.AuditRecord) error) error {
		part := administration.EventRange{NewestFirst: true, Limit: exportedAtOnce}
		for range maxExported / exportedAtOnce {
			records, err := s.Administration.FindAuditRecords(v.Context(), v.Call, filter, part)
			if err != nil {
				return err
			}
			for i := range records {
				if err := visit(&records[i]); err != nil {
					return err
				}
			}
			if len(records) < exportedAtOnce {
				return nil
			}
			part.After = &records[len(records)-1].Cursor
		}
		return nil
	}, nil
}

func idText(id uuid.UUID) string {
	if id == uuid.Nil {
		return ""
	}
	return id.String()
}

// detailsText returns the details in a line, in the order of their names.
func detailsText(details map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(details)) {
		parts = append(parts, name+"="+details[name])
	}
	return strings.Join(parts, " ")
}
