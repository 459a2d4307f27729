package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
)

// about reports whether an operation is about the process, the task or the
// definition of the fixture.
func (f fixture) about(name string, op operation) bool {
	return name == "B.createProcess" || strings.Contains(op.path+op.body, f.process.String()) ||
		strings.Contains(op.path, f.task.String())
}

func TestViewerSeesAndMayDoNothing(t *testing.T) {
	t.Parallel()
	s := newService(t)
	f := newFixture(s)
	onboarding := s.process(demo.Alice(), demo.Onboarding()).ID
	before := s.snapshot()
	s.get(200, demo.Reader(), processPath(f.process, ""))
	s.get(200, demo.Reader(), itemPath(f.task, ""))
	s.get(404, demo.Reader(), processPath(onboarding, ""))
	for name, op := range f.operations() {
		if op.method != http.MethodGet && f.about(name, op) {
			s.call(403, demo.Reader(), op.method, op.path, op.body)
		}
	}
	require.Equal(t, before, s.snapshot())
}

func TestStrangerSeesNothing(t *testing.T) {
	t.Parallel()
	s := newService(t)
	f := newFixture(s)
	before := s.snapshot()
	for name, op := range f.operations() {
		if f.about(name, op) {
			s.call(404, demo.Stranger(), op.method, op.path, op.body)
		}
	}
	require.Equal(t, 0, s.total(demo.Stranger(), "/processes"))
	require.Equal(t, 0, s.total(demo.Stranger(), "/process-items"))
	require.Equal(t, before, s.snapshot())
}

func TestCandidateSeesWhatItMayDo(t *testing.T) {
	t.Parallel()
	s := newService(t)
	f := newFixture(s)
	onboarding := s.process(demo.Alice(), demo.Onboarding()).ID
	approval := s.item(f.process, "APPROVE_LOAN", "").ID
	s.get(200, demo.Bob(), itemPath(approval, ""))
	s.get(200, demo.Bob(), processPath(f.process, ""))
	s.get(404, demo.Bob(), itemPath(f.task, ""))
	s.get(404, demo.Bob(), processPath(onboarding, ""))
	require.Equal(t, 1, s.total(demo.Bob(), "/process-items"))
	require.Equal(t, 1, s.total(demo.Bob(), "/processes"))
	s.refused(403, "ACCESS_DENIED", demo.Bob(), http.MethodPost, processPath(f.process, cancel), "")
	// Managing is not being a candidate.
	s.refused(403, "ACCESS_DENIED", demo.Alice(), http.MethodPost, itemPath(approval, claim), "")
	s.post(200, demo.Bob(), itemPath(approval, claim), "")
}

func TestInitiatorIsNoManager(t *testing.T) {
	t.Parallel()
	s := newService(t)
	f := newFixture(s)
	approval := s.item(f.process, "APPROVE_LOAN", "").ID
	s.get(200, demo.Carol(), processPath(f.process, ""))
	s.get(404, demo.Carol(), itemPath(approval, ""))
	s.refused(403, "ACCESS_DENIED", demo.Carol(), http.MethodPost, processPath(f.process, finish), "")
	s.refused(404, "DEFINITION_NOT_FOUND", demo.Carol(), http.MethodPost, "/processes",
		`{"processDefinitionId":"`+demo.Onboarding().String()+`"}`)
	// The definition makes the initiator a candidate of the notification.
	notification := s.item(f.process, "NOTIFICATION_GRANTED", "").ID
	s.get(404, demo.Bob(), itemPath(notification, ""))
	s.post(200, demo.Carol(), itemPath(notification, claim), "")
}
