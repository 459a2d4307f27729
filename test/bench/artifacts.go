package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/procession-dev/procession/devstack/demo"
)

// searchTarget is the longest time for a search that finds a hundredth of the artifacts or fewer.
const searchTarget = 10 * time.Millisecond

// Names are unique; tier, balance and since are spread evenly: a third is GOLD,
// balances are all but unique, dates are of 9,000 days. Artifacts are changed in
// another order than they are made.
const (
	loadArtifacts = `
INSERT INTO business_artifacts (id, tenant_id, definition_id, definition_code, data, data_valid,
                                created_by, created_at, last_modified_by, last_modified_at)
SELECT ($1::text || $4 + n)::uuid, r.tenant_id, r.id, r.code,
       json_build_object('name', 'Customer ' || n, 'tier', CASE WHEN n % 3 = 0 THEN 'GOLD' ELSE 'SILVER' END,
                         'balance', (n * 7919 % 1000003) / 100.0, 'since', date '2000-01-01' + (n * 31 % 9000)::integer),
       true, $2, timestamptz '2026-01-01Z' + n * interval '1 second',
       $2, timestamptz '2026-01-01Z' + (n * 7919 % 1000003) * interval '1 second'
  FROM generate_series(1, $5::bigint) n
  JOIN resources r ON r.kind = 'BusinessArtifactDefinition' AND r.tenant_id = $3 AND r.code = 'CUSTOMER'`

	loadArtifactIndex = `
INSERT INTO business_artifact_index (business_artifact_id, tenant_id, definition_id, created_at, field, text_value, text_folded,
                                     number_value, date_value)
SELECT a.id, a.tenant_id, a.definition_id, a.created_at, f.field,
       CASE WHEN f.type = 'STRING' THEN a.data ->> f.field END,
       CASE WHEN f.type = 'STRING' AND upper(a.data ->> f.field) <> a.data ->> f.field THEN upper(a.data ->> f.field) END,
       CASE WHEN f.type = 'NUMBER' THEN (a.data ->> f.field)::numeric END,
       CASE WHEN f.type = 'DATE' THEN (a.data ->> f.field)::date END
  FROM business_artifacts a,
       (VALUES ('name', 'STRING'), ('tier', 'STRING'), ('balance', 'NUMBER'), ('since', 'DATE')) AS f (field, type)
 WHERE $1 <> '' AND $2::uuid IS NOT NULL AND a.tenant_id = $3 AND $4::bigint > 0 AND $5::bigint > 0`
)

// search is a list of artifacts. Fits is the condition in SQL for the artifacts
// that it has to find. A search is selective when
// it finds a hundredth of the artifacts or less, or all of them.
type search struct {
	name        string
	expressions []string
	sort        string
	fits        string
	selective   bool
}

func artifactSearches() []search {
	const thousandth = "(data ->> 'balance')::numeric BETWEEN 5000 AND 5009.99"
	return []search{
		{
			name: "one by its name", expressions: []string{"name eq Customer%20777"},
			fits: "data ->> 'name' = 'Customer 777'", selective: true,
		},
		{
			name: "1 ‰ by a range of numbers, as it comes", expressions: []string{"balance between 5000 5009.99"},
			fits: thousandth, selective: true,
		},
		{
			name: "the same, newest first", expressions: []string{"balance between 5000 5009.99"}, sort: "createdAt,desc",
			fits: thousandth, selective: true,
		},
		{
			name: "the same, last changed first", expressions: []string{"balance between 5000 5009.99"}, sort: "lastModifiedAt,desc",
			fits: thousandth, selective: true,
		},
		{
			name: "one day of 9,000, last changed first", expressions: []string{"since eq 2010-05-05"}, sort: "lastModifiedAt,desc",
			fits: "data ->> 'since' = '2010-05-05'", selective: true,
		},
		{
			name: "1 ‰ and a third, newest first", expressions: []string{"tier eq GOLD", "balance between 5000 5009.99"},
			sort: "createdAt,desc", fits: thousandth + " AND data ->> 'tier' = 'GOLD'", selective: true,
		},
		{
			name: "1 ‰ and a part of the name, newest first", expressions: []string{"name contains R%207", "balance between 5000 5009.99"},
			sort: "createdAt,desc", fits: thousandth + " AND data ->> 'name' LIKE '%r 7%'", selective: true,
		},
		{
			name: "1 % by a range of dates, newest first", expressions: []string{"since between 2010-01-01 2010-03-31"},
			sort: "createdAt,desc", fits: "(data ->> 'since')::date BETWEEN '2010-01-01' AND '2010-03-31'", selective: true,
		},
		{
			name: "the same, last changed first", expressions: []string{"since between 2010-01-01 2010-03-31"},
			sort: "lastModifiedAt,desc", fits: "(data ->> 'since')::date BETWEEN '2010-01-01' AND '2010-03-31'", selective: true,
		},
		{
			name: "a third, newest first", expressions: []string{"tier eq GOLD"}, sort: "createdAt,desc",
			fits: "data ->> 'tier' = 'GOLD'",
		},
		{
			name: "a third, last changed first", expressions: []string{"tier eq GOLD"}, sort: "lastModifiedAt,desc",
			fits: "data ->> 'tier' = 'GOLD'",
		},
		{name: "a part of the name", expressions: []string{"name contains R%20777"}, fits: "data ->> 'name' LIKE '%r 777%'", selective: true},
		{name: "all, newest first", sort: "createdAt,desc", fits: "true", selective: true},
	}
}

