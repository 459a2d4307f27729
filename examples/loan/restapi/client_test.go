package restapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/examples/loan/restapi"
)

// serving starts a server and returns a client of it with millisecond pauses.
func serving(t *testing.T, handler http.HandlerFunc) *restapi.Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return newClient(t, restapi.Config{Endpoint: server.URL})
}

func newClient(t *testing.T, cfg restapi.Config) *restapi.Client {
	t.Helper()
	cfg.Credentials = restapi.ClientCredentials("app", "secret")
	cfg.FirstWait, cfg.MaxWait = time.Millisecond, 2*time.Millisecond
	client, err := restapi.New(cfg)
	require.NoError(t, err)
	t.Cleanup(client.CloseIdleConnections)
	return client
}

func answer(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

type seen struct {
	method, uri, authorization, mediaType, body string
	length                                      int64
}

func record(t *testing.T, r *http.Request) seen {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return seen{r.Method, r.RequestURI, r.Header.Get("Authorization"), r.Header.Get("Content-Type"), string(body), r.ContentLength}
}

func TestOperationsOnTheWire(t *testing.T) {
	t.Parallel()
	id := uuid.MustParse("01970000-0000-7000-8000-000000000001")
	owner := uuid.MustParse("01970000-0000-7000-8000-00000000c003")
	patch := []restapi.PatchOperation{{Op: "add", Path: "/FIRST_NAME", Value: json.RawMessage(`"Carol"`)}}
	const path = "/v2024-06-14/process-items/01970000-0000-7000-8000-000000000001"
	const process = "/v2024-06-14/processes/01970000-0000-7000-8000-000000000001"
	for name, test := range map[string]struct {
		do   func(context.Context, *restapi.Client) error
		want seen
	}{
		"createProcess": {
			func(ctx context.Context, c *restapi.Client) error {
				_, created, err := c.CreateProcess(ctx, restapi.ProcessCreateParams{ID: id, ProcessDefinitionID: owner})
				require.False(t, created)
				return err
			},
			seen{
				method: "POST", uri: "/v2024-06-14/processes", mediaType: "application/json",
				body: `{"id":"01970000-0000-7000-8000-000000000001","processDefinitionId":"01970000-0000-7000-8000-00000000c003"}`,
			},
		},
		"retrieveProcess": {
			func(ctx context.Context, c *restapi.Client) error { _, err := c.RetrieveProcess(ctx, id); return err },
			seen{method: "GET", uri: process},
		},
		"patchProcessMetadata": {
			func(ctx context.Context, c *restapi.Client) error {
				_, err := c.PatchProcessMetadata(ctx, id, patch)
				return err
			},
			seen{
				method: "PATCH", uri: process + "/metadata", mediaType: "application/json-patch+json",
				body: `[{"op":"add","path":"/FIRST_NAME","value":"Carol"}]`,
			},
		},
		"findProcessItems": {
			func(ctx context.Context, c *restapi.Client) error {
				_, err := c.FindProcessItems(ctx, id, "A", "B")
				return err
			},
			seen{
				method: "GET", uri: "/v2024-06-14/process-items?processId=01970000-0000-7000-8000-000000000001" +
					"&processItemDefinitionCode=A&processItemDefinitionCode=B&size=100&sort=createdAt%2Casc",
			},
		},
		"createProcessItem": {
			func(ctx context.Context, c *restapi.Client) error {
				_, err := c.CreateProcessItem(ctx, restapi.ProcessItemCreateParams{
					ID: id, Type: restapi.ItemTask, ProcessID: id, OwnerID: &owner, ProcessItemDefinitionCode: "X",
					Task: &restapi.TaskCreateParams{Data: &restapi.JSONValue{Value: restapi.Object{"AMOUNT": json.RawMessage("7000.00")}}},
				})
				return err
			},
			seen{
				method: "POST", uri: "/v2024-06-14/process-items", mediaType: "application/json",
				body: `{"id":"01970000-0000-7000-8000-000000000001","type":"TASK","processId":"01970000-0000-7000-8000-000000000001",` +
					`"ownerId":"01970000-0000-7000-8000-00000000c003","processItemDefinitionCode":"X","task":{"data":{"value":{"AMOUNT":7000.00}}}}`,
			},
		},
		"retrieveProcessItem": {
			func(ctx context.Context, c *restapi.Client) error {
				_, err := c.RetrieveProcessItem(ctx, id)
				return err
			},
			seen{method: "GET", uri: path},
		},
		"claimProcessItemTask": {
			func(ctx context.Context, c *restapi.Client) error {
				_, err := c.ClaimProcessItemTask(ctx, id)
				return err
			},
			seen{method: "POST", uri: path + "/task/~actions/claim"},
		},
		"completeProcessItemTask": {
			func(ctx context.Context, c *restapi.Client) error {
				_, err := c.CompleteProcessItemTask(ctx, id)
				return err
			},
			seen{method: "POST", uri: path + "/task/~actions/complete"},
		},
		"updateProcessItemTaskData": {
			func(ctx context.Context, c *restapi.Client) error {
				_, err := c.UpdateProcessItemTaskData(ctx, id, restapi.Object{"A": json.RawMessage("1")})
				return err
			},
			seen{method: "PUT", uri: path + "/task/data", mediaType: "application/json", body: `{"data":{"value":{"A":1}}}`},
		},
		"patchProcessItemTaskData": {
			func(ctx context.Context, c *restapi.Client) error {
				_, err := c.PatchProcessItemTaskData(ctx, id, patch)
				return err
			},
			seen{
				method: "PATCH", uri: path + "/task/data", mediaType: "application/json-patch+json",
				body: `[{"op":"add","path":"/FIRST_NAME","value":"Carol"}]`,
			},
		},
		"createWorker": {
			func(ctx context.Context, c *restapi.Client) error {
				window, err := c.CreateWorker(ctx, restapi.WorkerCreateParams{
					Identity: "i", TaskQueue: "q", WorkflowTypes: []string{"w"}, ActivityTypes: []string{}, Hostname: "h", IP: "127.0.0.1",
				})
				require.Equal(t, 300*time.Second, window, "the window without a header")
				return err
			},
			seen{
				method: "POST", uri: "/v2024-06-14/workers", mediaType: "application/json",
				body: `{"identity":"i","taskQueue":"q","workflowTypes":["w"],"activityTypes":[],"hostname":"h","ip":"127.0.0.1"}`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got seen
			client := serving(t, func(w http.ResponseWriter, r *http.Request) {
				got = record(t, r)
				answer(w, http.StatusOK, `{}`)
			})
			require.NoError(t, test.do(t.Context(), client))
			want := test.want
			want.authorization = "Bearer YXBwOnNlY3JldA=="
			want.length = int64(len(want.body))
			require.Equal(t, want, got)
		})
	}
}

func TestCreateProcessTellsCreatedFromFound(t *testing.T) {
	t.Parallel()
	client := serving(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusCreated, `{"state":"RUNNING"}`) })
	process, created, err := client.CreateProcess(t.Context(), restapi.ProcessCreateParams{})
	require.NoError(t, err)
	require.True(t, created)
	require.Equal(t, restapi.ProcessRunning, process.State)
}

