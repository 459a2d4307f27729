package shapeb_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// Copies of all processes and items. Several callers start the processes and own the items by turns.
const multiplied = `
WITH copied AS (
    SELECT p.id AS old, n, gen_random_uuid() AS new FROM processes p, generate_series(1, 600) n
), started AS (
    INSERT INTO processes
    SELECT (jsonb_populate_record(p, jsonb_build_object('id', c.new, 'initiator_id', ($1::text[])[1 + c.n % cardinality($1)],
        'created_at', p.created_at + c.n % 89 * interval '1 second', 'last_modified_at', p.created_at + c.n % 7 * interval '1 hour'))).*
      FROM copied c JOIN processes p ON p.id = c.old
)
INSERT INTO process_items
SELECT (jsonb_populate_record(i, jsonb_build_object('id', gen_random_uuid(), 'process_id', c.new, 'thread_id', NULL,
    'owner_id', CASE WHEN i.task_state = 'COMPLETED' THEN ($1::text[])[1 + c.n % 37 % cardinality($1)] END,
    'created_at', i.created_at + c.n % 83 * interval '1 second', 'last_modified_at', i.created_at + c.n % 5 * interval '1 hour'))).*
  FROM copied c JOIN process_items i ON i.process_id = c.old`

// Pages read by visible definition equal the pages of a filter on all rows.
func TestPagesByRights(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	loan, other, deleted := s.Loan().ID, s.Process(demo.Alice(), demo.Onboarding()).ID, s.Process(demo.Alice(), demo.Onboarding()).ID
	s.Item(loan, "APPROVE_LOAN", "")
	s.Item(loan, "LOAN_APPLICATION", "")
	for _, process := range []uuid.UUID{loan, other} {
		s.Post(201, demo.Alice(), "/process-items", `{"type":"MESSAGE","processId":"`+process.String()+`","message":{"text":"seen"}}`)
	}
	checklist := uuid.New()
	s.Post(201, demo.Alice(), "/process-items", `{`+apitest.WithID(checklist)+`,"type":"TASK","processId":"`+other.String()+
		`","processItemDefinitionCode":"CHECKLIST"}`)
	s.Post(200, demo.Alice(), apitest.ItemPath(checklist, "/task/~actions/claim"), "")
	s.Post(200, demo.Alice(), apitest.ItemPath(checklist, "/task/~actions/complete"), "")
	s.Post(200, demo.Alice(), apitest.ProcessPath(deleted, "/~actions/cancel"), "")
	s.Call(204, demo.Alice(), http.MethodDelete, apitest.ProcessPath(deleted, ""), "")
	conn := s.Connect()
	_, err := conn.Exec(t.Context(), multiplied, []string{demo.Alice().ID.String(), demo.Carol().ID.String(), demo.Bob().ID.String()})
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), `SELECT recount_lists()`)
	require.NoError(t, err)

	for _, who := range []demo.Account{demo.Alice(), demo.Bob(), demo.Carol(), demo.Reader()} {
		for _, list := range []string{"/process-items", "/processes"} {
			for _, sort := range []string{"", "&sort=createdAt,desc", "&sort=lastModifiedAt,desc&sort=createdAt"} {
				for _, more := range []string{"&deleted=INCLUDE", "&size=7&page=40"} {
					path := list + "?" + sort + more
					t.Run(who.Name+" "+path, func(t *testing.T) {
						t.Parallel()
						s := s.In(t)
						want := s.List(who, path+"&tenantId="+url.QueryEscape(demo.TenantDemo().String()))
						require.Equal(t, want, s.List(who, path))
					})
				}
			}
		}
	}
}
