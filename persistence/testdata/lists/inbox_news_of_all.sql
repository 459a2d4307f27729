-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "2026-01-02T03:04:05Z"
-- $4 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
SELECT count(*)
  FROM process_items i
 WHERE i.tenant_id = $2
   AND i.deleted_at IS NULL
   AND {access.VisibleItem}
   AND i.type = 'TASK'
   AND i.created_at > $3
   AND i.id <> ALL($4);
