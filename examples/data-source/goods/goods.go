// Package goods answers for the data source GOODS: a short list of goods, by the engine contract.
package goods

import (
	"context"
	"slices"
	"strings"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
)

// TaskQueue is the queue that the manifest of the data source names.
const TaskQueue = "QUEUE_GOODS"

// The activities that the service calls.
const (
	QueryActivity    = "KuFlow_DataSource_RunQuery"
	ValidateActivity = "KuFlow_DataSource_ValidateValue"
)

// Item is one of the goods. Label is what people are shown.
type Item struct {
	ID    string  `json:"id"`
	Label string  `json:"label"`
	Price float64 `json:"price"`
}

func items() []Item {
	return []Item{
		{"01970000-0000-7000-8000-00000000d001", "Bolt M4", 0.2},
		{"01970000-0000-7000-8000-00000000d002", "Bolt M6", 0.3},
		{"01970000-0000-7000-8000-00000000d003", "Nut M4", 0.1},
		{"01970000-0000-7000-8000-00000000d004", "Washer M4", 0.05},
	}
}

// Query is what the service asks. PageNumber counts from 0.
type Query struct {
	TenantID   string         `json:"tenantId"`
	Code       string         `json:"code"`
	Query      string         `json:"query"`
	Filter     string         `json:"filter"`
	PageNumber int            `json:"pageNumber"`
	PageSize   int            `json:"pageSize"`
	Context    map[string]any `json:"context"`
}

// Page is what is answered: a page of the items, or an error for people to read.
type Page struct {
	PageNumber    int    `json:"pageNumber"`
	PageSize      int    `json:"pageSize"`
	TotalElements int    `json:"totalElements"`
	TotalPages    int    `json:"totalPages"`
	Items         []Item `json:"items"`
	Error         string `json:"error,omitempty"`
}

// RunQuery finds the goods whose label contains what was typed.
func RunQuery(_ context.Context, q Query) (Page, error) {
	if q.PageSize < 1 || q.PageNumber < 0 {
		return Page{}, temporal.NewNonRetryableApplicationError("a page is required", "validation", nil)
	}
	if q.Filter != "" {
		return Page{Error: "goods cannot be filtered"}, nil
	}
	found := []Item{}
	for _, item := range items() {
		if strings.Contains(strings.ToLower(item.Label), strings.ToLower(strings.TrimSpace(q.Query))) {
			found = append(found, item)
		}
	}
	first := min(q.PageNumber*q.PageSize, len(found))
	return Page{
		PageNumber: q.PageNumber, PageSize: q.PageSize, TotalElements: len(found),
		TotalPages: (len(found) + q.PageSize - 1) / q.PageSize,
		Items:      found[first:min(first+q.PageSize, len(found))],
	}, nil
}

// Check is what the service asks about references in a value that is saved.
type Check struct {
	TenantID string   `json:"tenantId"`
	Code     string   `json:"code"`
	Values   []string `json:"values"`
}

// Verdicts are what is answered: one for each of the values, in their order, or an error.
type Verdicts struct {
	Validations []Verdict `json:"validations"`
	Error       string    `json:"error,omitempty"`
}

// Verdict says whether a value is one of the goods. Message is for people.
type Verdict struct {
	Valid   bool   `json:"valid"`
	Message string `json:"message,omitempty"`
}

// ValidateValue accepts references whose id is that of one of the goods.
func ValidateValue(_ context.Context, c Check) (Verdicts, error) {
	verdicts := Verdicts{Validations: make([]Verdict, len(c.Values))}
	for i, value := range c.Values {
		id := idOf(value)
		known := slices.ContainsFunc(items(), func(item Item) bool { return strings.EqualFold(item.ID, id) })
		if verdicts.Validations[i].Valid = known; !known {
			verdicts.Validations[i].Message = "there are no such goods"
		}
	}
	return verdicts, nil
}

// idOf is the id in a reference, "" when there is none.
func idOf(value string) string {
	_, parts, _ := strings.Cut(value, ":")
	for part := range strings.SplitSeq(parts, ";") {
		if id, ok := strings.CutPrefix(strings.TrimSpace(part), "id="); ok {
			return id
		}
	}
	return ""
}

// Register makes the activities known to a worker.
func Register(w worker.Registry) {
	w.RegisterActivityWithOptions(ValidateValue, activity.RegisterOptions{Name: ValidateActivity})
	w.RegisterActivityWithOptions(RunQuery, activity.RegisterOptions{Name: QueryActivity})
}
