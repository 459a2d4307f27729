package shapea_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasa "github.com/procession-dev/procession/api/shapea/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

func TestProcessesAreListedThroughShapeA(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	a, b := s.Loan().ID, s.Loan().ID
	s.Post(200, demo.Alice(), apitest.ProcessPathA(a, "/~actions/save-entity-data"), `{"data":{}}`)
	for sort, want := range map[string][]uuid.UUID{
		"": {a, b}, "&sort=createdAt,desc": {b, a}, "&sort=lastModifiedAt": {b, a}, "&sort=lastModifiedAt,DESC": {a, b},
		"&sort=id": {a, b}, "&sort=id,desc": {b, a},
	} {
		require.Equal(t, want, s.List(demo.LoanWorker(), apitest.ShapeA+"/processes?size=25"+sort).IDs(), sort)
	}
	tenant, other := demo.TenantDemo().String(), demo.TenantOther().String()
	s.Filtered(demo.LoanWorker(), apitest.ShapeA+"/processes", map[string][]uuid.UUID{
		"": {a, b}, "tenantId=" + tenant: {a, b}, "tenantId=" + other: nil, "tenantId=" + other + "&tenantId=" + tenant: {a, b},
	})
}

func TestTasksAreListedThroughShapeA(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	worker := demo.LoanWorker()
	loan, other := s.Loan().ID, s.Loan().ID
	ready := s.Item(loan, "LOAN_APPLICATION", "").ID
	claimed := s.Item(loan, "APPROVE_LOAN", apitest.OwnedBy(worker)).ID
	completed := s.Item(other, "LOAN_APPLICATION", apitest.OwnedBy(worker)).ID
	s.Post(200, worker, apitest.TaskPathA(completed, "/~actions/complete"), "")
	cancelled := s.Item(other, "LOAN_APPLICATION", "").ID
	s.Post(200, worker, apitest.ProcessPath(other, apitest.CancelItems+"?processItemId="+cancelled.String()), "")
	// Rows without the time come last.
	for sort, want := range map[string][]uuid.UUID{
		"": {ready, claimed, completed, cancelled}, "&sort=id,desc": {cancelled, completed, claimed, ready},
		"&sort=createdAt,desc": {cancelled, completed, claimed, ready}, "&sort=lastModifiedAt": {ready, claimed, completed, cancelled},
		"&sort=claimedAt": {claimed, completed, ready, cancelled}, "&sort=claimedAt,desc": {completed, claimed, ready, cancelled},
		"&sort=completedAt": {completed, ready, claimed, cancelled}, "&sort=cancelledAt,desc": {cancelled, ready, claimed, completed},
	} {
		require.Equal(t, want, s.List(worker, apitest.ShapeA+"/tasks?size=25"+sort).IDs(), sort)
	}
	s.Filtered(worker, apitest.ShapeA+"/tasks", map[string][]uuid.UUID{
		"processId=" + loan.String():                                  {ready, claimed},
		"processId=" + loan.String() + "&processId=" + other.String(): {ready, claimed, completed, cancelled},
		"state=READY":                                                     {ready},
		"state=CLAIMED&state=COMPLETED":                                   {claimed, completed},
		"taskDefinitionCode=APPROVE_LOAN":                                 {claimed},
		"taskDefinitionCode=APPROVE_LOAN&taskDefinitionCode=NONE":         {claimed},
		"tenantId=" + demo.TenantDemo().String():                          {ready, claimed, completed, cancelled},
		"tenantId=" + demo.TenantOther().String():                         nil,
		"state=CANCELLED&taskDefinitionCode=LOAN_APPLICATION&state=READY": {ready, cancelled},
	})
}

// Data that violate their schema are stored and marked as invalid, in Shape A
// without the errors.
func TestInvalidDataThroughShapeA(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	p := s.PairThroughA(s.Surveys())
	process := s.Post(200, demo.Alice(), apitest.ProcessPathA(p.Process, "/~actions/save-entity-data"), `{"data":{"NAME":5}}`)
	require.Equal(t, oasa.JSONFormsValue{Valid: new(false), Data: []byte(`{"NAME":5}`)}, *apitest.Decode[oasa.Process](t, process).Entity)
	require.NotContains(t, process.Body, "errors")
	task := s.Post(200, demo.Alice(), apitest.TaskPathA(p.Task, "/~actions/save-json-forms-value-data"), `{"data":{"PHOTO":5}}`)
	require.Equal(t, oasa.JSONFormsValue{Valid: new(false), Data: []byte(`{"PHOTO":5}`)}, *apitest.Decode[oasa.Task](t, task).JSONFormsValue)
	require.NotContains(t, task.Body, "errors")
	task = s.Post(200, demo.Alice(), apitest.TaskPathA(p.Task, "/~actions/save-json-forms-value-data"), `{"data":{}}`)
	require.True(t, *apitest.Decode[oasa.Task](t, task).JSONFormsValue.Valid)
}
