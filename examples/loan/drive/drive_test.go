package main

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/examples/loan/lending"
	"github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/processiontest"
	"github.com/procession-dev/procession/sdk/rest"
)

// newService returns a service that runs the real workflow, for which APPROVE_LOAN does not exist when Carol asks.
func newService(t *testing.T, spoil func(operation string, item *rest.ProcessItem)) *processiontest.Service {
	t.Helper()
	carol := uuid.MustParse("01970000-0000-7000-8000-00000000c003")
	return processiontest.New(t, processiontest.Options{
		Register: func(w *procession.Worker) error { lending.Register(w); return nil }, Workflow: lending.WorkflowType,
		Principals: map[string]uuid.UUID{
			"demo-token-alice": uuid.MustParse("01970000-0000-7000-8000-00000000c001"),
			"demo-token-bob":   uuid.MustParse("01970000-0000-7000-8000-00000000c002"),
			"demo-token-carol": carol,
		},
		Hidden: func(caller uuid.UUID, item rest.ProcessItem) bool {
			return caller == carol && item.ProcessItemDefinitionRef.Code == "APPROVE_LOAN"
		},
		Spoil: spoil,
	})
}

func driving(t *testing.T, url string, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := runDrive(t.Context(), append([]string{"-endpoint", url}, args...), environment{
		getenv: func(string) string { return "" }, stdout: &out, stderr: io.Discard, clock: time.Now,
	})
	return out.String(), err
}

func TestDrivePlaysTheLoansWithTheRealWorkflow(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	out, err := driving(t, s.URL)
	t.Log(out)
	require.NoError(t, err)
	require.Contains(t, out, "all 3 loans went as they should")
	require.Contains(t, out, "18400.00 EUR")
	require.Contains(t, out, "refused (404)")
	require.NotContains(t, out, "surprise")
	require.Len(t, s.Processes(), 3)
	require.Len(t, s.Items(), 2+3+3)
}

func TestDriveFailsOnASurprise(t *testing.T) {
	t.Parallel()
	other := uuid.MustParse("01970000-0000-7000-8000-00000000c001")
	for name, test := range map[string]struct {
		mistake func(operation string, item *rest.ProcessItem)
		args    []string
		want    string
	}{
		"notification of another user": {
			mistake: func(operation string, item *rest.ProcessItem) {
				if operation == "create" && item.ProcessItemDefinitionRef.Code == "NOTIFICATION_GRANTED" {
					item.OwnerID = &other
				}
			},
			want: "a small loan is granted at once: owner of NOTIFICATION_GRANTED: got 01970000-0000-7000-8000-00000000c001, " +
				"want 01970000-0000-7000-8000-00000000c003",
		},
		"claim changes nothing": {
			mistake: func(operation string, item *rest.ProcessItem) {
				if operation == "claim" {
					item.Task.State = rest.ProcessItemTaskStateREADY
				}
			},
			want: "a small loan is granted at once: Carol claims it: state: got READY, want CLAIMED",
		},
		"data judged invalid": {
			mistake: func(operation string, item *rest.ProcessItem) {
				if operation == "update" {
					item.Task.Data.Valid = new(bool)
				}
			},
			want: "a small loan is granted at once: Carol fills in 1200.50 EUR: task data: not valid: []",
		},
		"outcome never comes": {
			mistake: func(operation string, item *rest.ProcessItem) {
				if operation == "create" && item.ProcessItemDefinitionRef.Code == "NOTIFICATION_GRANTED" {
					item.ProcessID = other
				}
			},
			args: []string{"-deadline", "3s"},
			want: "a small loan is granted at once: Carol waits for NOTIFICATION_GRANTED: not within 3s; last seen: no NOTIFICATION_GRANTED",
		},
		"unknown token": {
			args: []string{"-carol-token", "x"},
			want: "a small loan is granted at once: Carol starts the process: initiator: got 00000000-0000-0000-0000-000000000000, " +
				"want 01970000-0000-7000-8000-00000000c003",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := driving(t, newService(t, test.mistake).URL, test.args...)
			require.EqualError(t, err, test.want, out)
			require.NotContains(t, out, "all 3 loans")
		})
	}
}

func TestDriveSaysThatTheServiceIsDown(t *testing.T) {
	t.Parallel()
	_, err := driving(t, "http://127.0.0.1:1")
	require.ErrorContains(t, err, "Carol starts the process: POST /v2024-06-14/processes:")
	require.ErrorContains(t, err, "connection refused")
}
