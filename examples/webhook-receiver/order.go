package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
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
type orderDesk struct{ api *client }

// handle takes the step that an event calls for. Events that call for nothing are fine.
func (d orderDesk) handle(ctx context.Context, e event) error {
	switch e.Type {
	case "PROCESS.STATE_CHANGED":
		var data struct {
			ProcessID    uuid.UUID `json:"processId"`
			ProcessState string    `json:"processState"`
		}
		if err := json.Unmarshal(e.Data, &data); err != nil {
			return fmt.Errorf("reading a %s: %w", e.Type, err)
		}
		if data.ProcessState == "RUNNING" {
			return d.api.createTask(ctx, data.ProcessID, codeCheck)
		}
	case "PROCESS_ITEM.TASK_STATE_CHANGED":
		var data struct {
			ProcessID                 uuid.UUID `json:"processId"`
			ProcessItemState          string    `json:"processItemState"`
			ProcessItemDefinitionCode string    `json:"processItemDefinitionCode"`
		}
		if err := json.Unmarshal(e.Data, &data); err != nil {
			return fmt.Errorf("reading a %s: %w", e.Type, err)
		}
		if data.ProcessItemState == "COMPLETED" {
			return d.taskCompleted(ctx, data.ProcessID, data.ProcessItemDefinitionCode)
		}
	}
	return nil
}

func (d orderDesk) taskCompleted(ctx context.Context, process uuid.UUID, code string) error {
	switch code {
	case codeCheck:
		return d.api.createTask(ctx, process, codeShip)
	case codeShip:
		return d.api.completeProcess(ctx, process)
	}
	return nil
}
