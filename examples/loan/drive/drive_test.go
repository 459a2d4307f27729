package main

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/examples/loan/restapi"
)

func driving(t *testing.T, s *service, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := run(t.Context(), append([]string{"-endpoint", s.url}, args...), environment{
		getenv: func(string) string { return "" }, stdout: &out, stderr: io.Discard, clock: time.Now,
	})
	return out.String(), err
}

func TestDrivePlaysTheLoansWithTheRealWorkflow(t *testing.T) {
	t.Parallel()
	s := newService(t)
	out, err := driving(t, s)
	t.Log(out)
	require.NoError(t, err)
	require.Contains(t, out, "all 3 loans went as they should")
	require.Contains(t, out, "18400.00 EUR")
	require.Contains(t, out, "refused (404)")
	require.NotContains(t, out, "surprise")
	require.Len(t, s.processes, 3)
	require.Len(t, s.items, 2+3+3)
}

func TestDriveFailsOnASurprise(t *testing.T) {
	t.Parallel()
	other := uuid.MustParse("01970000-0000-7000-8000-00000000c001")
	for name, test := range map[string]struct {
		mistake func(operation string, item *restapi.ProcessItem)
		args    []string
		want    string
	}{
		"notification of another user": {
			mistake: func(operation string, item *restapi.ProcessItem) {
				if operation == "create" && item.Code() == "NOTIFICATION_GRANTED" {
					item.OwnerID = &other
				}
			},
			want: "a small loan is granted at once: owner of NOTIFICATION_GRANTED: got 01970000-0000-7000-8000-00000000c001, " +
				"want 01970000-0000-7000-8000-00000000c003",
		},
		"claim changes nothing": {
			mistake: func(operation string, item *restapi.ProcessItem) {
				if operation == "claim" {
					item.Task.State = restapi.TaskReady
				}
			},
			want: "a small loan is granted at once: Carol claims it: state: got READY, want CLAIMED",
		},
		"data judged invalid": {
			mistake: func(operation string, item *restapi.ProcessItem) {
				if operation == "update" {
					item.Task.Data.Valid = new(bool)
				}
			},
			want: "a small loan is granted at once: Carol fills in 1200.50 EUR: task data: not valid: []",
		},
		"outcome never comes": {
			mistake: func(operation string, item *restapi.ProcessItem) {
				if operation == "create" && item.Code() == "NOTIFICATION_GRANTED" {
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
			s := newService(t)
			s.mistake = test.mistake
			out, err := driving(t, s, test.args...)
			require.EqualError(t, err, test.want, out)
			require.NotContains(t, out, "all 3 loans")
		})
	}
}

func TestDriveSaysThatTheServiceIsDown(t *testing.T) {
	t.Parallel()
	_, err := driving(t, &service{url: "http://127.0.0.1:1"})
	require.ErrorContains(t, err, "Carol starts the process: createProcess:")
	require.ErrorContains(t, err, "connection refused")
}
