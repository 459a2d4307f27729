-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "01970000-0000-7000-8000-000000000001"
-- $4 = 25
SELECT x.id, x.tenant_id, x.status, x.action_id, x.action_code,
       x.document_id, coalesce(x.document_uri, ''), coalesce(x.error, ''), x.errors, x.finished_at,
       x.created_by, x.created_at, x.last_modified_by, x.last_modified_at,
       x.document_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.id = x.document_id),
       (SELECT d.expires_at FROM documents d WHERE d.id = x.document_id),
       x.process_id, x.type, x.started_definition_id, x.started_process_id, x.item_id, x.thread_id,
       coalesce(x.signal_name, ''), x.input, x.input_valid, x.input_errors,
       (SELECT y.process_version FROM processes y WHERE y.id = x.process_id), coalesce(aname.name, a.name, '')
  FROM process_actions x
  JOIN processes p ON p.id = x.process_id
  LEFT JOIN principals a ON a.id = x.created_by
  LEFT JOIN person_names aname ON aname.tenant_id = p.tenant_id AND aname.principal_id = x.created_by
 WHERE p.tenant_id = $2
   AND {access.VisibleProcess}
   AND x.process_id = $3
 ORDER BY x.created_at DESC, x.id
 LIMIT $4::bigint;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "01970000-0000-7000-8000-000000000001"
SELECT count(*)
  FROM process_actions x
  JOIN processes p ON p.id = x.process_id
  LEFT JOIN principals a ON a.id = x.created_by
  LEFT JOIN person_names aname ON aname.tenant_id = p.tenant_id AND aname.principal_id = x.created_by
 WHERE p.tenant_id = $2
   AND {access.VisibleProcess}
   AND x.process_id = $3;
