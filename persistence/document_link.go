package persistence

import (
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
)

// Links maps values to the documents they refer to.
type Links map[domain.ValueHolder][]uuid.UUID

const selectLinks = `
SELECT ` + documentColumns + `, l.holder_id, l.slot
  FROM document_links l
  JOIN documents d ON d.id = l.document_id
 WHERE l.holder_id = $1`

func (t *Targets) scanLinks(rows pgx.Rows) error {
	for rows.Next() {
		var h domain.ValueHolder
		var d domain.Document
		var digest []byte
		if err := rows.Scan(append(documentFields(&d, &digest), &h.ID, &h.Slot)...); err != nil {
			return err
		}
		copy(d.SHA256[:], digest)
		t.Links[h] = append(t.Links[h], d.ID)
		t.Add(d)
	}
	return rows.Err()
}

const (
	// Transactions that link and unlink one document are serialized from here on, so that the later one reads
	// the writes of the earlier one.
	lockLinkedDocuments = `
SELECT d.id
  FROM documents d
 WHERE d.id = ANY($1)
 ORDER BY d.id
   FOR NO KEY UPDATE`

	insertLinks = `
INSERT INTO document_links (holder_id, slot, document_id, tenant_id)
SELECT $1, $2, l.id, (SELECT d.tenant_id FROM documents d WHERE d.id = l.id)
  FROM unnest($3::uuid[]) l (id)`

	keepLinkedDocuments = `
UPDATE documents
   SET expires_at = NULL
 WHERE id = ANY($1) AND expires_at IS NOT NULL`

	deleteLinks = `
DELETE FROM document_links
 WHERE holder_id = $1 AND slot = $2 AND document_id = ANY($3)`

	expireUnlinkedDocuments = `
UPDATE documents d
   SET expires_at = $2
 WHERE d.id = ANY($1) AND NOT EXISTS (SELECT 1 FROM document_links l WHERE l.document_id = d.id)`
)

// Link stores the documents that a value refers to, given the earlier ones. Documents with
// references do not expire; others expire at expiry. The resource that has the value is new or under
// lock.
func (tx *Tx) Link(h domain.ValueHolder, before, after []uuid.UUID, expiry time.Time) {
	added, removed := subtractIDs(after, before), subtractIDs(before, after)
	if len(added)+len(removed) == 0 {
		return
	}
	tx.queue(lockLinkedDocuments, slices.Concat(added, removed))
	if len(added) > 0 {
		tx.queue(insertLinks, h.ID, h.Slot, added)
		tx.queue(keepLinkedDocuments, added)
	}
	if len(removed) > 0 {
		tx.queue(deleteLinks, h.ID, h.Slot, removed)
		tx.queue(expireUnlinkedDocuments, removed, expiry)
	}
}

// subtractIDs returns the members of ids that are not in others, each once.
func subtractIDs(ids, others []uuid.UUID) []uuid.UUID {
	var rest []uuid.UUID
	seen := make(map[uuid.UUID]bool, len(ids)+len(others))
	for _, id := range others {
		seen[id] = true
	}
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			rest = append(rest, id)
		}
	}
	return rest
}
