package persistence

import (
	"context"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// recordOutages judges the queues with a current observation. $1 is now, $2 the age up to which a poll counts, $3 the age of a
// current observation, $4 the duration of an outage before it is recorded. The condition of the update is checked again after a
// wait for another replica, so that each change is recorded once.
const recordOutages = `
WITH needed AS (` + neededQueues + `
), judged AS (
    SELECT o.tenant_id, o.task_queue, o.unserved_recorded AS recorded,
           EXISTS (SELECT 1 FROM needed n WHERE n.tenant_id = o.tenant_id AND n.task_queue = o.task_queue)
           AND NOT EXISTS (SELECT 1 FROM jsonb_to_recordset(o.pollers) AS p (kind text, "lastAccessAt" timestamptz)
                            WHERE p.kind = 'WORKFLOW' AND p."lastAccessAt" >= o.observed_at - $2::interval) AS unserved
      FROM task_queue_observations o
     WHERE o.observed_at >= $1::timestamptz - $3::interval
), changed AS (
    UPDATE task_queue_observations o
       SET unserved_since = CASE WHEN j.unserved THEN coalesce(o.unserved_since, $1::timestamptz) END,
           unserved_recorded = j.unserved AND o.unserved_since IS NOT NULL
      FROM judged j
     WHERE o.tenant_id = j.tenant_id AND o.task_queue = j.task_queue
       AND CASE WHEN NOT j.unserved THEN o.unserved_since IS NOT NULL
                ELSE o.unserved_since IS NULL OR NOT o.unserved_recorded AND o.unserved_since <= $1::timestamptz - $4::interval END
    RETURNING o.tenant_id, o.task_queue, o.unserved_since, o.unserved_recorded,
              NOT j.unserved AND j.recorded AS recovered
)` + insertIntoEvents + `
SELECT gen_random_uuid(), c.tenant_id, CASE WHEN c.recovered THEN $6 ELSE $5 END, $7,
       md5(c.tenant_id::text || '/' || c.task_queue)::uuid,
       json_strip_nulls(json_build_object('taskQueue', c.task_queue,
           'since', to_char(c.unserved_since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))), $8::uuid, NULL, $1
  FROM changed c
 WHERE c.unserved_recorded OR c.recovered`

// RecordQueueOutages records QUEUE.UNSERVED for task queues that definitions need and that no worker has polled for workflow
// tasks during the grace time, once for each outage, and QUEUE.SERVED at the end of these outages. Queues without a current
// observation stay as they are.
func (db *DB) RecordQueueOutages(ctx context.Context, limits domain.TaskQueueTimeouts, grace time.Duration, now time.Time) error {
	err := db.Send(ctx, []pg.Query{pg.Q(recordOutages, []any{
		now, limits.Poll, limits.Observation, grace, domain.EventQueueUnserved, domain.EventQueueServed, domain.ResourceTaskQueue,
		domain.SystemPrincipalID(),
	}, pg.None)})
	return pg.Translate("recording outages of task queues", err)
}
