package persistence_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/filter"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// seedArtifacts creates 26,000 artifacts, which changed in another order than they were created. The oldest 21,000 are GOLD;
// the artifacts that changed last share a date with no others.
const (
	seedArtifacts = `
INSERT INTO business_artifacts (id, tenant_id, definition_id, definition_code, data, data_valid,
                                created_by, created_at, last_modified_by, last_modified_at)
SELECT gen_random_uuid(), r.tenant_id, r.id, r.code,
       json_build_object('name', 'Customer ' || n, 'tier', CASE WHEN n <= 21000 THEN 'GOLD' ELSE 'SILVER' END, 'balance', n,
                         'since', CASE WHEN n * 7919 % 26003 > 24000 THEN date '2020-01-01' ELSE date '2000-01-01' + n % 3000 END),
       true, p.id, timestamptz '2026-01-01Z' + n * interval '1 second',
       p.id, timestamptz '2026-01-02Z' + (n * 7919 % 26003) * interval '1 second'
  FROM generate_series(1, 26000) n, resources r, principals p
 WHERE r.kind = 'BusinessArtifactDefinition' AND r.code = 'CUSTOMER' AND p.email LIKE 'alice@%'`

	seedArtifactIndex = `
INSERT INTO business_artifact_index (business_artifact_id, tenant_id, definition_id, created_at, field, text_value, text_folded, number_value, date_value)
SELECT a.id, a.tenant_id, a.definition_id, a.created_at, f.field,
       CASE WHEN f.field IN ('name', 'tier') THEN a.data ->> f.field END, CASE WHEN f.field = 'name' THEN upper(a.data ->> f.field) END,
       CASE WHEN f.field = 'balance' THEN (a.data ->> f.field)::numeric END, CASE WHEN f.field = 'since' THEN (a.data ->> f.field)::date END
  FROM business_artifacts a, unnest(ARRAY['name', 'tier', 'balance', 'since']) f (field)`
)

