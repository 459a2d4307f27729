// Package goods answers for the data source GOODS: a short list of goods.
package goods

import (
	"context"
	"slices"
	"strings"

	"github.com/procession-dev/procession/sdk"
)

// TaskQueue is the queue that the manifest of the data source names.
const TaskQueue = "QUEUE_GOODS"

// Item is a good with its display name.
type Item struct {
	ID    string  `json:"id"`
	Label string  `json:"label"`
	Price float64 `json:"price"`
}

func allItems() []Item {
	return []Item{
		{"01970000-0000-7000-8000-00000000d001", "Bolt M4", 0.2},
		{"01970000-0000-7000-8000-00000000d002", "Bolt M6", 0.3},
		{"01970000-0000-7000-8000-00000000d003", "Nut M4", 0.1},
		{"01970000-0000-7000-8000-00000000d004", "Washer M4", 0.05},
	}
}

// Register registers the data source with a worker, for every data source that has the worker's queue.
func Register(w *procession.Worker) error {
	procession.RegisterDataSource(w, "", procession.DataSource[Item]{Query: Query, Validate: Validate})
	return nil
}

// Query returns the goods with the typed text in their label.
func Query(_ context.Context, q procession.DataSourceQuery) (procession.DataSourcePage[Item], error) {
	if q.Filter != "" {
		return procession.DataSourcePage[Item]{Error: "goods cannot be filtered"}, nil
	}
	var found []Item
	for _, item := range allItems() {
		if strings.Contains(strings.ToLower(item.Label), strings.ToLower(strings.TrimSpace(q.Query))) {
			found = append(found, item)
		}
	}
	first := min(q.PageNumber*q.PageSize, len(found))
	return procession.DataSourcePage[Item]{
		TotalElements: len(found), Items: found[first:min(first+q.PageSize, len(found))],
	}, nil
}

// Validate accepts references to existing goods.
func Validate(_ context.Context, c procession.DataSourceCheck) (procession.DataSourceVerdicts, error) {
	verdicts := make([]procession.DataSourceVerdict, len(c.Values))
	for i, value := range c.Values {
		id := procession.ReferenceID(value)
		verdicts[i].Valid = slices.ContainsFunc(allItems(), func(item Item) bool { return strings.EqualFold(item.ID, id) })
		if !verdicts[i].Valid {
			verdicts[i].Message = "there are no such goods"
		}
	}
	return procession.DataSourceVerdicts{Validations: verdicts}, nil
}
