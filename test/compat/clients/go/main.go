// Command clients calls both API versions by clients that oapi-codegen makes of their contracts.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	_ "clients/admin"
	"clients/shape_a"
	"clients/shape_b"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	endpoint := os.Getenv("COMPAT_ENDPOINT")
	credentials := func(_ context.Context, request *http.Request) error {
		request.SetBasicAuth(os.Getenv("COMPAT_CLIENT_ID"), os.Getenv("COMPAT_CLIENT_SECRET"))
		return nil
	}
	b, err := shape_b.NewClientWithResponses(endpoint+"/v2024-06-14", shape_b.WithRequestEditorFn(credentials))
	if err != nil {
		return err
	}
	code, first := "LOAN", "LOAN_APPLICATION"
	created, err := b.CreateProcessWithResponse(ctx, nil, shape_b.ProcessCreateParams{ProcessDefinitionCode: &code})
	if err != nil || created.JSON201 == nil {
		return fmt.Errorf("creating a process: %v %s", err, created.Body)
	}
	process := created.JSON201.Id
	item, err := b.CreateProcessItemWithResponse(ctx, nil, shape_b.ProcessItemCreateParams{
		ProcessId: process, Type: shape_b.TASK, ProcessItemDefinitionCode: &first,
	})
	if err != nil || item.JSON201 == nil {
		return fmt.Errorf("creating a task: %v %s", err, item.Body)
	}
	items, err := b.FindProcessItemsWithResponse(ctx, &shape_b.FindProcessItemsParams{})
	if err != nil || items.JSON200 == nil || len(items.JSON200.Content) == 0 {
		return fmt.Errorf("listing tasks: %v %s", err, items.Body)
	}
	refused, err := b.CreateProcessWithResponse(ctx, nil, shape_b.ProcessCreateParams{})
	if err != nil || refused.StatusCode() != http.StatusBadRequest || refused.JSONDefault == nil {
		return fmt.Errorf("creating a process without a definition: %v %s", err, refused.Body)
	}

	a, err := shape_a.NewClientWithResponses(endpoint+"/v2022-10-08", shape_a.WithRequestEditorFn(credentials))
	if err != nil {
		return err
	}
	task, err := a.RetrieveTaskWithResponse(ctx, item.JSON201.Id, nil)
	if err != nil || task.JSON200 == nil || task.JSON200.TaskDefinition.Name == nil {
		return fmt.Errorf("reading a task: %v %s", err, task.Body)
	}

	cancelled, err := b.CancelProcessWithResponse(ctx, process, nil)
	if err != nil || cancelled.JSON200 == nil {
		return fmt.Errorf("cancelling a process: %v %s", err, cancelled.Body)
	}
	return nil
}
