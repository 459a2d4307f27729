package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/procession-dev/procession/devstack/demo"
)

const (
	// listTime bounds the time spent on one kind of list.
	listTime = 20 * time.Second
	// unknownTotal stands for the total of a list that grows.
	unknownTotal = -1
	// visibleToInitiator is a condition for the items that Carol sees: she has initiated all loans.
	visibleToInitiator = `EXISTS (SELECT FROM processes p WHERE p.id = process_items.process_id AND p.process_definition_code = 'LOAN')
   AND item_definition_id IN (SELECT item_definition_id FROM item_definition_grants WHERE grantee_id IS NULL)`
)

// measureLists measures B21 with true totals, one request at a time.
func (b *bench) measureLists(ctx context.Context) error {
	if err := b.loadInitiators(ctx); err != nil {
		return err
	}
	loaded := 0
	for _, items := range b.items {
		fmt.Fprintf(b.progress, "  loading %d items\n", items)
		if err := b.loadList(ctx, loaded, items); err != nil {
			return err
		}
		loaded = items
		if err := b.measureList(ctx, items); err != nil {
			return err
		}
	}
	return b.measureListsAmidWrites(ctx, loaded)
}

func (b *bench) measureList(ctx context.Context, items int) error {
	process := subjectID(kindListProcess, 0, items/2/10*10).String()
	for _, list := range []struct {
		name, query string
		who         demo.Account
		condition   string
	}{
		{"manager, as it comes", "", demo.Alice(), "true"},
		{"manager, newest first", "&sort=createdAt,desc", demo.Alice(), "true"},
		{"manager, last changed first", "&sort=lastModifiedAt,desc", demo.Alice(), "true"},
		{"manager, last claimed first", "&sort=claimedAt,desc", demo.Alice(), "true"},
		{"manager, first completed first", "&sort=completedAt", demo.Alice(), "true"},
		{"manager, last cancelled first", "&sort=cancelledAt,desc", demo.Alice(), "true"},
		{"manager, open tasks", "&taskState=READY", demo.Alice(), "task_state = 'READY'"},
		{"manager, one process", "&processId=" + process, demo.Alice(), "process_id = '" + process + "'"},
		{"candidate of 1 %", "", demo.Bob(), "item_definition_code = 'APPROVE_LOAN'"},
		{"candidate of 1 %, newest first", "&sort=createdAt,desc", demo.Bob(), "item_definition_code = 'APPROVE_LOAN'"},
		{"initiator of 1 %", "", demo.Carol(), visibleToInitiator},
		{"initiator of 1 %, newest first", "&sort=createdAt,desc", demo.Carol(), visibleToInitiator},
	} {
		total, err := b.countRows(ctx, "SELECT count(*) FROM process_items WHERE "+list.condition)
		if err != nil {
			return err
		}
		took, err := b.timeList(ctx, list.who, "/process-items?size=25"+list.query, total)
		if err != nil {
			return err
		}
		b.report.add(row{
			measure: fmt.Sprintf("list, %s items, %s", formatThousands(items), list.name),
			value:   formatLatency(took),
			beside:  fmt.Sprintf("total %d", total),
		})
		fmt.Fprintf(b.progress, "  %s: %s\n", list.name, formatLatency(took))
	}
	return b.measureProcessLists(ctx, items)
}

// measureProcessLists measures lists of processes of a manager and of a candidate for items.
func (b *bench) measureProcessLists(ctx context.Context, items int) error {
	for _, list := range []struct {
		name      string
		who       demo.Account
		condition string
	}{
		{"manager, processes", demo.Alice(), "true"},
		{"candidate of 1 %, processes", demo.Bob(), "process_definition_code = 'LOAN'"},
	} {
		total, err := b.countRows(ctx, "SELECT count(*) FROM processes WHERE "+list.condition)
		if err != nil {
			return err
		}
		took, err := b.timeList(ctx, list.who, "/processes?size=25&sort=createdAt,desc", total)
		if err != nil {
			return err
		}
		b.report.add(row{
			measure: fmt.Sprintf("list, %s items, %s", formatThousands(items), list.name),
			value:   formatLatency(took),
			beside:  fmt.Sprintf("total %d", total),
		})
		fmt.Fprintf(b.progress, "  %s: %s\n", list.name, formatLatency(took))
	}
	return nil
}

// timeList times the first page and checks that the total is true.
func (b *bench) timeList(ctx context.Context, who demo.Account, path string, total int64) ([]time.Duration, error) {
	c, err := b.dial(ctx, who)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var took []time.Duration
	end := time.Now().Add(listTime)
	for n := 0; n <= b.requests && (time.Now().Before(end) || n < 2); n++ {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("listing: %w", err)
		}
		start := time.Now()
		body, err := c.callAPI(http.MethodGet, path, "", http.StatusOK)
		if err != nil {
			return nil, err
		}
		if n > 0 { // the first one warms up
			took = append(took, time.Since(start))
		}
		var page struct {
			Content  []json.RawMessage `json:"content"`
			Metadata struct {
				TotalElements int64 `json:"totalElements"`
			} `json:"metadata"`
		}
		if err := json.Unmarshal(body, &page); err != nil {
			return nil, fmt.Errorf("reading a page: %w", err)
		}
		if total == unknownTotal {
			continue
		}
		if page.Metadata.TotalElements != total || int64(len(page.Content)) != min(25, total) {
			return nil, fmt.Errorf("list %q: a page of %d of %d, not of %d", path,
				len(page.Content), page.Metadata.TotalElements, total)
		}
	}
	return took, nil
}

func formatThousands(n int) string {
	if n%1_000_000 == 0 {
		return fmt.Sprintf("%d M", n/1_000_000)
	}
	return fmt.Sprintf("%d k", n/1_000)
}
