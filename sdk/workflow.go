package procession

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/sdk/rest"
)

// Failure types of workflows that cannot go on. The service turns such a failure into an incident of the process.
const (
	// TaskCancelled is the type of the failure of AwaitTask for a task that was cancelled.
	TaskCancelled = "TaskCancelled"
	// TaskDataInvalid is the type of the failure of AwaitTask for data that does not fit the Go type.
	TaskDataInvalid = "TaskDataInvalid"
)

// process contains the process of a workflow.
type process struct {
	id uuid.UUID
	// own reports whether this is the process workflow, which receives the signals about items.
	own       bool
	completed map[uuid.UUID]bool
	// arrived are the messages and threads that no call has returned yet, in their order.
	arrived []uuid.UUID
}

type processKey struct{}

// withProcess prepares the context of a workflow: activities are repeated without bound, and the process is known.
func withProcess(ctx workflow.Context, request any) workflow.Context {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Minute,
		RetryPolicy:         &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute},
	})
	p := &process{completed: map[uuid.UUID]bool{}}
	switch r := request.(type) {
	case WorkflowRequest:
		p.id, p.own = r.ProcessID, true
		workflow.Go(ctx, p.collectSignals)
	case UserActionRequest:
		p.id = r.ProcessID
	case RobotRequest:
		p.id = r.ProcessID
	}
	return workflow.WithValue(ctx, processKey{}, p)
}

// collectSignals remembers the content of signals about items. A signal may arrive before the activity that created its task has
// returned, and more than once: of tasks only membership counts.
func (p *process) collectSignals(ctx workflow.Context) {
	signals := workflow.GetSignalChannel(ctx, itemSignalName)
	seen := map[uuid.UUID]bool{}
	for {
		var signal ItemSignal
		if !signals.Receive(ctx, &signal) {
			return
		}
		switch {
		case signal.Type == string(rest.ProcessItemTypeTASK):
			p.completed[signal.ID] = true
		case !seen[signal.ID]:
			seen[signal.ID] = true
			p.arrived = append(p.arrived, signal.ID)
		}
	}
}

// processIn returns the process of a workflow that RegisterWorkflow has prepared the context of.
func processIn(ctx workflow.Context) (*process, error) {
	p, ok := ctx.Value(processKey{}).(*process)
	if !ok || p.id == uuid.Nil {
		return nil, temporal.NewNonRetryableApplicationError("the workflow is not about a process", "NoProcess", nil)
	}
	return p, nil
}

// Execute calls the operation of the API with that name, spelled as in the API's contract, and returns its response. Use
// it for operations that this package has no function for.
func Execute[Res any](ctx workflow.Context, operation string, request any) (Res, error) {
	return callOperation[Res](ctx, operationPrefix+operation, request)
}

// callOperation is Call for an activity of the API. It sends heartbeats, so that it is retried soon after its task was lost.
func callOperation[Res any](ctx workflow.Context, name string, request any) (Res, error) {
	if workflow.GetActivityOptions(ctx).HeartbeatTimeout == 0 {
		ctx = workflow.WithHeartbeatTimeout(ctx, operationLost)
	}
	return Call[Res](ctx, name, request)
}

// Call runs an activity that RegisterActivity knows under that name and returns its response.
func Call[Res any](ctx workflow.Context, name string, request any) (Res, error) {
	var response Res
	err := workflow.ExecuteActivity(ctx, name, request).Get(ctx, &response)
	return response, err
}

// Option is a member of an item that is to be created.
type Option func(*rest.ProcessItemCreateParams) error

// WithOwner makes a principal the owner of a task, which is claimed by that.
func WithOwner(principalID uuid.UUID) Option {
	return func(p *rest.ProcessItemCreateParams) error {
		p.OwnerID = &principalID
		return nil
	}
}

// WithOwnerEmail makes the user with that e-mail address the owner of a task.
func WithOwnerEmail(email string) Option {
	return func(p *rest.ProcessItemCreateParams) error {
		p.OwnerEmail = &email
		return nil
	}
}

