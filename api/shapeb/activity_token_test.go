package shapeb_test

import (
	"encoding/base64"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	oasa "github.com/procession-dev/procession/api/shapea/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/enginetest"
)

// A token is accepted in every base64 form, never shown in an answer, and used
// once, when the task is finished.
func TestActivityTokens(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	worker := demo.LoanWorker()
	task := func(process string) string {
		return `{"processId":"` + process + `","taskDefinition":{"code":"NOTIFICATION_GRANTED"},"owner":{"id":"` + worker.ID.String() + `"}}`
	}
	with := func(token string) string { return apitest.ShapeA + "/tasks?activityToken=" + url.QueryEscape(token) }
	own := s.Loan()
	loan := own.ID.String()
	// Bytes that Temporal or a guard before it adds to tokens are stored
	// unchanged.
	secret := protowire.AppendString(
		protowire.AppendTag(enginetest.ActivityToken(own.ID, "secret"), 1000, protowire.BytesType), "\xfb\xff\xfe!")

	failure := s.Refused(400, "VALIDATION", worker, "POST", with("not base64!"), task(loan))
	require.Equal(t, "activityToken", failure.Errors[0].Location)
	manual := s.Process(demo.Alice(), demo.Onboarding()).ID.String()
	failure = s.Refused(400, "VALIDATION", demo.Alice(), "POST", with(base64.StdEncoding.EncodeToString(secret)),
		`{"processId":"`+manual+`","taskDefinition":{"code":"CHECKLIST"}}`)
	require.Equal(t, "activityToken", failure.Errors[0].Location)
	// An activity of another workflow of the namespace is none of the caller's, and without the event that scheduled it
	// Temporal would look an activity up by its id.
	another := s.Loan().ID
	for name, token := range map[string][]byte{
		"another process": enginetest.ActivityToken(another, "a"), "no workflow": enginetest.TokenOf("", "a", 5),
		"a guessed activity": enginetest.TokenOf("process-"+own.ID.String(), "a", 0), "no token": []byte("guess"),
		"a workflow behind a code": enginetest.TokenOf("north-process-"+own.ID.String(), "a", 5),
		"a component":              protowire.AppendString(protowire.AppendTag(enginetest.ActivityToken(own.ID, "a"), 14, protowire.BytesType), "c"),
		"two workflows": protowire.AppendString(
			protowire.AppendTag(enginetest.ActivityToken(own.ID, "a"), 2, protowire.BytesType), "process-"+another.String()),
	} {
		failure = s.Refused(400, "VALIDATION", worker, "POST", with(base64.StdEncoding.EncodeToString(token)), task(loan))
		require.Equal(t, "activityToken", failure.Errors[0].Location, name)
	}
	require.Equal(t, 0, s.Count(`SELECT count(*) FROM process_items WHERE activity_token IS NOT NULL`))

	for _, encoding := range []*base64.Encoding{
		base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding,
	} {
		got := s.Post(201, worker, with(encoding.EncodeToString(secret)), task(loan))
		require.NotContains(t, got.Body, "oken")
		made := apitest.Decode[oasa.Task](t, got)
		require.Equal(t, 1, s.Count(`SELECT count(*) FROM process_items WHERE id = $1 AND activity_token = $2`, made.ID, secret))

		s.Post(200, worker, apitest.ShapeB+"/process-items/"+made.ID.String()+"/task/~actions/complete", "")
		require.Equal(t, 0, s.Count(`SELECT count(*) FROM process_items WHERE id = $1 AND activity_token IS NOT NULL`, made.ID))
		require.Equal(t, 1, s.Count(`SELECT count(*) FROM engine_commands
			WHERE kind = 'COMPLETE_ACTIVITY' AND activity_token = $1`, secret))
		require.Equal(t, 1, s.Count(`WITH done AS (DELETE FROM engine_commands WHERE kind = 'COMPLETE_ACTIVITY' RETURNING 1)
			SELECT count(*) FROM done`))
	}
}
