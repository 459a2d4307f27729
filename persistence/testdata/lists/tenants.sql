-- $1 = ["01970000-0000-7000-8000-00000000a001","01970000-0000-7000-8000-00000000a002"]
-- $2 = "01970000-0000-7000-8000-000000000001"
-- $3 = 25
SELECT t.id, t.code, t.name, t.plan, t.namespace, t.shared_namespace, t.cluster, t.time_zone,
       t.user_metadata_schema, t.created_by, t.created_at, t.last_modified_by, t.last_modified_at
  FROM tenants t
 WHERE t.id = ANY($1)
   AND t.id = $2
 ORDER BY t.name DESC, t.id
 LIMIT $3::bigint;

-- $1 = ["01970000-0000-7000-8000-00000000a001","01970000-0000-7000-8000-00000000a002"]
-- $2 = "01970000-0000-7000-8000-000000000001"
SELECT count(*)
  FROM tenants t
 WHERE t.id = ANY($1)
   AND t.id = $2;
