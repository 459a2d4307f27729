package procession_test

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

	"github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/rest"
)

// serving starts a server and returns a client of it with millisecond pauses.
func serving(t *testing.T, handler http.HandlerFunc) *procession.Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return newClient(t, procession.ClientConfig{Endpoint: server.URL})
}

func newClient(t *testing.T, cfg procession.ClientConfig) *procession.Client {
	t.Helper()
	cfg.Credentials = procession.ClientCredentials("app", "secret")
	cfg.FirstWait, cfg.MaxWait = time.Millisecond, 2*time.Millisecond
	client, err := procession.NewClient(cfg)
	require.NoError(t, err)
	t.Cleanup(client.Close)
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

func TestOperationsOnTheWire(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	id := uuid.MustParse("01970000-0000-7000-8000-000000000001")
	code, text := "X", "hello"
	patch := rest.JSONPatch{{Op: rest.JSONPatchOperationOpAdd, Path: "/FIRST_NAME", Value: json.RawMessage(`"Carol"`)}}
	const path = "/v2024-06-14/process-items/01970000-0000-7000-8000-000000000001"
	const process = "/v2024-06-14/processes/01970000-0000-7000-8000-000000000001"
	for name, test := range map[string]struct {
		do   func(context.Context, *procession.Client) (*http.Response, error)
		want seen
	}{
		"retrieveProcess": {
			func(ctx context.Context, c *procession.Client) (*http.Response, error) {
				return c.RetrieveProcess(ctx, id)
			},
			seen{method: "GET", uri: process},
		},
		"patchProcessMetadata": {
			func(ctx context.Context, c *procession.Client) (*http.Response, error) {
				return c.PatchProcessMetadataWithApplicationJSONPatchPlusJSONBody(ctx, id, patch)
			},
			seen{
				method: "PATCH", uri: process + "/metadata", mediaType: "application/json-patch+json",
				body: `[{"op":"add","path":"/FIRST_NAME","value":"Carol"}]`,
			},
		},
		"findProcessItems": {
			func(ctx context.Context, c *procession.Client) (*http.Response, error) {
				return c.FindProcessItems(ctx, &rest.FindProcessItemsParams{
					Size: new(100), Sort: []string{"createdAt,asc"}, ProcessID: []uuid.UUID{id}, ProcessItemDefinitionCode: []string{"A", "B"},
				})
			},
			seen{
				method: "GET", uri: "/v2024-06-14/process-items?size=100&sort=createdAt%2Casc" +
					"&processId=01970000-0000-7000-8000-000000000001&processItemDefinitionCode=A&processItemDefinitionCode=B",
			},
		},
		"createProcessItem": {
			func(ctx context.Context, c *procession.Client) (*http.Response, error) {
				return c.CreateProcessItem(ctx, rest.ProcessItemCreateParams{
					ID: &id, Type: rest.ProcessItemTypeMESSAGE, ProcessID: id, ProcessItemDefinitionCode: &code,
					Message: &rest.ProcessItemMessageCreateParams{Text: &text, Data: &rest.JSONValue{Value: json.RawMessage(`{"AMOUNT":7000.00}`)}},
				})
			},
			seen{
				method: "POST", uri: "/v2024-06-14/process-items", mediaType: "application/json",
				body: `{"id":"01970000-0000-7000-8000-000000000001","message":{"data":{"value":{"AMOUNT":7000.00}},"text":"hello"},` +
					`"processId":"01970000-0000-7000-8000-000000000001","processItemDefinitionCode":"X","type":"MESSAGE"}`,
			},
		},
		"completeProcessItemTask": {
			func(ctx context.Context, c *procession.Client) (*http.Response, error) {
				return c.CompleteProcessItemTask(ctx, id)
			},
			seen{method: "POST", uri: path + "/task/~actions/complete"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got seen
			client := serving(t, func(w http.ResponseWriter, r *http.Request) {
				got = record(t, r)
				answer(w, http.StatusOK, `{}`)
			})
			_, err := procession.Decode[struct{}](test.do(t.Context(), client))
			require.NoError(t, err)
			want := test.want
			want.authorization = "Bearer YXBwOnNlY3JldA=="
			want.length = int64(len(want.body))
			require.Equal(t, want, got)
		})
	}
}

func TestRefusalIsTypedAndNotRetried(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	client := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		answer(w, http.StatusBadRequest, `{"timestamp":"2026-01-02T03:04:05Z","status":400,"message":"The request is not valid",`+
			`"errors":[{"code":"VALIDATION","message":"must be a uuid","location":"/id","locationType":"body"}]}`)
	})
	_, err := procession.Decode[rest.Process](client.RetrieveProcess(t.Context(), uuid.Nil))
	var refused *procession.ResponseError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, http.StatusBadRequest, refused.Status)
	require.True(t, procession.HasCode(err, rest.ErrorCodeVALIDATION))
	require.False(t, procession.HasCode(err, rest.ErrorCodeCONFLICT))
	require.Equal(t, http.StatusBadRequest, procession.Status(err))
	require.False(t, refused.Temporary())
	require.EqualError(t, err, "GET /v2024-06-14/processes/00000000-0000-0000-0000-000000000000: HTTP 400: The request is not valid [VALIDATION at body /id]")
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
			item, err := procession.Decode[rest.ProcessItem](client.UpdateProcessItemTaskData(t.Context(), uuid.Nil,
				rest.ProcessItemTaskDataUpdateParams{Data: rest.JSONValue{Value: json.RawMessage(`{}`)}}))
			require.NoError(t, err)
			require.Equal(t, rest.ProcessItemTaskStateCLAIMED, item.Task.State)
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
	_, err := procession.Decode[rest.Process](client.RetrieveProcess(t.Context(), uuid.Nil))
	var refused *procession.ResponseError
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
	_, err := procession.Decode[rest.Process](client.RetrieveProcess(ctx, uuid.Nil))
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
	process, err := procession.Decode[rest.Process](client.RetrieveProcess(t.Context(), uuid.Nil))
	require.NoError(t, err)
	require.Equal(t, rest.ProcessStateCOMPLETED, process.State)
	require.EqualValues(t, 2, calls.Load())
}

