package api_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasa "github.com/procession-dev/procession/api/shapea/oas"
	"github.com/procession-dev/procession/devstack/demo"
)

func TestProcessesAreListedThroughShapeA(t *testing.T) {
	t.Parallel()
	s := newService(t)
	a, b := s.loan().ID, s.loan().ID
	s.post(200, demo.Alice(), processPathA(a, "/~actions/save-entity-data"), `{"data":{}}`)
	for sort, want := range map[string][]uuid.UUID{
		"": {a, b}, "&sort=createdAt,desc": {b, a}, "&sort=lastModifiedAt": {b, a}, "&sort=lastModifiedAt,DESC": {a, b},
		"&sort=id": {a, b}, "&sort=id,desc": {b, a},
	} {
		require.Equal(t, want, s.list(demo.LoanWorker(), shapeA+"/processes?size=25"+sort).ids(), sort)
	}
	tenant, other := demo.TenantDemo().String(), demo.TenantOther().String()
	s.filtered(demo.LoanWorker(), shapeA+"/processes", map[string][]uuid.UUID{
		"": {a, b}, "tenantId=" + tenant: {a, b}, "tenantId=" + other: nil, "tenantId=" + other + "&tenantId=" + tenant: {a, b},
	})
}

func TestTasksAreListedThroughShapeA(t *testing.T) {
	t.Parallel()
	s := newService(t)
	worker := demo.LoanWorker()
	loan, other := s.loan().ID, s.loan().ID
	ready := s.item(loan, "LOAN_APPLICATION", "").ID
	claimed := s.item(loan, "APPROVE_LOAN", ownedBy(worker)).ID
	completed := s.item(other, "LOAN_APPLICATION", ownedBy(worker)).ID
	s.post(200, worker, taskPathA(completed, "/~actions/complete"), "")
	cancelled := s.item(other, "LOAN_APPLICATION", "").ID
	s.post(200, worker, processPath(other, cancelItems+"?processItemId="+cancelled.String()), "")
	// Rows without the time come last.
	for sort, want := range map[string][]uuid.UUID{
		"": {ready, claimed, completed, cancelled}, "&sort=id,desc": {cancelled, completed, claimed, ready},
		"&sort=createdAt,desc": {cancelled, completed, claimed, ready}, "&sort=lastModifiedAt": {ready, claimed, completed, cancelled},
		"&sort=claimedAt": {claimed, completed, ready, cancelled}, "&sort=claimedAt,desc": {completed, claimed, ready, cancelled},
		"&sort=completedAt": {completed, ready, claimed, cancelled}, "&sort=cancelledAt,desc": {cancelled, ready, claimed, completed},
	} {
		require.Equal(t, want, s.list(worker, shapeA+"/tasks?size=25"+sort).ids(), sort)
	}
	s.filtered(worker, shapeA+"/tasks", map[string][]uuid.UUID{
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
	s := newService(t)
	p := s.pairThroughA(s.surveys())
	process := s.post(200, demo.Alice(), processPathA(p.process, "/~actions/save-entity-data"), `{"data":{"NAME":5}}`)
	require.Equal(t, oasa.JSONFormsValue{Valid: new(false), Data: []byte(`{"NAME":5}`)}, *decode[oasa.Process](t, process).Entity)
	require.NotContains(t, process.body, "errors")
	task := s.post(200, demo.Alice(), taskPathA(p.task, "/~actions/save-json-forms-value-data"), `{"data":{"PHOTO":5}}`)
	require.Equal(t, oasa.JSONFormsValue{Valid: new(false), Data: []byte(`{"PHOTO":5}`)}, *decode[oasa.Task](t, task).JSONFormsValue)
	require.NotContains(t, task.body, "errors")
	task = s.post(200, demo.Alice(), taskPathA(p.task, "/~actions/save-json-forms-value-data"), `{"data":{}}`)
	require.True(t, *decode[oasa.Task](t, task).JSONFormsValue.Valid)
}
