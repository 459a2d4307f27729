-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "5"
-- $4 = "5"
-- $5 = ["01970000-0000-7000-8000-00000000a001"]
-- $6 = "amount"
-- $7 = "2026-01-01"
-- $8 = "2026-01-02"
-- $9 = "2026-01-01"
-- $10 = "2026-01-02"
-- $11 = ["01970000-0000-7000-8000-00000000a001"]
-- $12 = "since"
-- $13 = 25
-- $14 = 0
SELECT p.id, p.tenant_id, p.process_definition_id, p.process_version, p.process_definition_code,
       p.state, p.initiator_id, p.created_by, p.created_at, p.last_modified_by, p.last_modified_at,
       p.deleted_at, p.deleted_by
  FROM processes p
 WHERE p.tenant_id = $2
   AND {access.VisibleProcess}
   AND p.deleted_at IS NULL
   AND p.id IN (SELECT x.process_id FROM process_index x
          WHERE x.process_definition_id = ANY(ARRAY(SELECT f.process_definition_id FROM process_definition_indexes f
                                                     WHERE f.tenant_id = ANY($5) AND f.field = $6))
            AND x.field = $6 AND ((x.text_value >= $3) OR (x.number_value >= $4::text::numeric)))
   AND p.id IN (SELECT x.process_id FROM process_index x
          WHERE x.process_definition_id = ANY(ARRAY(SELECT f.process_definition_id FROM process_definition_indexes f
                                                     WHERE f.tenant_id = ANY($11) AND f.field = $12))
            AND x.field = $12 AND ((x.text_value >= $7 AND x.text_value <= $8) OR (x.date_value >= $9::text::date AND x.date_value <= $10::text::date)))
 ORDER BY p.created_at, p.id
 LIMIT $13 OFFSET $14;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "5"
-- $4 = "5"
-- $5 = ["01970000-0000-7000-8000-00000000a001"]
-- $6 = "amount"
-- $7 = "2026-01-01"
-- $8 = "2026-01-02"
-- $9 = "2026-01-01"
-- $10 = "2026-01-02"
-- $11 = ["01970000-0000-7000-8000-00000000a001"]
-- $12 = "since"
SELECT count(*)
  FROM processes p
 WHERE p.tenant_id = $2
   AND {access.VisibleProcess}
   AND p.deleted_at IS NULL
   AND p.id IN (SELECT x.process_id FROM process_index x
          WHERE x.process_definition_id = ANY(ARRAY(SELECT f.process_definition_id FROM process_definition_indexes f
                                                     WHERE f.tenant_id = ANY($5) AND f.field = $6))
            AND x.field = $6 AND ((x.text_value >= $3) OR (x.number_value >= $4::text::numeric)))
   AND p.id IN (SELECT x.process_id FROM process_index x
          WHERE x.process_definition_id = ANY(ARRAY(SELECT f.process_definition_id FROM process_definition_indexes f
                                                     WHERE f.tenant_id = ANY($11) AND f.field = $12))
            AND x.field = $12 AND ((x.text_value >= $7 AND x.text_value <= $8) OR (x.date_value >= $9::text::date AND x.date_value <= $10::text::date)));

-- $1 = ["01970000-0000-7000-8000-00000000a001"]
-- $2 = ["amount","since"]

SELECT DISTINCT f.field, f.type
  FROM process_definition_indexes f
 WHERE f.tenant_id = ANY($1) AND f.field = ANY($2)
 ORDER BY f.field, f.type;