// Every plan of a search returns the page of a plain query over the data.
func TestArtifactSearchesFindWhatMatches(t *testing.T) { //nolint:funlen,tparallel // most of it is a table, and the searches share a connection
	t.Parallel()
	url := pgtest.URL(t)
	db := pgtest.Open(t, url)
	require.NoError(t, demo.Load(t.Context(), db, nil, time.Now()))
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	for _, statement := range []string{
		"DELETE FROM business_artifacts", seedArtifacts, seedArtifactIndex, "SELECT recount_lists()", "VACUUM ANALYZE business_artifact_index",
		"VACUUM ANALYZE business_artifacts", plainArtifacts,
	} {
		_, err = conn.Exec(t.Context(), statement)
		require.NoError(t, err)
	}
	var definition uuid.UUID
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT DISTINCT definition_id FROM business_artifacts").Scan(&definition))
	alice := domain.Caller{
		PrincipalID: demo.Alice().ID, Type: domain.PrincipalUser,
		Memberships: []domain.Membership{{TenantID: demo.TenantDemo(), Namespace: "demo"}},
	}
	search := func(expressions ...string) persistence.ArtifactFilter {
		f := persistence.ArtifactFilter{Indexed: []uuid.UUID{definition}}
		for _, text := range expressions {
			c, err := filter.Parse(text, map[string]filter.Type{
				"name": filter.String, "tier": filter.String, "balance": filter.Number, "since": filter.Date,
			})
			require.NoError(t, err)
			f.Criteria = append(f.Criteria, c)
		}
		return f
	}
	for fits, f := range map[string]persistence.ArtifactFilter{ //nolint:paralleltest // the searches share a connection
		"name = 'Customer 777'":               search("name eq Customer%20777"),
		"balance BETWEEN 10000 AND 12000":     search("balance between 10000 12000"),
		"balance BETWEEN 10000 AND 10100":     search("balance between 10000 10100"),
		"since = '2020-01-01'":                search("since eq 2020-01-01"),
		"since LIKE '%01-01%'":                search("since contains 01-01"),
		"tier = 'GOLD'":                       search("tier eq GOLD"),
		"tier = 'GOLD' AND balance < 500":     search("tier eq GOLD", "balance le 499"),
		"tier = 'GOLD' AND name LIKE '%1%'":   search("tier eq GOLD", "name contains 1"),
		"name LIKE '%r 77%'":                  search("name contains R%2077"),
		"name LIKE '%omer%'":                  search("name contains OMER"),
		"balance::text LIKE '%777%'":          search("balance contains 777"),
		"name LIKE '%\\%%'":                   search("name contains %25"),
		"name LIKE '%777%'":                   {Search: " 777 "},
		"tier = 'GOLD' AND name LIKE '%777%'": searchToo(search("tier eq GOLD"), "777"),
	} {
		t.Run(fits, func(t *testing.T) {
			var total int64
			require.NoError(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM plain_artifacts WHERE "+fits).Scan(&total))
			for _, order := range []string{"createdAt", "lastModifiedAt"} {
				for _, descending := range []bool{false, true} {
					for _, page := range []domain.PageRequest{{Size: 25}, {Size: 25, Number: 3}, {Size: 10, Number: 2050}} {
						sort := []domain.SortKey{{Property: order, Descending: descending}}
						found, _, err := db.Reader().ListBusinessArtifacts(t.Context(), alice, f, page, sort)
						require.NoError(t, err)
						require.Equal(t, plainPage(t, conn, fits, page, sort[0]), idsOf(found.Items), "%v %v", page, sort)
						requireTotal(t, total, found)
					}
				}
			}
			found, _, err := db.Reader().ListBusinessArtifacts(t.Context(), alice, f, domain.PageRequest{}, nil)
			require.NoError(t, err)
			requireTotal(t, total, found)
		})
	}
	t.Run("a part of a text is read along its index", func(t *testing.T) {
		read := rowsRead(t, url, conn, "business_artifact_index", func(r *persistence.Reader) {
			_, _, err := r.ListBusinessArtifacts(t.Context(), alice, search("name contains R%20777"), domain.PageRequest{Size: 25}, nil)
			require.NoError(t, err)
		})
		require.LessOrEqual(t, read, int64(1000))
	})
}

// plainArtifacts copies the artifacts into a table with their members as columns.
const plainArtifacts = `
CREATE TEMP TABLE plain_artifacts AS
SELECT id, created_at, last_modified_at, data ->> 'name' AS name, data ->> 'tier' AS tier, (data ->> 'balance')::int AS balance, data ->> 'since' AS since
  FROM business_artifacts`

func plainPage(t *testing.T, conn *pgx.Conn, fits string, page domain.PageRequest, order domain.SortKey) []uuid.UUID {
	t.Helper()
	column := map[string]string{"createdAt": "created_at", "lastModifiedAt": "last_modified_at"}[order.Property]
	if order.Descending {
		column += " DESC"
	}
	rows, err := conn.Query(t.Context(), fmt.Sprintf("SELECT id FROM plain_artifacts WHERE %s ORDER BY %s, id LIMIT %d OFFSET %d",
		fits, column, page.Size, page.Number*page.Size))
	require.NoError(t, err)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	require.NoError(t, err)
	return ids
}

func idsOf(artifacts []domain.BusinessArtifact) []uuid.UUID {
	ids := make([]uuid.UUID, len(artifacts))
	for i, a := range artifacts {
		ids[i] = a.ID
	}
	return ids
}

// requireTotal requires the total to be true, or to be a lower bound beyond the page that says so.
func requireTotal(t *testing.T, total int64, found domain.Page[domain.BusinessArtifact]) {
	t.Helper()
	if !found.TotalIsLowerBound {
		require.Equal(t, total, found.Total)
		return
	}
	require.LessOrEqual(t, found.Total, total)
	require.Greater(t, found.Total, max(20_000, int64(found.Number+1)*int64(found.Size)))
}

func searchToo(f persistence.ArtifactFilter, text string) persistence.ArtifactFilter {
	f.Search = text
	return f
}