func TestCreateWorkerReadsTheDelayWindow(t *testing.T) {
	t.Parallel()
	client := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-KF-DELAY-WINDOW", "42")
		answer(w, http.StatusOK, `{}`)
	})
	window, err := client.CreateWorker(t.Context(), restapi.WorkerCreateParams{})
	require.NoError(t, err)
	require.Equal(t, 42*time.Second, window)
}

func TestCreateEngineToken(t *testing.T) {
	t.Parallel()
	var sent seen
	client := serving(t, func(w http.ResponseWriter, r *http.Request) {
		sent = record(t, r)
		answer(w, http.StatusOK, `{"type":"ENGINE_TOKEN","engineToken":{"token":"jwt","expiredAt":"2026-01-02T03:04:05.678901Z"}}`)
	})
	token, expires, err := client.CreateEngineToken(t.Context())
	require.NoError(t, err)
	require.JSONEq(t, `{"type":"ENGINE_TOKEN"}`, sent.body)
	require.Equal(t, "jwt", token)
	require.Equal(t, time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC), expires)
}

func TestAuthenticationWithoutTheGrantIsAnError(t *testing.T) {
	t.Parallel()
	client := serving(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, `{}`) })
	_, _, err := client.CreateEngineToken(t.Context())
	require.ErrorContains(t, err, "no engineToken")
	_, err = client.CreateEngineCertificate(t.Context())
	require.ErrorContains(t, err, "no engineCertificate")
}

func TestRefusalIsTypedAndNotRetried(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	client := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		answer(w, http.StatusBadRequest, `{"timestamp":"2026-01-02T03:04:05Z","status":400,"message":"The request is not valid",`+
			`"errors":[{"code":"VALIDATION","message":"must be a uuid","location":"/id","locationType":"body"}]}`)
	})
	_, err := client.RetrieveProcess(t.Context(), uuid.Nil)
	var refused *restapi.ResponseError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, http.StatusBadRequest, refused.Status)
	require.Equal(t, []restapi.ErrorInfo{{Code: "VALIDATION", Message: "must be a uuid", Location: "/id", LocationType: "body"}}, refused.Body.Errors)
	require.False(t, refused.Temporary())
	require.EqualError(t, err, "retrieveProcess: HTTP 400: The request is not valid [VALIDATION at body /id]")
	require.EqualValues(t, 1, calls.Load())
}

