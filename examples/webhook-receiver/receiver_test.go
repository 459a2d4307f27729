package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/webhooks"
)

func TestTheOrderDeskTakesTheNextStep(t *testing.T) {
	t.Parallel()
	process := uuid.MustParse("01970000-0000-7000-8000-000000000001")
	for name, test := range map[string]struct {
		kind, data string
		want       string
	}{
		"runs":         {"PROCESS.STATE_CHANGED", `"processState":"RUNNING"`, "/process-items CHECK_ORDER"},
		"ended":        {"PROCESS.STATE_CHANGED", `"processState":"COMPLETED"`, ""},
		"checked":      {"PROCESS_ITEM.TASK_STATE_CHANGED", `"processItemState":"COMPLETED","processItemDefinitionCode":"CHECK_ORDER"`, "/process-items SHIP_ORDER"},
		"claimed":      {"PROCESS_ITEM.TASK_STATE_CHANGED", `"processItemState":"CLAIMED","processItemDefinitionCode":"CHECK_ORDER"`, ""},
		"shipped":      {"PROCESS_ITEM.TASK_STATE_CHANGED", `"processItemState":"COMPLETED","processItemDefinitionCode":"SHIP_ORDER"`, "/processes/" + process.String() + "/~actions/complete "},
		"another task": {"PROCESS_ITEM.TASK_STATE_CHANGED", `"processItemState":"COMPLETED","processItemDefinitionCode":"X"`, ""},
		"a test":       {"PING", `"webhookSubscriptionId":"x"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			status, body := 200, `{}`
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var in struct {
					ID   uuid.UUID `json:"id"`
					Code string    `json:"processItemDefinitionCode"`
				}
				_ = json.NewDecoder(r.Body).Decode(&in)
				if in.Code != "" && in.ID != uuid.NewSHA1(process, []byte(in.Code)) {
					t.Errorf("the id of %s is %s", in.Code, in.ID)
				}
				got = append(got, strings.TrimPrefix(r.URL.Path, "/v2024-06-14")+" "+in.Code)
				w.WriteHeader(status)
				_, _ = io.WriteString(w, body)
			}))
			t.Cleanup(server.Close)
			api, err := procession.NewClient(procession.ClientConfig{
				Endpoint: server.URL, Credentials: procession.BearerToken("token"), Attempts: 1,
			})
			require.NoError(t, err)
			e := webhooks.Event{Type: test.kind, Data: json.RawMessage(`{"processId":"` + process.String() + `",` + test.data + `}`)}
			require.NoError(t, orderDesk{api}.handleEvent(t.Context(), e))
			if test.want == "" {
				require.Empty(t, got)
				return
			}
			require.Equal(t, []string{test.want}, got)
			status, body = 409, `{"message":"no","errors":[{"code":"PROCESS_FINISHED"}]}`
			require.NoError(t, orderDesk{api}.handleEvent(t.Context(), e), "there is nothing left to do")
			status, body = 503, `{}`
			require.ErrorContains(t, orderDesk{api}.handleEvent(t.Context(), e), "HTTP 503")
		})
	}
}

func TestConfigurationThatCannotWorkIsRefused(t *testing.T) {
	t.Parallel()
	all := map[string]string{
		"WEBHOOK_RECEIVER_CLIENT_ID": "app", "WEBHOOK_RECEIVER_CLIENT_SECRET": "s3cret",
		"WEBHOOK_RECEIVER_WEBHOOK_SECRETS": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "WEBHOOK_RECEIVER_LISTEN": "nowhere",
	}
	for missing, want := range map[string]string{
		"WEBHOOK_RECEIVER_CLIENT_ID": "no client id", "WEBHOOK_RECEIVER_CLIENT_SECRET": "no client secret",
		"WEBHOOK_RECEIVER_WEBHOOK_SECRETS": "no webhook secret", "": "listening",
	} {
		getenv := func(name string) string {
			if name == missing {
				return ""
			}
			return all[name]
		}
		require.ErrorContains(t, runReceiver(t.Context(), nil, getenv, io.Discard, io.Discard), want)
	}
}
