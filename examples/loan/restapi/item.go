package restapi

import (
	"context"
	"net/http"
	"net/url"

	"github.com/google/uuid"
)

// FindProcessItems is B21, narrowed to one process and, when codes are given, to items of those definitions. It
// returns the first hundred, oldest first.
func (c *Client) FindProcessItems(ctx context.Context, processID uuid.UUID, codes ...string) ([]ProcessItem, error) {
	var page struct {
		Content []ProcessItem `json:"content"`
	}
	query := url.Values{"size": {"100"}, "sort": {"createdAt,asc"}, "processId": {processID.String()}}
	if len(codes) > 0 {
		query["processItemDefinitionCode"] = codes
	}
	_, err := c.do(ctx, call{
		operation: "findProcessItems", method: http.MethodGet, path: "/process-items", query: query, out: &page,
	})
	return page.Content, err
}

// CreateProcessItem is B22.
func (c *Client) CreateProcessItem(ctx context.Context, params ProcessItemCreateParams) (ProcessItem, error) {
	return c.item(ctx, call{
		operation: "createProcessItem", method: http.MethodPost, path: "/process-items", mediaType: mediaJSON, in: params,
	})
}

// RetrieveProcessItem is B23.
func (c *Client) RetrieveProcessItem(ctx context.Context, id uuid.UUID) (ProcessItem, error) {
	return c.item(ctx, call{operation: "retrieveProcessItem", method: http.MethodGet, path: "/process-items/" + id.String()})
}

// ClaimProcessItemTask is B26: the caller becomes the task's owner.
func (c *Client) ClaimProcessItemTask(ctx context.Context, id uuid.UUID) (ProcessItem, error) {
	return c.item(ctx, call{
		operation: "claimProcessItemTask", method: http.MethodPost, path: "/process-items/" + id.String() + "/task/~actions/claim",
	})
}

// CompleteProcessItemTask is B28: only the task's owner may call it.
func (c *Client) CompleteProcessItemTask(ctx context.Context, id uuid.UUID) (ProcessItem, error) {
	return c.item(ctx, call{
		operation: "completeProcessItemTask", method: http.MethodPost, path: "/process-items/" + id.String() + "/task/~actions/complete",
	})
}

// UpdateProcessItemTaskData is B30: it replaces the task's data as a whole.
func (c *Client) UpdateProcessItemTaskData(ctx context.Context, id uuid.UUID, data Object) (ProcessItem, error) {
	body := struct {
		Data JSONValue `json:"data"`
	}{JSONValue{Value: data}}
	return c.item(ctx, call{
		operation: "updateProcessItemTaskData", method: http.MethodPut, path: "/process-items/" + id.String() + "/task/data",
		mediaType: mediaJSON, in: body,
	})
}

// PatchProcessItemTaskData is B31. Paths point into the data's value.
func (c *Client) PatchProcessItemTaskData(ctx context.Context, id uuid.UUID, patch []PatchOperation) (ProcessItem, error) {
	return c.item(ctx, call{
		operation: "patchProcessItemTaskData", method: http.MethodPatch, path: "/process-items/" + id.String() + "/task/data",
		mediaType: mediaJSONPatch, in: patch,
	})
}

func (c *Client) item(ctx context.Context, what call) (ProcessItem, error) {
	var item ProcessItem
	what.out = &item
	_, err := c.do(ctx, what)
	return item, err
}
