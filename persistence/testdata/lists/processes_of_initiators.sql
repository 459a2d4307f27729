-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "01970000-0000-7000-8000-000000000001"
-- $4 = ["alice@example.com"]
-- $5 = 25
SELECT p.id, p.tenant_id, p.process_definition_id, p.process_version, p.process_definition_code,
       p.state, p.initiator_id, p.created_by, p.created_at, p.last_modified_by, p.last_modified_at,
       p.deleted_at, p.deleted_by
  FROM processes p
 WHERE p.tenant_id = $2
   AND p.deleted_at IS NOT NULL
   AND {access.VisibleProcess}
   AND p.initiator_id = $3
   AND p.initiator_id IN (SELECT u.id FROM principals u
          WHERE email_key(u.email) = ANY(SELECT email_key(e) FROM unnest($4::text[]) e))
 ORDER BY p.id
 LIMIT $5::bigint;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "01970000-0000-7000-8000-000000000001"
-- $4 = ["alice@example.com"]
SELECT count(*)
  FROM processes p
 WHERE p.tenant_id = $2
   AND p.deleted_at IS NOT NULL
   AND {access.VisibleProcess}
   AND p.initiator_id = $3
   AND p.initiator_id IN (SELECT u.id FROM principals u
          WHERE email_key(u.email) = ANY(SELECT email_key(e) FROM unnest($4::text[]) e));
