package procession_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/google/uuid"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/rest"
)

// Report and Decision are the data of two tasks, as far as the workflow looks at it.
type (
	Report struct {
		Amount int `json:"AMOUNT"`
	}
	Decision struct {
		Approved bool `json:"APPROVED"`
	}
)

// Claim is a workflow in which damage is reported and decided on.
func Claim(ctx workflow.Context, _ procession.WorkflowRequest) (procession.WorkflowResponse, error) {
	report, err := procession.AwaitTask[Report](ctx, "REPORT")
	if err != nil {
		return procession.WorkflowResponse{}, err
	}
	decision, err := procession.AwaitTask[Decision](ctx, "DECIDE", procession.WithData(report.Data))
	if err != nil {
		return procession.WorkflowResponse{}, err
	}
	if !decision.Data.Approved {
		return procession.WorkflowResponse{Message: "Rejected"}, nil
	}
	_, err = procession.Call[struct{}](ctx, "Pay", report.Data)
	return procession.WorkflowResponse{Message: "Paid"}, err
}

// Pay returns an activity: a permanent refusal ends it, everything else has it repeated.
func Pay(context.Context, Report) (struct{}, error) { return struct{}{}, nil }

func Example() {
	program := procession.Program{
		Name: "claims", TaskQueue: "QUEUE_CLAIMS",
		Register: func(w *procession.Worker) error {
			procession.RegisterWorkflow(w, "ClaimWorkflow", Claim)
			procession.RegisterActivity(w, "Pay", Pay)
			return nil
		},
	}
	// program.Main() in a real program.
	err := program.Run(context.Background(), nil, func(string) string { return "" }, io.Discard, io.Discard)
	fmt.Println(err)
	// Output: no client id: set -client-id or PROCESSION_WORKER_CLIENT_ID
}

func ExampleDecode() {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"state":"RUNNING"}`)
	}))
	defer service.Close()
	client, err := procession.NewClient(procession.ClientConfig{
		Endpoint: service.URL, Credentials: procession.ClientCredentials("id", "secret"),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	process, err := procession.Decode[rest.Process](client.RetrieveProcess(context.Background(), uuid.New()))
	fmt.Println(process.State, err)
	// Output: RUNNING <nil>
}

func ExampleTemporary() {
	err := fmt.Errorf("reading the process: %w", &procession.ResponseError{Status: http.StatusServiceUnavailable})
	fmt.Println(procession.Temporary(err), procession.Temporary(errors.New("no money")))
	// Output: true false
}

func ExampleItemID() {
	process := uuid.MustParse("01970000-0000-7000-8000-000000000001")
	fmt.Println(procession.ItemID(process, "REPORT"))
	// Output: bbee9959-7a99-5e94-8605-8d6375b717a2
}