func (s search) requestPath() string {
	query := url.Values{"size": {"25"}, "value": s.expressions}
	if s.sort != "" {
		query.Set("sort", s.sort)
	}
	return "/business-artifacts?" + query.Encode()
}

// measureArtifacts measures B34 with true totals, one request at a time.
func (b *bench) measureArtifacts(ctx context.Context) error {
	fmt.Fprintf(b.progress, "  loading %d business artifacts\n", b.artifacts)
	err := b.inOne(ctx, []any{
		idPrefix(kindArtifact), demo.Alice().ID, demo.TenantDemo(), int64(subjectBase), b.artifacts,
	}, loadArtifacts, loadArtifactIndex)
	if err != nil {
		return err
	}
	if _, err := b.pool.Exec(ctx, recount); err != nil {
		return fmt.Errorf("counting: %w", err)
	}
	for _, table := range []string{"business_artifacts", "business_artifact_index"} {
		if _, err := b.pool.Exec(ctx, "VACUUM (ANALYZE) "+table); err != nil {
			return fmt.Errorf("vacuuming: %w", err)
		}
	}
	for _, s := range artifactSearches() {
		if err := b.measureSearch(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

func (b *bench) measureSearch(ctx context.Context, s search) error {
	total, err := b.countRows(ctx, "SELECT count(*) FROM business_artifacts WHERE "+s.fits)
	if err != nil {
		return err
	}
	took, err := b.timeSearch(ctx, s, total)
	if err != nil {
		return err
	}
	result := row{
		measure: fmt.Sprintf("search, %s artifacts, %s", formatThousands(b.artifacts), s.name),
		value:   formatLatency(took), beside: fmt.Sprintf("total %d", total),
	}
	if s.selective {
		result.limit, result.missed = "p99 ≤ "+formatMilliseconds(searchTarget), percentileOf(took, 0.99) > searchTarget
	}
	b.report.add(result)
	fmt.Fprintf(b.progress, "  %s: %s\n", s.name, formatLatency(took))
	return nil
}

// timeSearch times the first page and checks that the total is true.
func (b *bench) timeSearch(ctx context.Context, s search, total int64) ([]time.Duration, error) {
	c, err := b.dial(ctx, demo.Alice())
	if err != nil {
		return nil, err
	}
	defer c.Close()
	// A hundred and one at least, so that the 99th percentile is not just the worst.
	requests := max(b.requests, 300)
	var took []time.Duration
	end := time.Now().Add(listTime)
	for n := 0; n <= requests && (time.Now().Before(end) || n < 2); n++ {
		start := time.Now()
		body, err := c.callAPI(http.MethodGet, s.requestPath(), "", http.StatusOK)
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
		if page.Metadata.TotalElements != total || int64(len(page.Content)) != min(25, total) {
			return nil, fmt.Errorf("a page of %d artifacts of %d, not of %d", len(page.Content), page.Metadata.TotalElements, total)
		}
	}
	return took, ctx.Err()
}
