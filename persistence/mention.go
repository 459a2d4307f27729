package persistence

import (
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// namesakes bounds the people of a tenant that one key of a mention is compared with.
const namesakes = "20"

// resolveMentions stores the people with the keys $2 that may read message $1. A key of several of them mentions none.
const resolveMentions = `
WITH keys AS (
    SELECT DISTINCT email_key(k.key) AS key FROM unnest($2::text[]) AS k (key)
), readers AS (
    SELECT k.key, n.id
      FROM process_items i
      JOIN processes p ON p.id = i.process_id
     CROSS JOIN keys k
     CROSS JOIN LATERAL (
           (SELECT o.id
              FROM principals o
              JOIN tenant_users u ON u.principal_id = o.id AND u.tenant_id = i.tenant_id AND u.disabled_at IS NULL
             WHERE position('@' IN k.key) > 0 AND email_key(o.email) = k.key AND o.disabled_at IS NULL
             LIMIT ` + namesakes + `)
            UNION ALL
           (SELECT o.id
              FROM principals o
              JOIN tenant_users u ON u.principal_id = o.id AND u.tenant_id = i.tenant_id AND u.disabled_at IS NULL
             WHERE position('@' IN k.key) = 0 AND split_part(email_key(o.email), '@', 1) = k.key AND o.email IS NOT NULL
               AND o.disabled_at IS NULL
             LIMIT ` + namesakes + `)) n
     WHERE i.id = $1
       AND `

// mentionResolution is the statement of ResolveMentions.
//
//nolint:gochecknoglobals // a constant, of which a fragment is replaced
var mentionResolution = resolveMentions + access.For("n.id", access.VisibleItem) + ` AND ` + access.For("n.id", access.VisibleProcess) + `
)
UPDATE process_items i
   SET mentions = m.ids
  FROM (SELECT array_agg(DISTINCT r.id) AS ids
          FROM readers r
         WHERE (SELECT count(DISTINCT s.id) FROM readers s WHERE s.key = r.key) = 1) m
 WHERE i.id = $1 AND i.mentions IS DISTINCT FROM m.ids
RETURNING i.mentions`

// ResolveMentions stores the people that a stored message mentions by keys of commonmark.Mentions, with the commit of the transaction.
func (tx *Tx) ResolveMentions(i *domain.ProcessItem, keys []string) {
	tx.QueueQuery(pg.Q(mentionResolution, []any{i.ID, keys}, func(rows pgx.Rows) error {
		return pg.IgnoreNoRows(pg.One(&i.Message.Mentions)(rows))
	}))
}
