package procession

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"
)

// The activities by which the service asks data sources.
const (
	queryActivity    = "KuFlow_DataSource_RunQuery"
	validateActivity = "KuFlow_DataSource_ValidateValue"
)

// DataSource answers for the data source of one code. Item is one of its items, encoded as a JSON object with a member
// id.
type DataSource[Item any] struct {
	// Query returns a page of the items that were searched for.
	Query func(context.Context, DataSourceQuery) (DataSourcePage[Item], error)
	// Validate returns for each of the values, which are references to items, whether it may be saved. Nil accepts all.
	Validate func(context.Context, DataSourceCheck) (DataSourceVerdicts, error)
}

type (
	// DataSourceQuery is the query of a form. PageNumber counts from 0; PageSize is at least 1.
	DataSourceQuery struct {
		TenantID   uuid.UUID      `json:"tenantId"`
		Code       string         `json:"code"`
		Query      string         `json:"query"`
		Filter     string         `json:"filter"`
		PageNumber int            `json:"pageNumber"`
		PageSize   int            `json:"pageSize"`
		Context    map[string]any `json:"context"`
	}
	// DataSourcePage is a page of items, or an error for people to read. Query sets TotalElements and either Items or
	// Error; the rest follows from the query.
	DataSourcePage[Item any] struct {
		PageNumber    int    `json:"pageNumber"`
		PageSize      int    `json:"pageSize"`
		TotalElements int    `json:"totalElements"`
		TotalPages    int    `json:"totalPages"`
		Items         []Item `json:"items"`
		Error         string `json:"error,omitempty"`
	}
	// DataSourceCheck is a request to verify the references in a value.
	DataSourceCheck struct {
		TenantID uuid.UUID `json:"tenantId"`
		Code     string    `json:"code"`
		Values   []string  `json:"values"`
	}
	// DataSourceVerdicts has one verdict for each of the values, in their order, or an error for people to read.
	DataSourceVerdicts struct {
		Validations []DataSourceVerdict `json:"validations"`
		Error       string              `json:"error,omitempty"`
	}
	// DataSourceVerdict reports whether a value may be saved. Message is for people.
	DataSourceVerdict struct {
		Valid   bool   `json:"valid"`
		Message string `json:"message,omitempty"`
	}
)

// source is a DataSource without the type of its items.
type source struct {
	query    func(context.Context, DataSourceQuery) (any, error)
	validate func(context.Context, DataSourceCheck) (DataSourceVerdicts, error)
}

// RegisterDataSource registers s with the worker as the data source with that code. With an empty code it serves all data
// sources of the queue without a registration of their own. A worker with data sources only does not poll for workflows.
func RegisterDataSource[Item any](w *Worker, code string, s DataSource[Item]) {
	if w.sources == nil {
		w.sources = map[string]source{}
		RegisterActivity(w, queryActivity, func(ctx context.Context, q DataSourceQuery) (any, error) {
			if q.PageSize < 1 || q.PageNumber < 0 {
				return nil, temporal.NewNonRetryableApplicationError("a page is required", "validation", nil)
			}
			target, err := w.sourceOf(q.Code)
			if err != nil {
				return nil, err
			}
			return target.query(ctx, q)
		})
		RegisterActivity(w, validateActivity, func(ctx context.Context, c DataSourceCheck) (DataSourceVerdicts, error) {
			target, err := w.sourceOf(c.Code)
			if err != nil || target.validate == nil {
				return DataSourceVerdicts{Validations: acceptAll(len(c.Values))}, err
			}
			return target.validate(ctx, c)
		})
	}
	w.sources[code] = source{
		query: func(ctx context.Context, q DataSourceQuery) (any, error) {
			page, err := s.Query(ctx, q)
			page.PageNumber, page.PageSize = q.PageNumber, q.PageSize
			page.TotalPages = (page.TotalElements + q.PageSize - 1) / q.PageSize
			if page.Items == nil {
				page.Items = []Item{}
			}
			return page, err
		},
		validate: s.Validate,
	}
}

// sourceOf returns the data source with that code.
func (w *Worker) sourceOf(code string) (source, error) {
	found, ok := w.sources[code]
	if !ok {
		found, ok = w.sources[""]
	}
	if !ok {
		return found, temporal.NewNonRetryableApplicationError(fmt.Sprintf("no data source %.40q here", code), "validation", nil)
	}
	return found, nil
}

func acceptAll(n int) []DataSourceVerdict {
	verdicts := make([]DataSourceVerdict, n)
	for i := range verdicts {
		verdicts[i].Valid = true
	}
	return verdicts
}

// ReferenceID returns the id in a reference to an item of a data source, as DataSourceCheck.Values has them; "" when there is
// none.
func ReferenceID(reference string) string {
	_, parts, _ := strings.Cut(reference, ":")
	for part := range strings.SplitSeq(parts, ";") {
		if id, ok := strings.CutPrefix(strings.TrimSpace(part), "id="); ok {
			return id
		}
	}
	return ""
}
