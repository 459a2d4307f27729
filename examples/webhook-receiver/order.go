package main

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/rest"
	"github.com/procession-dev/procession/sdk/webhooks"
)

const (
	codeCheck = "CHECK_ORDER"
	codeShip  = "SHIP_ORDER"
)

// orderDesk drives the processes ORDER:
//
//	the process runs ─▶ CHECK_ORDER ─▶ completed ─▶ SHIP_ORDER ─▶ completed ─▶ the process is completed
//
// An event may come more than once, also after the program was restarted, and one that had to be repeated may come
// after later ones. So each step can be taken again: the id of an item follows from its process, and the service finds
// the item that is there already.
type orderDesk struct{ api *procession.Client }

// handleEvent executes the step that follows an event. It ignores other events.
func (d orderDesk) handleEvent(ctx context.Context, e webhooks.Event) error {
	switch e.Type {
	case webhooks.ProcessStateChanged:
		process, err := webhooks.Decode[webhooks.ProcessState](e)
		if err != nil || process.State != rest.ProcessStateRUNNING {
			return err
		}
		return d.createTask(ctx, process.ProcessID, codeCheck)
	case webhooks.TaskStateChanged:
		task, err := webhooks.Decode[webhooks.TaskState](e)
		if err != nil || task.State != rest.ProcessItemTaskStateCOMPLETED {
			return err
		}
		return d.taskCompleted(ctx, task.ProcessID, task.Code)
	}
	return nil
}

func (d orderDesk) taskCompleted(ctx context.Context, process uuid.UUID, code string) error {
	switch code {
	case codeCheck:
		return d.createTask(ctx, process, codeShip)
	case codeShip:
		return unlessFinished(d.api.CompleteProcess(ctx, process))
	}
	return nil
}

// createTask creates the task of a process that has the code. A task that is there already is left as it is.
func (d orderDesk) createTask(ctx context.Context, process uuid.UUID, code string) error {
	return unlessFinished(d.api.CreateProcessItem(ctx, rest.ProcessItemCreateParams{
		ID: new(procession.ItemID(process, code)), ProcessID: process, Type: rest.ProcessItemTypeTASK, ProcessItemDefinitionCode: &code,
	}))
}

// unlessFinished returns the error of a call, nil if the process has ended.
func unlessFinished(response *http.Response, err error) error {
	if procession.HasCode(err, rest.ErrorCodePROCESSFINISHED) {
		return nil
	}
	if err != nil {
		return err
	}
	return response.Body.Close()
}