// WithData fills in data of a task or of a message: anything that is encoded as a JSON object.
func WithData(data any) Option {
	return func(p *rest.ProcessItemCreateParams) error {
		value, err := valueOf(data)
		if err != nil {
			return err
		}
		if p.Message != nil {
			p.Message.Data = &value
			return nil
		}
		p.Task = orDefault(p.Task, &rest.ProcessItemTaskCreateParams{})
		p.Task.Data = &value
		return nil
	}
}

// WithContextData fills in the context data of a task, which its owner reads and does not change.
func WithContextData(data any) Option {
	return func(p *rest.ProcessItemCreateParams) error {
		value, err := valueOf(data)
		p.Task = orDefault(p.Task, &rest.ProcessItemTaskCreateParams{})
		p.Task.ContextData = &value
		return err
	}
}

// WithDataDefinition names the data definition that the data of a message follows.
func WithDataDefinition(code string) Option {
	return func(p *rest.ProcessItemCreateParams) error {
		if p.Message == nil {
			return errors.New("only messages have a data definition of their own")
		}
		p.Message.DataStructureDataDefinitionCode = &code
		return nil
	}
}

// WithThread attaches the item to a thread.
func WithThread(threadID uuid.UUID) Option {
	return func(p *rest.ProcessItemCreateParams) error {
		p.ProcessItemThreadID = &threadID
		return nil
	}
}

// WithKey distinguishes an item from others with the same code in the process: the id of an item follows from the process, the
// code and the key.
func WithKey(key string) Option {
	return func(p *rest.ProcessItemCreateParams) error {
		id := ItemID(p.ProcessID, *p.ProcessItemDefinitionCode+"/"+key)
		p.ID = &id
		return nil
	}
}

// ItemID returns the id that CreateTask gives the item with that code in a process: a version 5 UUID.
func ItemID(processID uuid.UUID, code string) uuid.UUID {
	return uuid.NewSHA1(processID, []byte(code))
}

// valueOf encodes data as the value of a task, a message or a process.
func valueOf(data any) (rest.JSONValue, error) {
	raw, err := json.Marshal(data)
	if err != nil {
		return rest.JSONValue{}, fmt.Errorf("encoding data: %w", err)
	}
	if !bytes.HasPrefix(raw, []byte("{")) {
		return rest.JSONValue{}, fmt.Errorf("data is not a JSON object but %.20s", raw)
	}
	return rest.JSONValue{Value: raw}, nil
}

// CreateTask creates a task of the process and does not wait for it. However often the activity or the whole workflow is
// repeated, the process has one task of each code, unless WithKey says otherwise.
func CreateTask(ctx workflow.Context, code string, options ...Option) (rest.ProcessItem, error) {
	p, err := processIn(ctx)
	if err != nil {
		return rest.ProcessItem{}, err
	}
	return createItem(ctx, rest.ProcessItemCreateParams{Type: rest.ProcessItemTypeTASK, ProcessID: p.id}, code, options)
}

// SendMessage creates a message in the process, or in a thread with WithThread. Its id is derived from the code, as for
// tasks; a second message with the same code needs WithKey.
func SendMessage(ctx workflow.Context, code, text string, options ...Option) (rest.ProcessItem, error) {
	p, err := processIn(ctx)
	if err != nil {
		return rest.ProcessItem{}, err
	}
	params := rest.ProcessItemCreateParams{
		Type: rest.ProcessItemTypeMESSAGE, ProcessID: p.id, Message: &rest.ProcessItemMessageCreateParams{},
	}
	if text != "" {
		params.Message.Text = &text
	}
	return createItem(ctx, params, code, options)
}

func createItem(ctx workflow.Context, params rest.ProcessItemCreateParams, code string, options []Option) (rest.ProcessItem, error) {
	id := ItemID(params.ProcessID, code)
	params.ID, params.ProcessItemDefinitionCode = &id, &code
	for _, option := range options {
		if err := option(&params); err != nil {
			return rest.ProcessItem{}, temporal.NewNonRetryableApplicationError(err.Error(), TaskDataInvalid, err)
		}
	}
	response, err := Execute[ItemResponse](ctx, "createProcessItem", params)
	if err == nil {
		workflow.GetLogger(ctx).Info("item created", "code", code, "item", response.ProcessItem.ID.String())
	}
	return response.ProcessItem, err
}

