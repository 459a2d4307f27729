package persistence

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
)

// Names are what resources that name others are shown with: principals, and the
// names of versions of definitions of processes and of items.
type Names struct {
	Principals map[uuid.UUID]domain.Principal
	Versions   map[uuid.UUID]string
}

const (
	selectPrincipalsByID = `
SELECT p.id, p.type, p.name, coalesce(p.email, '')
  FROM principals p
 WHERE p.id = ANY($1)`

	selectProcessVersionNames = `
SELECT v.version, v.name
  FROM process_definition_versions v
 WHERE v.version = ANY($1)`

	selectItemVersionNames = `
SELECT v.version, v.name
  FROM item_definition_versions v
 WHERE v.version = ANY($1)`
)

// GetNames returns the names of what resources that a caller sees refer to:
// principals, whatever has become of them since, and versions of definitions of
// processes or of items.
func (r *Reader) GetNames(ctx context.Context, principals, processVersions, itemVersions []uuid.UUID) (Names, error) {
	names := Names{Principals: map[uuid.UUID]domain.Principal{}, Versions: map[uuid.UUID]string{}}
	queries := []query{{selectPrincipalsByID, []any{principals}, func(rows pgx.Rows) error {
		found, err := pgx.CollectRows(rows, scanPrincipal)
		for _, p := range found {
			names.Principals[p.ID] = p
		}
		return err
	}}}
	for sql, versions := range map[string][]uuid.UUID{
		selectProcessVersionNames: processVersions, selectItemVersionNames: itemVersions,
	} {
		if len(versions) == 0 {
			continue
		}
		queries = append(queries, query{sql, []any{versions}, func(rows pgx.Rows) error {
			var version uuid.UUID
			var name string
			_, err := pgx.ForEachRow(rows, []any{&version, &name}, func() error {
				names.Versions[version] = name
				return nil
			})
			return err
		}})
	}
	return names, translate("reading names", r.read(ctx, queries...))
}