func TestTemporaryRefusalsAreRetriedWithTheSameBody(t *testing.T) {
	t.Parallel()
	for _, status := range []int{408, 429, 500, 502, 503, 504} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			var bodies []string
			client := serving(t, func(w http.ResponseWriter, r *http.Request) {
				bodies = append(bodies, record(t, r).body)
				if calls.Add(1) < 3 {
					answer(w, status, `<html>a proxy</html>`)
					return
				}
				answer(w, http.StatusOK, `{"task":{"state":"CLAIMED"}}`)
			})
			item, err := client.UpdateProcessItemTaskData(t.Context(), uuid.Nil, restapi.Object{})
			require.NoError(t, err)
			require.Equal(t, restapi.TaskClaimed, item.TaskState())
			same := `{"data":{"value":{}}}`
			require.Equal(t, []string{same, same, same}, bodies)
		})
	}
}

func TestAttemptsAreBounded(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	client := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		answer(w, http.StatusServiceUnavailable, ``)
	})
	_, err := client.RetrieveProcess(t.Context(), uuid.Nil)
	var refused *restapi.ResponseError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "Service Unavailable", refused.Body.Message)
	require.EqualValues(t, 4, calls.Load())
}

func TestRetryAfterIsWaitedForOnlyWhileTheContextLives(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	client := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		answer(w, http.StatusServiceUnavailable, ``)
		cancel()
	})
	_, err := client.RetrieveProcess(ctx, uuid.Nil)
	require.Error(t, err)
	require.ErrorIs(t, ctx.Err(), context.Canceled)
}

func TestLostConnectionIsRetried(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	client := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) == 1 {
			panic(http.ErrAbortHandler)
		}
		answer(w, http.StatusOK, `{"state":"COMPLETED"}`)
	})
	process, err := client.RetrieveProcess(t.Context(), uuid.Nil)
	require.NoError(t, err)
	require.Equal(t, restapi.ProcessCompleted, process.State)
	require.EqualValues(t, 2, calls.Load())
}

func TestServiceDownIsAnErrorThatHidesTheSecret(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	var log bytes.Buffer
	client := newClient(t, restapi.Config{
		Endpoint: "http://" + listener.Addr().String(), Attempts: 2, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	_, err = client.RetrieveProcess(t.Context(), uuid.Nil)
	require.ErrorContains(t, err, "connection refused")
	require.Contains(t, log.String(), "operation=retrieveProcess attempt=1")
	require.NotContains(t, log.String()+err.Error(), "YXBwOnNlY3JldA")
}

func TestHTTPSWithCAFile(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, `{"state":"RUNNING"}`)
	}))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "ca.pem")
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	require.NoError(t, os.WriteFile(file, ca, 0o600))

	roots, err := restapi.LoadCAs(file)
	require.NoError(t, err)
	process, err := newClient(t, restapi.Config{Endpoint: server.URL, RootCAs: roots}).RetrieveProcess(t.Context(), uuid.Nil)
	require.NoError(t, err)
	require.Equal(t, restapi.ProcessRunning, process.State)

	_, err = newClient(t, restapi.Config{Endpoint: server.URL, Attempts: 1}).RetrieveProcess(t.Context(), uuid.Nil)
	require.ErrorContains(t, err, "certificate", "without the CA the server is not trusted")
}

func TestEndpointForms(t *testing.T) {
	t.Parallel()
	var uri string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		uri = r.RequestURI
		answer(w, http.StatusOK, `{}`)
	}))
	t.Cleanup(server.Close)
	for suffix, want := range map[string]string{
		"":                "/v2024-06-14/processes/",
		"/":               "/v2024-06-14/processes/",
		"/v2024-06-14":    "/v2024-06-14/processes/",
		"/v2024-06-14/":   "/v2024-06-14/processes/",
		"/apis/external/": "/apis/external/v2024-06-14/processes/",
	} {
		_, err := newClient(t, restapi.Config{Endpoint: server.URL + suffix}).RetrieveProcess(t.Context(), uuid.Nil)
		require.NoError(t, err)
		require.Equal(t, want+uuid.Nil.String(), uri)
	}
	for _, wrong := range []string{"", "127.0.0.1:8080", "ftp://host", "http://"} {
		_, err := restapi.New(restapi.Config{Endpoint: wrong})
		require.Error(t, err, wrong)
	}
}
