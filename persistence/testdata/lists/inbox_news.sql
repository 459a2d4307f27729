-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "2026-01-02T03:04:05Z"
-- $4 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
SELECT count(*)
  FROM process_items i
  JOIN processes p ON p.id = i.process_id
 WHERE i.tenant_id = $2
   AND i.deleted_at IS NULL
   AND {access.CandidateOfItem}
   AND i.task_state = 'READY'
   AND i.last_modified_at > $3 AND i.last_modified_by <> $1
   AND i.id <> ALL($4);
