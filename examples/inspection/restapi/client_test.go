package restapi_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/examples/inspection/restapi"
)

// serve returns a client of a service that answers everything in one way, and what it was asked last.
func serve(t *testing.T, status int, answer string) (*restapi.Client, *request) {
	t.Helper()
	asked := &request{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*asked = request{r.Method + " " + r.URL.Path, r.URL.Query(), r.Header.Get("Authorization"), string(body)}
		w.Header().Set("X-KF-DELAY-WINDOW", "60")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	client, err := restapi.New(server.URL+"/", restapi.ClientCredentials("app", "s3cret"), nil)
	require.NoError(t, err)
	return client, asked
}

type request struct {
	line          string
	query         url.Values
	authorization string
	body          string
}

func TestOperationsSpeakTheContract(t *testing.T) {
	t.Parallel()
	id := uuid.MustParse("01970000-0000-7000-8000-000000000001")
	const self = "01970000-0000-7000-8000-000000000001"
	rating := restapi.SaveElementCommand{
		ElementDefinitionCode: "RATING", ElementValues: []restapi.ElementValue{restapi.Number("4.50")},
	}
	task := restapi.Task{
		ID: id, ProcessID: id, TaskDefinition: restapi.Definition{Code: "INSPECT"},
		ElementValues: restapi.ElementValues{"NOTE": {restapi.Text("look \"there\"")}},
	}
	for name, test := range map[string]struct {
		call  func(context.Context, *restapi.Client) error
		line  string
		query url.Values
		body  string
	}{
		"createProcess": {
			call: func(ctx context.Context, c *restapi.Client) error {
				_, err := c.CreateProcess(ctx, restapi.Process{ID: id, ProcessDefinition: restapi.Definition{ID: &id}})
				return err
			},
			line: "POST /v2022-10-08/processes", body: `{"id":"` + self + `","processDefinition":{"id":"` + self + `"}}`,
		},
		"retrieveProcess": {
			call: func(ctx context.Context, c *restapi.Client) error { _, err := c.RetrieveProcess(ctx, id); return err },
			line: "GET /v2022-10-08/processes/" + self,
		},
		"saveProcessElement": {
			call: func(ctx context.Context, c *restapi.Client) error {
				_, err := c.SaveProcessElement(ctx, id, rating)
				return err
			},
			line: "POST /v2022-10-08/processes/" + self + "/~actions/save-element",
			body: `{"elementDefinitionCode":"RATING","elementValues":[{"type":"NUMBER","value":4.50}]}`,
		},
		"findTasks": {
			call: func(ctx context.Context, c *restapi.Client) error {
				_, err := c.FindTasks(ctx, id, "INSPECT")
				return err
			},
			line:  "GET /v2022-10-08/tasks",
			query: url.Values{"processId": {self}, "taskDefinitionCode": {"INSPECT"}, "sort": {"createdAt,asc"}},
		},
		"createTask": {
			call: func(ctx context.Context, c *restapi.Client) error { _, err := c.CreateTask(ctx, task, nil); return err },
			line: "POST /v2022-10-08/tasks",
			body: `{"id":"` + self + `","processId":"` + self + `","taskDefinition":{"code":"INSPECT"},` +
				`"elementValues":{"NOTE":[{"type":"STRING","value":"look \"there\""}]}}`,
		},
		"createTask with an activity token": {
			call: func(ctx context.Context, c *restapi.Client) error {
				_, err := c.CreateTask(ctx, restapi.Task{ID: id, ProcessID: id}, []byte{0xfb, 0xff, 0xfe, 1})
				return err
			},
			line: "POST /v2022-10-08/tasks", query: url.Values{"activityToken": {"+//+AQ=="}},
			body: `{"id":"` + self + `","processId":"` + self + `","taskDefinition":{}}`,
		},
		"retrieveTask": {
			call: func(ctx context.Context, c *restapi.Client) error { _, err := c.RetrieveTask(ctx, id); return err },
			line: "GET /v2022-10-08/tasks/" + self,
		},
		"assignTask": {
			call: func(ctx context.Context, c *restapi.Client) error {
				_, err := c.AssignTask(ctx, id, "a@b.example")
				return err
			},
			line: "POST /v2022-10-08/tasks/" + self + "/~actions/assign", body: `{"email":"a@b.example"}`,
		},
		"saveTaskElement": {
			call: func(ctx context.Context, c *restapi.Client) error {
				_, err := c.SaveTaskElement(ctx, id, rating)
				return err
			},
			line: "POST /v2022-10-08/tasks/" + self + "/~actions/save-element",
			body: `{"elementDefinitionCode":"RATING","elementValues":[{"type":"NUMBER","value":4.50}]}`,
		},
		"completeTask": {
			call: func(ctx context.Context, c *restapi.Client) error { _, err := c.CompleteTask(ctx, id); return err },
			line: "POST /v2022-10-08/tasks/" + self + "/~actions/complete",
		},
		"createWorker": {
			call: func(ctx context.Context, c *restapi.Client) error {
				window, err := c.CreateWorker(ctx, restapi.Worker{Identity: "me", TaskQueue: "Q", Hostname: "h", IP: "127.0.0.1"})
				require.Equal(t, time.Minute, window)
				return err
			},
			line: "POST /v2022-10-08/workers",
			body: `{"identity":"me","taskQueue":"Q","workflowTypes":null,"activityTypes":null,"hostname":"h","ip":"127.0.0.1"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, asked := serve(t, http.StatusOK, `{}`)
			require.NoError(t, test.call(t.Context(), client))
			if test.query == nil {
				test.query = url.Values{}
			}
			require.Equal(t, test.line, asked.line)
			require.Equal(t, test.query, asked.query)
			require.Equal(t, "Bearer YXBwOnMzY3JldA==", asked.authorization)
			if test.body == "" {
				require.Empty(t, asked.body)
				return
			}
			require.JSONEq(t, test.body, asked.body)
		})
	}
}

func TestAccessIsReadFromTheNewFields(t *testing.T) {
	t.Parallel()
	client, asked := serve(t, http.StatusOK, `{"token":"old","engineToken":{"token":"jwt","expiredAt":"2026-03-02T10:30:15.5Z"},
		"engineCertificate":{"namespace":"demo","tls":{"clientCertificate":"c"}}}`)
	token, expires, err := client.CreateEngineToken(t.Context())
	require.NoError(t, err)
	require.Equal(t, "jwt", token)
	require.Equal(t, time.Date(2026, 3, 2, 10, 30, 15, 5e8, time.UTC), expires)
	require.JSONEq(t, `{"type":"ENGINE_TOKEN"}`, asked.body)
	certificate, err := client.CreateEngineCertificate(t.Context())
	require.NoError(t, err)
	require.Equal(t, "demo", certificate.Namespace)
	require.JSONEq(t, `{"type":"ENGINE_CERTIFICATE"}`, asked.body)

	empty, _ := serve(t, http.StatusOK, `{}`)
	_, _, err = empty.CreateEngineToken(t.Context())
	require.ErrorContains(t, err, "no engineToken")
	_, err = empty.CreateEngineCertificate(t.Context())
	require.ErrorContains(t, err, "no engineCertificate")
}

func TestNumbersKeepTheirDigits(t *testing.T) {
	t.Parallel()
	client, _ := serve(t, http.StatusOK, `{"elementValues":{"RATING":[{"type":"NUMBER","value":4.50}],"NONE":[{"type":"NUMBER"}],
		"WRONG":[{"type":"NUMBER","value":1,"valid":false}]}}`)
	task, err := client.RetrieveTask(t.Context(), uuid.New())
	require.NoError(t, err)
	require.Equal(t, "4.50", string(task.ElementValues.First("RATING").Value))
	require.True(t, task.ElementValues.First("RATING").IsValid())
	for _, code := range []string{"NONE", "WRONG", "ABSENT"} {
		require.False(t, task.ElementValues.First(code).IsValid(), code)
	}
}

func TestErrorsTellWhatMattersAndNoSecrets(t *testing.T) {
	t.Parallel()
	refusing, _ := serve(t, http.StatusBadRequest,
		`{"status":400,"message":"no","errors":[{"code":"VALIDATION","message":"m","location":"activityToken","locationType":"query"}]}`)
	_, err := refusing.CreateTask(t.Context(), restapi.Task{}, []byte("token"))
	require.EqualError(t, err, "createTask: HTTP 400: no [VALIDATION at query activityToken]")
	var refused *restapi.ResponseError
	require.ErrorAs(t, err, &refused)
	require.False(t, refused.Temporary())

	broken, _ := serve(t, http.StatusBadGateway, `<html>`)
	_, err = broken.RetrieveTask(t.Context(), uuid.New())
	require.ErrorAs(t, err, &refused)
	require.True(t, refused.Temporary())

	unreachable, err := restapi.New("http://127.0.0.1:1", restapi.ClientCredentials("app", "s3cret"), nil)
	require.NoError(t, err)
	_, err = unreachable.CreateTask(t.Context(), restapi.Task{}, []byte("token"))
	require.Error(t, err)
	require.NotContains(t, err.Error(), "dG9rZW4")

	_, err = restapi.New("ftp://somewhere", restapi.BearerToken("t"), nil)
	require.ErrorContains(t, err, "not an http or https address")
}