// Task is a completed task with its data as a Go type. Decoding ignores members without a field. The data may violate the
// schema, unless the definition requires valid data: check the members that the workflow relies on. Numbers keep all their
// digits in fields of type json.RawMessage or json.Number.
type Task[T any] struct {
	Item rest.ProcessItem
	Data T
}

// AwaitTask creates a task and returns it when it is completed, which may take months. It fails with TaskCancelled when
// the task was cancelled before, and with the cancellation of the workflow when the process is cancelled. Only the
// workflow of a process can await its tasks.
func AwaitTask[T any](ctx workflow.Context, code string, options ...Option) (Task[T], error) {
	created, err := CreateTask(ctx, code, options...)
	if err != nil {
		return Task[T]{}, err
	}
	return AwaitCompletion[T](ctx, created)
}

// AwaitCompletion is the second half of AwaitTask: it returns a task that CreateTask has created when it is completed. A signal
// alone does not complete a task: AwaitCompletion reads it, and continues to wait unless its state is COMPLETED.
// With it a workflow waits for one of several tasks, or in coroutines for all of them.
func AwaitCompletion[T any](ctx workflow.Context, created rest.ProcessItem) (Task[T], error) {
	p, err := processIn(ctx)
	if err != nil {
		return Task[T]{}, err
	}
	if !p.own {
		return Task[T]{}, temporal.NewNonRetryableApplicationError("only the workflow of the process gets the signals about tasks", "NoProcess", nil)
	}
	if created.Task != nil && created.Task.State == rest.ProcessItemTaskStateCANCELLED {
		return Task[T]{}, temporal.NewNonRetryableApplicationError(fmt.Sprintf("task %s was cancelled", codeOf(created)), TaskCancelled, nil)
	}
	for {
		if err := workflow.Await(ctx, func() bool { return Completed(ctx, created) }); err != nil {
			return Task[T]{}, err
		}
		// A signal that arrives while the task is read causes another read.
		delete(p.completed, created.ID)
		response, err := Execute[ItemResponse](ctx, "retrieveProcessItem", ItemRequest{created.ID})
		if err != nil || isCompleted(created) || isCompleted(response.ProcessItem) {
			p.completed[created.ID] = true
		}
		if err != nil {
			return Task[T]{}, err
		}
		if p.completed[created.ID] {
			workflow.GetLogger(ctx).Info("task completed", "code", codeOf(created), "item", created.ID.String())
			return TaskOf[T](response.ProcessItem)
		}
		workflow.GetLogger(ctx).Warn("signal about a task that is not completed", "code", codeOf(created), "item", created.ID.String())
	}
}

// Completed reports whether a task is known to be completed: an earlier run of the workflow has seen that, or the signal
// has arrived. Use it in workflow.Await and workflow.AwaitWithTimeout.
func Completed(ctx workflow.Context, created rest.ProcessItem) bool {
	p, err := processIn(ctx)
	if err != nil {
		return false
	}
	return p.completed[created.ID] || isCompleted(created)
}

func isCompleted(item rest.ProcessItem) bool {
	return item.Task != nil && item.Task.State == rest.ProcessItemTaskStateCOMPLETED
}

// TaskOf reads the data of a task. A task without data has the zero value. Data of another form is a failure for good.
func TaskOf[T any](item rest.ProcessItem) (Task[T], error) {
	if item.Task == nil {
		return Task[T]{Item: item}, nil
	}
	data, err := decodeValue[T](item.Task.Data, "data of task "+codeOf(item))
	return Task[T]{item, data}, err
}

func codeOf(item rest.ProcessItem) string {
	if item.ProcessItemDefinitionRef == nil {
		return ""
	}
	return item.ProcessItemDefinitionRef.Code
}

// AwaitMessage returns the next message or thread that a user creates in the process, each once.
func AwaitMessage(ctx workflow.Context) (rest.ProcessItem, error) {
	p, err := processIn(ctx)
	if err != nil {
		return rest.ProcessItem{}, err
	}
	if err := workflow.Await(ctx, func() bool { return len(p.arrived) > 0 }); err != nil {
		return rest.ProcessItem{}, err
	}
	id := p.arrived[0]
	p.arrived = p.arrived[1:]
	response, err := Execute[ItemResponse](ctx, "retrieveProcessItem", ItemRequest{id})
	return response.ProcessItem, err
}
