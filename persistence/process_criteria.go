package persistence

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/filter"
	"github.com/procession-dev/procession/persistence/internal/listquery"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// metadataFilter is the part of a list that filters by the metadata of processes. Whether and with which type a
// member is indexed is only read together with the list, so each expression is matched as every type that it can
// have.
type metadataFilter struct {
	expressions []string
	fields      []string
	conditions  []listquery.Condition
	indexed     map[string][]filter.Type
}

const selectMetadataIndexes = `
SELECT DISTINCT f.field, f.type
  FROM process_definition_indexes f
 WHERE f.tenant_id = ANY($1) AND f.field = ANY($2)
 ORDER BY f.field, f.type`

// filterByMetadata keeps the processes with metadata that matches all expressions.
func filterByMetadata(caller domain.Caller, expressions []string) *metadataFilter {
	m := &metadataFilter{expressions: expressions}
	for _, text := range expressions {
		field, ok := fieldOf(text)
		if !ok {
			continue
		}
		m.fields = append(m.fields, field)
		var meets []listquery.Condition
		for _, t := range []filter.Type{filter.String, filter.Number, filter.Date} {
			if c, err := filter.Parse(text, map[string]filter.Type{field: t}); err == nil {
				meets = append(meets, listquery.Match("(%s)", matchCriterion("x", c)))
			}
		}
		if len(meets) == 0 {
			continue
		}
		m.conditions = append(m.conditions, listquery.Match(`p.id IN (SELECT x.process_id FROM process_index x
          WHERE x.process_definition_id = ANY(ARRAY(SELECT f.process_definition_id FROM process_definition_indexes f
                                                     WHERE f.tenant_id = ANY(%[1]s) AND f.field = %[2]s))
            AND x.field = %[2]s AND (%[3]s))`, caller.TenantIDs(), field, listquery.Join("OR", meets...)).OnRows())
	}
	return m
}

// queries returns the queries for verify, to be sent in the round trip of the list.
func (m *metadataFilter) queries(caller domain.Caller) []pg.Query {
	if len(m.fields) == 0 {
		return nil
	}
	return []pg.Query{pg.Q(selectMetadataIndexes, []any{caller.TenantIDs(), m.fields}, func(rows pgx.Rows) error {
		m.indexed = map[string][]filter.Type{}
		var field string
		var t filter.Type
		_, err := pgx.ForEachRow(rows, []any{&field, &t}, func() error {
			m.indexed[field] = append(m.indexed[field], t)
			return nil
		})
		return err
	})}
}

// verify returns a VALIDATION error unless each expression is indexed by some process definition of the caller's
// tenants. The list must be discarded then.
func (m *metadataFilter) verify() error {
	for _, text := range m.expressions {
		if err := m.fits(text); err != nil {
			return domain.InvalidField(domain.FieldMetadataFilter, err.Error())
		}
	}
	return nil
}

func (m *metadataFilter) fits(expression string) error {
	field, _ := fieldOf(expression)
	var failure error
	for _, t := range m.indexed[field] {
		_, err := filter.Parse(expression, map[string]filter.Type{field: t})
		if err == nil {
			return nil
		}
		failure = err
	}
	if failure == nil {
		_, failure = filter.Parse(expression, nil)
	}
	return failure
}

// fieldOf returns the name of the field that an expression begins with, and whether its syntax is valid.
func fieldOf(expression string) (string, bool) {
	encoded, _, _ := strings.Cut(expression, " ")
	field, err := url.PathUnescape(encoded)
	return field, err == nil && utf8.ValidString(field) && !strings.ContainsRune(field, 0)
}
