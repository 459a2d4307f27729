package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"
)

const (
	oldSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	newSecret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
)

// deliver sends an event as the service does, signed with a secret.
func deliver(t *testing.T, to http.Handler, secret, id, body string) int {
	t.Helper()
	signer, err := standardwebhooks.NewWebhook(secret)
	require.NoError(t, err)
	now := time.Now()
	signature, err := signer.Sign(id, now, []byte(body))
	require.NoError(t, err)
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body))
	request.Header.Set("Webhook-Id", id)
	request.Header.Set("Webhook-Timestamp", strconv.FormatInt(now.Unix(), 10))
	request.Header.Set("Webhook-Signature", signature)
	answer := httptest.NewRecorder()
	to.ServeHTTP(answer, request)
	return answer.Code
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func TestEventsAreVerifiedAndHandledOnce(t *testing.T) {
	t.Parallel()
	var handled []string
	var failure error
	r, err := newReceiver([]string{oldSecret, newSecret}, func(_ context.Context, e event) error {
		handled = append(handled, e.ID)
		return failure
	}, quiet())
	require.NoError(t, err)
	require.Equal(t, 200, deliver(t, r, oldSecret, "1", `{"id":"1"}`))
	require.Equal(t, 200, deliver(t, r, newSecret, "1", `{"id":"1"}`), "another attempt")
	require.Equal(t, 200, deliver(t, r, newSecret, "2", `{"id":"2"}`))
	require.Equal(t, []string{"1", "2"}, handled)

	require.Equal(t, 401, deliver(t, r, "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "3", `{"id":"3"}`))
	require.Equal(t, 400, deliver(t, r, oldSecret, "3", `no event`))
	require.Len(t, handled, 2)

	// What failed is handled when it comes again.
	failure = errors.New("the service does not answer")
	require.Equal(t, 503, deliver(t, r, oldSecret, "3", `{"id":"3"}`))
	failure = nil
	require.Equal(t, 200, deliver(t, r, oldSecret, "3", `{"id":"3"}`))
	require.Equal(t, []string{"1", "2", "3", "3"}, handled)

	_, err = newReceiver([]string{"whsec_?"}, nil, quiet())
	require.ErrorContains(t, err, "webhook secret 1")
}

// An attempt that comes while the one before is still being handled is not handled
// at the same time.
func TestAnEventIsHandledByOneAtATime(t *testing.T) {
	t.Parallel()
	begun, goOn := make(chan struct{}), make(chan struct{})
	r, err := newReceiver([]string{oldSecret}, func(context.Context, event) error {
		close(begun)
		<-goOn
		return nil
	}, quiet())
	require.NoError(t, err)
	var first sync.WaitGroup
	first.Go(func() { deliver(t, r, oldSecret, "1", `{"id":"1"}`) })
	<-begun
	require.Equal(t, 503, deliver(t, r, oldSecret, "1", `{"id":"1"}`))
	close(goOn)
	first.Wait()
	require.Equal(t, 200, deliver(t, r, oldSecret, "1", `{"id":"1"}`))
}

// The oldest of very many events are forgotten.
func TestNotEverythingIsRemembered(t *testing.T) {
	t.Parallel()
	r, err := newReceiver(nil, nil, quiet())
	require.NoError(t, err)
	for i := range remembered + 5 {
		r.end(strconv.Itoa(i), true)
	}
	require.Len(t, r.done, remembered)
	again, _ := r.begin("4")
	require.False(t, again)
	again, _ = r.begin("5")
	require.True(t, again)
}

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
				id, secret, _ := r.BasicAuth()
				if id != "app" || secret != "s3cret" {
					t.Errorf("the credentials are %s", id)
				}
				got = append(got, strings.TrimPrefix(r.URL.Path, version)+" "+in.Code)
				w.WriteHeader(status)
				_, _ = io.WriteString(w, body)
			}))
			t.Cleanup(server.Close)
			desk := orderDesk{api: newClient(config{endpoint: server.URL + "/", clientID: "app", clientSecret: "s3cret"})}
			e := event{Type: test.kind, Data: json.RawMessage(`{"processId":"` + process.String() + `",` + test.data + `}`)}
			require.NoError(t, desk.handle(t.Context(), e))
			if test.want == "" {
				require.Empty(t, got)
				return
			}
			require.Equal(t, []string{test.want}, got)
			status, body = 409, `{"errors":[{"code":"PROCESS_FINISHED"}]}`
			require.NoError(t, desk.handle(t.Context(), e), "there is nothing left to do")
			status, body = 503, `{}`
			require.ErrorContains(t, desk.handle(t.Context(), e), "HTTP 503")
		})
	}
}

func TestConfigurationThatCannotWorkIsRefused(t *testing.T) {
	t.Parallel()
	all := map[string]string{
		"WEBHOOK_RECEIVER_CLIENT_ID": "app", "WEBHOOK_RECEIVER_CLIENT_SECRET": "s3cret",
		"WEBHOOK_RECEIVER_WEBHOOK_SECRETS": oldSecret + " " + newSecret, "WEBHOOK_RECEIVER_LISTEN": "127.0.0.1:1",
	}
	cfg, err := parseConfig([]string{"-endpoint", "https://flag"}, func(name string) string { return all[name] }, io.Discard)
	require.NoError(t, err)
	require.Equal(t, config{
		listen: "127.0.0.1:1", endpoint: "https://flag", clientID: "app", clientSecret: "s3cret", webhookSecrets: []string{oldSecret, newSecret},
	}, cfg)
	for missing, want := range map[string]string{
		"WEBHOOK_RECEIVER_CLIENT_ID": "no client id", "WEBHOOK_RECEIVER_CLIENT_SECRET": "no client secret",
		"WEBHOOK_RECEIVER_WEBHOOK_SECRETS": "no webhook secret",
	} {
		getenv := func(name string) string {
			if name == missing {
				return ""
			}
			return all[name]
		}
		require.ErrorContains(t, run(t.Context(), nil, getenv, io.Discard, io.Discard), want)
	}
	require.ErrorContains(t, run(t.Context(), []string{"x"}, func(name string) string { return all[name] }, io.Discard, io.Discard), "unexpected argument")
}
