package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// about reports whether an operation is about the process, the task or the
// definition of the fixture.
func (f fixture) about(name string, op operation) bool {
	return name == "B.createProcess" || strings.Contains(op.path+op.body, f.process.String()) ||
		strings.Contains(op.path, f.task.String())
}

func TestViewerReadsOnly(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	f := newFixture(s)
	onboarding := s.Process(demo.Alice(), demo.Onboarding()).ID
	before := s.Snapshot()
	s.Get(200, demo.Reader(), apitest.ProcessPath(f.process, ""))
	s.Get(200, demo.Reader(), apitest.ItemPath(f.task, ""))
	s.Get(404, demo.Reader(), apitest.ProcessPath(onboarding, ""))
	for name, op := range f.operations() {
		if op.method != http.MethodGet && f.about(name, op) {
			s.Call(403, demo.Reader(), op.method, op.path, op.body)
		}
	}
	require.Equal(t, before, s.Snapshot())
}

func TestStrangerGetsEmptyLists(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	f := newFixture(s)
	before := s.Snapshot()
	for name, op := range f.operations() {
		if f.about(name, op) {
			s.Call(404, demo.Stranger(), op.method, op.path, op.body)
		}
	}
	require.Equal(t, 0, s.Total(demo.Stranger(), "/processes"))
	require.Equal(t, 0, s.Total(demo.Stranger(), "/process-items"))
	require.Equal(t, before, s.Snapshot())
}

func TestCandidateReadsPermittedActions(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	f := newFixture(s)
	onboarding := s.Process(demo.Alice(), demo.Onboarding()).ID
	approval := s.Item(f.process, "APPROVE_LOAN", "").ID
	s.Get(200, demo.Bob(), apitest.ItemPath(approval, ""))
	s.Get(200, demo.Bob(), apitest.ProcessPath(f.process, ""))
	s.Get(404, demo.Bob(), apitest.ItemPath(f.task, ""))
	s.Get(404, demo.Bob(), apitest.ProcessPath(onboarding, ""))
	require.Equal(t, 1, s.Total(demo.Bob(), "/process-items"))
	require.Equal(t, 1, s.Total(demo.Bob(), "/processes"))
	s.Refused(403, "ACCESS_DENIED", demo.Bob(), http.MethodPost, apitest.ProcessPath(f.process, apitest.Cancel), "")
	// Managing is not being a candidate.
	s.Refused(403, "ACCESS_DENIED", demo.Alice(), http.MethodPost, apitest.ItemPath(approval, apitest.Claim), "")
	s.Post(200, demo.Bob(), apitest.ItemPath(approval, apitest.Claim), "")
}

func TestInitiatorIsNoManager(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	f := newFixture(s)
	approval := s.Item(f.process, "APPROVE_LOAN", "").ID
	s.Get(200, demo.Carol(), apitest.ProcessPath(f.process, ""))
	s.Get(404, demo.Carol(), apitest.ItemPath(approval, ""))
	s.Refused(403, "ACCESS_DENIED", demo.Carol(), http.MethodPost, apitest.ProcessPath(f.process, apitest.Finish), "")
	s.Refused(404, "DEFINITION_NOT_FOUND", demo.Carol(), http.MethodPost, "/processes",
		`{"processDefinitionId":"`+demo.Onboarding().String()+`"}`)
	// The definition makes the initiator a candidate of the notification.
	notification := s.Item(f.process, "NOTIFICATION_GRANTED", "").ID
	s.Get(404, demo.Bob(), apitest.ItemPath(notification, ""))
	s.Post(200, demo.Carol(), apitest.ItemPath(notification, apitest.Claim), "")
}
