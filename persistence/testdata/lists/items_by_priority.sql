-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = [3,4]
-- $4 = 25
SELECT i.id, i.tenant_id, i.process_id, i.process_definition_id, i.type,
       i.item_definition_id, i.item_version, i.item_definition_code, i.thread_id, i.owner_id,
       i.task_state, i.claimed_at, i.completed_at, i.cancelled_at, i.message_text, i.message_data_code, i.mentions,
       i.created_by, i.created_at, i.last_modified_by, i.last_modified_at, i.deleted_at, i.deleted_by,
       i.delegator_id, i.delegated_at, i.delegation_note, i.substitute_id,
       (SELECT ROW(tt.due_at, tt.follow_up_at, tt.priority) FROM task_times tt WHERE tt.item_id = i.id)
  FROM process_items i
 WHERE i.tenant_id = $2
   AND i.deleted_at IS NULL
   AND {access.VisibleItem}
   AND i.type = 'TASK' AND NOT EXISTS (SELECT 1 FROM task_times tt WHERE tt.item_id = i.id AND tt.priority = ANY($3))
 ORDER BY coalesce((SELECT tt.priority FROM task_times tt WHERE tt.item_id = i.id), 2) DESC, i.id
 LIMIT $4::bigint;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = [3,4]
SELECT count(*)
  FROM process_items i
 WHERE i.tenant_id = $2
   AND i.deleted_at IS NULL
   AND {access.VisibleItem}
   AND i.type = 'TASK' AND NOT EXISTS (SELECT 1 FROM task_times tt WHERE tt.item_id = i.id AND tt.priority = ANY($3));
