-- +goose Up

-- PostgreSQL prepares each CHECK of a table again for every statement. The rules of items become one function, which is
-- prepared once in a session.

-- Reports whether an item satisfies the rules of its type and state. As in a CHECK, NULL counts as true.
-- +goose StatementBegin
CREATE FUNCTION item_is_valid(
    type text, task_state text, owner_id uuid, item_definition_id uuid, item_version uuid, item_definition_code text,
    task_data json, task_data_valid boolean, context_data json, context_data_valid boolean,
    message_text text, message_data json, message_data_valid boolean, message_data_code text,
    claimed_at timestamptz, completed_at timestamptz, cancelled_at timestamptz, deleted_at timestamptz, deleted_by uuid,
    element_values json, activity_token bytea, thread_id uuid) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN type IN ('TASK', 'MESSAGE', 'THREAD')
       AND task_state IN ('READY', 'CLAIMED', 'COMPLETED', 'CANCELLED')
       AND (type = 'TASK') = (task_state IS NOT NULL)
       AND (type = 'MESSAGE' OR item_definition_id IS NOT NULL)
       AND num_nulls(item_definition_id, item_version, item_definition_code) IN (0, 3)
       AND (type <> 'THREAD' OR thread_id IS NULL)
       AND (deleted_at IS NULL) = (deleted_by IS NULL)
       -- Tasks: READY tasks have no owner, finished ones a time. Open tasks are not deleted.
       AND (type = 'TASK' OR num_nonnulls(task_data, context_data, claimed_at, completed_at, cancelled_at, element_values,
                                          activity_token) = 0)
       AND (task_state IS DISTINCT FROM 'READY' OR owner_id IS NULL)
       AND (task_state NOT IN ('CLAIMED', 'COMPLETED') OR owner_id IS NOT NULL)
       AND (task_state IS DISTINCT FROM 'COMPLETED' OR completed_at IS NOT NULL)
       AND (task_state IS DISTINCT FROM 'CANCELLED' OR cancelled_at IS NOT NULL)
       AND (deleted_at IS NULL OR task_state IS NULL OR task_state IN ('COMPLETED', 'CANCELLED'))
       AND length(activity_token) BETWEEN 1 AND 16384
       -- Messages have a text, data, or both.
       AND (type = 'MESSAGE' OR num_nonnulls(message_text, message_data, message_data_code) = 0)
       AND (type <> 'MESSAGE' OR num_nonnulls(message_text, message_data) > 0)
       AND (message_data IS NULL) = (message_data_code IS NULL)
       -- Values are objects, and were validated.
       AND (task_data IS NULL) = (task_data_valid IS NULL)
       AND (context_data IS NULL) = (context_data_valid IS NULL)
       AND (message_data IS NULL) = (message_data_valid IS NULL)
       AND json_typeof(task_data) = 'object'
       AND json_typeof(context_data) = 'object'
       AND json_typeof(message_data) = 'object'
       AND json_typeof(element_values) = 'object';
END
$$;
-- +goose StatementEnd

ALTER TABLE process_items
    DROP CONSTRAINT process_items_activity_token_check,
    DROP CONSTRAINT process_items_activity_token_size,
    DROP CONSTRAINT process_items_check,
    DROP CONSTRAINT process_items_check1,
    DROP CONSTRAINT process_items_check2,
    DROP CONSTRAINT process_items_check3,
    DROP CONSTRAINT process_items_check4,
    DROP CONSTRAINT process_items_check5,
    DROP CONSTRAINT process_items_check6,
    DROP CONSTRAINT process_items_check7,
    DROP CONSTRAINT process_items_check8,
    DROP CONSTRAINT process_items_check9,
    DROP CONSTRAINT process_items_check10,
    DROP CONSTRAINT process_items_check11,
    DROP CONSTRAINT process_items_check12,
    DROP CONSTRAINT process_items_check13,
    DROP CONSTRAINT process_items_check14,
    DROP CONSTRAINT process_items_context_data_check,
    DROP CONSTRAINT process_items_deleted_check,
    DROP CONSTRAINT process_items_element_values_check,
    DROP CONSTRAINT process_items_message_data_check,
    DROP CONSTRAINT process_items_task_data_check,
    DROP CONSTRAINT process_items_task_state_check,
    DROP CONSTRAINT process_items_thread_check,
    DROP CONSTRAINT process_items_type_check,
    ADD CONSTRAINT process_items_valid CHECK (item_is_valid(
        type, task_state, owner_id, item_definition_id, item_version, item_definition_code,
        task_data, task_data_valid, context_data, context_data_valid,
        message_text, message_data, message_data_valid, message_data_code,
        claimed_at, completed_at, cancelled_at, deleted_at, deleted_by, element_values, activity_token, thread_id));
