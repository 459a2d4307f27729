package apitest

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/test/kit/demotest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// fixture is the template of the databases of services.
//
//nolint:gochecknoglobals // it is filled once for all tests of a binary
var fixture = pgtest.Template{Fill: func(ctx context.Context, url string) error {
	if err := demotest.Load(ctx, url, startTime()); err != nil {
		return err
	}
	return giveElements(ctx, url)
}}

// startTime returns the time of the demonstration data.
func startTime() time.Time { return time.Date(2026, time.March, 2, 10, 30, 0, 1_000_000, time.UTC) }

// processElements and taskElements are the elements that giveElements adds to loans and their
// tasks.
const (
	processElements = `[{"code":"REF","name":"Reference","type":"FIELD","fieldType":"STRING"},
{"code":"SCORES","name":"Scores","type":"FIELD","fieldType":"NUMBER","multiple":true}]`
	taskElements = `[{"code":"NOTE","name":"Note","type":"FIELD","fieldType":"STRING"},
{"code":"PHOTO","name":"Photo","type":"DOCUMENT","multiple":true},
{"code":"REPORT","name":"Report","type":"FORM","multiple":true,"schema":{"type":"object","properties":{
"FINDINGS":{"type":"string","title":"What was found"},"DONE":{"type":"boolean"}}}}]`
	// taskFile is a place for a document in the data of tasks.
	taskFile = `{"type":"string","format":"kuflow-file"}`
	// taskAssistance is the assistance of tasks that have none of their own.
	taskAssistance = `{"prompt":"Say something about {{ data.LAST_NAME }}.","answer":"SUGGESTION"}`
)

// giveElements gives the loans of both tenants elements and a place for a file,
// so that one fixture serves both shapes. It must be called before processes
// are started.
func giveElements(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	for sql, elements := range map[string]string{
		`UPDATE process_definition_versions v SET spec = (v.spec::jsonb || jsonb_build_object('elements', $1::jsonb))::json
		  FROM process_definitions d WHERE d.id = v.process_definition_id AND d.code = 'LOAN'`: processElements,
		`UPDATE item_definition_versions v SET spec = (v.spec::jsonb || jsonb_build_object('elements', $1::jsonb))::json
		  FROM item_definitions i JOIN process_definitions d ON d.id = i.process_definition_id
		 WHERE i.id = v.item_definition_id AND v.type = 'TASK' AND d.code = 'LOAN'`: taskElements,
		`UPDATE item_definition_versions v SET spec = (jsonb_build_object('assistance', $1::jsonb) || v.spec::jsonb)::json
		  FROM item_definitions i JOIN process_definitions d ON d.id = i.process_definition_id
		 WHERE i.id = v.item_definition_id AND v.type = 'TASK' AND d.code = 'LOAN'`: taskAssistance,
		`UPDATE item_definition_versions v SET spec = jsonb_set(v.spec::jsonb, '{dataSchema,properties,FILE}', $1::jsonb)::json
		  FROM item_definitions i JOIN process_definitions d ON d.id = i.process_definition_id
		 WHERE i.id = v.item_definition_id AND v.spec::jsonb @? '$.dataSchema.properties' AND d.code = 'LOAN'`: taskFile,
	} {
		if _, err := conn.Exec(ctx, sql, elements); err != nil {
			return err
		}
	}
	return nil
}
