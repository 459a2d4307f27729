package restapi

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/google/uuid"
)

// defaultWindow is the registration period when the service names none.
const defaultWindow = 300 * time.Second

// CreateProcess is A6.
func (c *Client) CreateProcess(ctx context.Context, process Process) (created Process, err error) {
	_, err = c.do(ctx, call{"createProcess", http.MethodPost, "/processes", nil, process, &created})
	return created, err
}

// RetrieveProcess is A8.
func (c *Client) RetrieveProcess(ctx context.Context, id uuid.UUID) (process Process, err error) {
	_, err = c.do(ctx, call{"retrieveProcess", http.MethodGet, "/processes/" + id.String(), nil, nil, &process})
	return process, err
}

// SaveProcessElement is A9: it replaces the values of one element of the process.
func (c *Client) SaveProcessElement(ctx context.Context, id uuid.UUID, element SaveElementCommand) (process Process, err error) {
	path := "/processes/" + id.String() + "/~actions/save-element"
	_, err = c.do(ctx, call{"actionsProcessSaveElement", http.MethodPost, path, nil, element, &process})
	return process, err
}

// FindTasks is A17: the tasks of a process that the caller sees, oldest first, without their values.
func (c *Client) FindTasks(ctx context.Context, process uuid.UUID, code string) ([]Task, error) {
	var page struct {
		Content []Task `json:"content"`
	}
	query := url.Values{"processId": {process.String()}, "taskDefinitionCode": {code}, "sort": {"createdAt,asc"}}
	_, err := c.do(ctx, call{"findTasks", http.MethodGet, "/tasks", query, nil, &page})
	return page.Content, err
}

// CreateTask is A18. A task that has the id already is returned as it is. With an activity token the service completes
// that activity when the task is finished.
func (c *Client) CreateTask(ctx context.Context, task Task, activityToken []byte) (created Task, err error) {
	var query url.Values
	if activityToken != nil {
		query = url.Values{"activityToken": {base64.StdEncoding.EncodeToString(activityToken)}}
	}
	_, err = c.do(ctx, call{"createTask", http.MethodPost, "/tasks", query, task, &created})
	return created, err
}

// RetrieveTask is A19.
func (c *Client) RetrieveTask(ctx context.Context, id uuid.UUID) (task Task, err error) {
	_, err = c.do(ctx, call{"retrieveTask", http.MethodGet, "/tasks/" + id.String(), nil, nil, &task})
	return task, err
}

// AssignTask is A21: a user, named by e-mail, becomes the task's owner.
func (c *Client) AssignTask(ctx context.Context, id uuid.UUID, email string) (Task, error) {
	return c.act(ctx, "actionsTaskAssign", id, "assign", map[string]string{"email": email})
}

// SaveTaskElement is A22: it replaces the values of one element of the task.
func (c *Client) SaveTaskElement(ctx context.Context, id uuid.UUID, element SaveElementCommand) (Task, error) {
	return c.act(ctx, "actionsTaskSaveElement", id, "save-element", element)
}

// CompleteTask is A31: only the task's owner may call it.
func (c *Client) CompleteTask(ctx context.Context, id uuid.UUID) (Task, error) {
	return c.act(ctx, "actionsTaskComplete", id, "complete", nil)
}

func (c *Client) act(ctx context.Context, operation string, id uuid.UUID, action string, in any) (task Task, err error) {
	path := "/tasks/" + id.String() + "/~actions/" + action
	_, err = c.do(ctx, call{operation, http.MethodPost, path, nil, in, &task})
	return task, err
}

// CreateWorker is A33: it registers the worker, or renews its registration, under its identity. The result is the
// period after which to register again.
func (c *Client) CreateWorker(ctx context.Context, worker Worker) (time.Duration, error) {
	header, err := c.do(ctx, call{"createWorker", http.MethodPost, "/workers", nil, worker, nil})
	if err != nil {
		return 0, err
	}
	seconds, err := strconv.Atoi(header.Get("X-KF-DELAY-WINDOW"))
	if err != nil || seconds <= 0 {
		return defaultWindow, nil //nolint:nilerr // an absent or odd header is no failure: the registration stands
	}
	return time.Duration(seconds) * time.Second, nil
}

// CreateEngineToken is A38 with type ENGINE_TOKEN. The second result is when the token expires.
func (c *Client) CreateEngineToken(ctx context.Context) (string, time.Time, error) {
	var answer struct {
		EngineToken struct {
			Token     string    `json:"token"`
			ExpiredAt time.Time `json:"expiredAt"`
		} `json:"engineToken"`
	}
	err := c.authenticate(ctx, "ENGINE_TOKEN", &answer)
	if err == nil && (answer.EngineToken.Token == "" || answer.EngineToken.ExpiredAt.IsZero()) {
		err = errors.New("createAuthentication: the answer holds no engineToken that expires")
	}
	return answer.EngineToken.Token, answer.EngineToken.ExpiredAt, err
}

// CreateEngineCertificate is A38 with type ENGINE_CERTIFICATE.
func (c *Client) CreateEngineCertificate(ctx context.Context) (EngineCertificate, error) {
	var answer struct {
		EngineCertificate EngineCertificate `json:"engineCertificate"`
	}
	err := c.authenticate(ctx, "ENGINE_CERTIFICATE", &answer)
	if err == nil && answer.EngineCertificate.Namespace == "" {
		err = errors.New("createAuthentication: the answer holds no engineCertificate")
	}
	return answer.EngineCertificate, err
}

func (c *Client) authenticate(ctx context.Context, kind string, answer any) error {
	in := map[string]string{"type": kind}
	_, err := c.do(ctx, call{"createAuthentication", http.MethodPost, "/authentications", nil, in, answer})
	return err
}