func TestServiceDownIsAnErrorThatHidesTheSecret(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	var log bytes.Buffer
	client := newClient(t, procession.ClientConfig{
		Endpoint: "http://" + listener.Addr().String(), Attempts: 2, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	_, err = procession.Decode[rest.Process](client.RetrieveProcess(t.Context(), uuid.Nil))
	require.ErrorContains(t, err, "connection refused")
	require.Contains(t, log.String(), "attempt=1")
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

	roots, err := procession.LoadCAs(file)
	require.NoError(t, err)
	process, err := procession.Decode[rest.Process](newClient(t, procession.ClientConfig{Endpoint: server.URL, RootCAs: roots}).RetrieveProcess(t.Context(), uuid.Nil))
	require.NoError(t, err)
	require.Equal(t, rest.ProcessStateRUNNING, process.State)

	_, err = procession.Decode[rest.Process](newClient(t, procession.ClientConfig{Endpoint: server.URL, Attempts: 1}).RetrieveProcess(t.Context(), uuid.Nil))
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
		_, err := procession.Decode[rest.Process](newClient(t, procession.ClientConfig{Endpoint: server.URL + suffix}).RetrieveProcess(t.Context(), uuid.Nil))
		require.NoError(t, err)
		require.Equal(t, want+uuid.Nil.String(), uri)
	}
	for _, wrong := range []string{"", "127.0.0.1:8080", "ftp://host", "http://", "https://id:secret@host", "https://host?x=1"} {
		_, err := procession.NewClient(procession.ClientConfig{
			Endpoint: wrong, Credentials: procession.BearerToken("token"), ExposeCredentials: true,
		})
		require.ErrorContains(t, err, "the endpoint must ", wrong)
	}
}

func TestNewClientProtectsCredentials(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"http://procession", "http://192.0.2.1:8080", "HTTP://procession.example", "http://127.0.0.1.example",
		"http://localhost.example", "http://[::ffff:c000:201]", "http://0.0.0.0:8080", "http://2130706433",
	} {
		cfg := procession.ClientConfig{Endpoint: address, Credentials: procession.BearerToken("token")}
		_, err := procession.NewClient(cfg)
		require.ErrorContains(t, err, "the endpoint must begin with https://", address)
		require.ErrorContains(t, err, "ExposeCredentials allows it", address)
		cfg.ExposeCredentials = true
		_, err = procession.NewClient(cfg)
		require.NoError(t, err, address)
	}
	for _, address := range []string{"https://procession", "http://localhost:8080", "http://127.0.0.1", "http://127.9.9.9", "http://[::1]:80"} {
		_, err := procession.NewClient(procession.ClientConfig{Endpoint: address, Credentials: procession.BearerToken("token")})
		require.NoError(t, err, address)
	}
	for name, credentials := range map[string]procession.Credentials{
		"none": {}, "no id": procession.ClientCredentials("", "secret"), "no secret": procession.ClientCredentials("id", ""),
		"no token": procession.BearerToken(""),
	} {
		_, err := procession.NewClient(procession.ClientConfig{Endpoint: "https://procession", Credentials: credentials})
		require.ErrorContains(t, err, "none of these may be empty", name)
	}
}

func TestRedirectCarriesNoCredentials(t *testing.T) {
	t.Parallel()
	var followed atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Add(1) }))
	t.Cleanup(elsewhere.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		client := serving(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL, status) })
		_, err := procession.Decode[rest.Process](client.RetrieveProcess(t.Context(), uuid.Nil))
		require.Error(t, err)
	}
	require.Zero(t, followed.Load())
}

// A document is read while it arrives, and the time for an attempt ends with its first byte.
func TestDocumentsAreRead(t *testing.T) {
	t.Parallel()
	goOn := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = io.WriteString(w, "first")
		_ = http.NewResponseController(w).Flush()
		<-goOn
		_, _ = io.WriteString(w, " last")
	}))
	t.Cleanup(server.Close)
	client := newClient(t, procession.ClientConfig{Endpoint: server.URL, Timeout: time.Second})
	response, err := client.DownloadProcessDocument(t.Context(), uuid.Nil, &rest.DownloadProcessDocumentParams{})
	require.NoError(t, err)
	close(goOn)
	content, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, "first last", string(content))
}

func TestAnAttemptHasATime(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	goOn := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) == 1 {
			<-goOn
			return
		}
		answer(w, http.StatusOK, `{}`)
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(goOn) })
	client := newClient(t, procession.ClientConfig{Endpoint: server.URL, Timeout: 50 * time.Millisecond})
	_, err := procession.Decode[rest.Process](client.RetrieveProcess(t.Context(), uuid.Nil))
	require.NoError(t, err)
	require.EqualValues(t, 2, calls.Load())
}

func TestUserActionDocumentThatIsNotAwaited(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]bool{http.StatusOK: true, http.StatusNotModified: false} {
		client := serving(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		taken, err := client.UploadActionDocument(t.Context(), uuid.Nil, uuid.Nil, procession.Document{Name: "a.csv", ContentType: "text/csv"})
		require.NoError(t, err)
		require.Equal(t, want, taken)
	}
}
