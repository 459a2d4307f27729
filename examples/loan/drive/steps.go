package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/rest"
)

// pollInterval separates two looks at something awaited.
const pollInterval = 20 * time.Millisecond

// drive runs scenarios and prints the steps.
type drive struct {
	cfg   config
	cast  cast
	clock func() time.Time
	out   io.Writer
}

func (d *drive) printTitle(text string, processID uuid.UUID) {
	_, _ = fmt.Fprintf(d.out, "\n%s (process %s)\n", text, processID)
}

// runStep runs one action under the step deadline and prints its line, which the action may end with a short finding.
func (d *drive) runStep(ctx context.Context, who person, what string, action func(context.Context) (string, error)) error {
	ctx, cancel := context.WithTimeout(ctx, d.cfg.stepDeadline)
	defer cancel()
	begun := d.clock()
	finding, err := action(ctx)
	took := float64(d.clock().Sub(begun).Microseconds()) / 1000
	mark := "ok"
	if err != nil {
		mark, finding = "!!", "surprise"
	}
	_, _ = fmt.Fprintf(d.out, "  %s  %-6s %-46s %-14s %9.1f ms\n", mark, who.name, what, finding, took)
	if err != nil {
		return fmt.Errorf("%s %s: %w", who.name, what, err)
	}
	return nil
}

// awaitCondition calls look every 20 ms until it reports success, fails, or the step deadline passes; then the error contains
// the last finding.
func (d *drive) awaitCondition(ctx context.Context, who person, what string, look func(context.Context) (seen string, done bool, err error)) error {
	return d.runStep(ctx, who, what, func(ctx context.Context) (string, error) {
		ticker := time.NewTicker(pollInterval)
		defer ticker.Stop()
		seen := "nothing yet"
		for {
			latest, done, err := look(ctx)
			if err == nil {
				seen = latest
			}
			switch {
			case errors.Is(ctx.Err(), context.DeadlineExceeded):
				return "", fmt.Errorf("not within %s; last seen: %s", d.cfg.stepDeadline, seen)
			case err != nil || done:
				return seen, err
			}
			select {
			case <-ticker.C:
			case <-ctx.Done():
			}
		}
	})
}

// awaitTask waits until the process has exactly one task of that code, visible to the person and in that state.
func (d *drive) awaitTask(
	ctx context.Context, who person, processID uuid.UUID, code string, state rest.ProcessItemTaskState,
) (rest.ProcessItemPageItem, error) {
	var found rest.ProcessItemPageItem
	err := d.awaitCondition(ctx, who, "waits for "+code, func(ctx context.Context) (string, bool, error) {
		items, err := findItems(ctx, who, processID, code)
		if err != nil || len(items) == 0 {
			return "no " + code, false, err
		}
		found = items[0]
		return string(found.Task.State), true, firstOf(
			requireEqual("number of "+code+" items", len(items), 1),
			requireEqual("type of "+code, found.Type, rest.ProcessItemTypeTASK),
			requireEqual("code", found.ProcessItemDefinitionRef.Code, code),
			requireEqual("process of "+code, found.ProcessID, processID),
			requireEqual("state of "+code, found.Task.State, state),
		)
	})
	return found, err
}

// findItems lists the items of a process, of all codes or of some, the oldest first.
func findItems(ctx context.Context, who person, processID uuid.UUID, codes ...string) ([]rest.ProcessItemPageItem, error) {
	page, err := procession.Decode[rest.ProcessItemPage](who.api.FindProcessItems(ctx, &rest.FindProcessItemsParams{
		Size: new(100), Sort: []string{"createdAt,asc"}, ProcessID: []uuid.UUID{processID}, ProcessItemDefinitionCode: codes,
	}))
	return page.Content, err
}

func (d *drive) awaitProcess(ctx context.Context, who person, processID uuid.UUID, state rest.ProcessState) error {
	return d.awaitCondition(ctx, who, "waits for the end of the process", func(ctx context.Context) (string, bool, error) {
		process, err := procession.Decode[rest.Process](who.api.RetrieveProcess(ctx, processID))
		if err != nil {
			return "", false, err
		}
		if process.State != rest.ProcessStateRUNNING && process.State != state {
			return "", false, fmt.Errorf("process is %s, want %s", process.State, state)
		}
		return string(process.State), process.State == state, nil
	})
}

func (d *drive) claimTask(ctx context.Context, who person, itemID uuid.UUID) error {
	return d.runStep(ctx, who, "claims it", func(ctx context.Context) (string, error) {
		item, err := procession.Decode[rest.ProcessItem](who.api.ClaimProcessItemTask(ctx, itemID))
		if err != nil {
			return "", err
		}
		return string(item.Task.State), firstOf(
			requireEqual("state", item.Task.State, rest.ProcessItemTaskStateCLAIMED), expectPrincipal("owner", item.OwnerID, who.id),
		)
	})
}

func (d *drive) completeTask(ctx context.Context, who person, itemID uuid.UUID) error {
	return d.runStep(ctx, who, "completes it", func(ctx context.Context) (string, error) {
		item, err := procession.Decode[rest.ProcessItem](who.api.CompleteProcessItemTask(ctx, itemID))
		if err != nil {
			return "", err
		}
		return string(item.Task.State), requireEqual("state", item.Task.State, rest.ProcessItemTaskStateCOMPLETED)
	})
}

func requireEqual[T comparable](what string, got, want T) error {
	if got != want {
		return fmt.Errorf("%s: got %v, want %v", what, got, want)
	}
	return nil
}

func expectPrincipal(what string, got *uuid.UUID, want uuid.UUID) error {
	if got == nil {
		return fmt.Errorf("%s: got none, want %s", what, want)
	}
	return requireEqual(what, *got, want)
}

func expectValid(item rest.ProcessItem) error {
	if item.Task == nil || item.Task.Data == nil || item.Task.Data.Valid == nil {
		return errors.New("task data: the answer does not say whether it is valid")
	}
	if !*item.Task.Data.Valid {
		return fmt.Errorf("task data: not valid: %v", item.Task.Data.Errors)
	}
	return nil
}

// expectRefusal wants one of the statuses as the outcome of a call that must not succeed.
func expectRefusal(err error, statuses ...int) (string, error) {
	if err == nil {
		return "", errors.New("the service allowed it")
	}
	if !slices.Contains(statuses, procession.Status(err)) {
		return "", err
	}
	return fmt.Sprintf("refused (%d)", procession.Status(err)), nil
}

// dataOf returns the data of a task, by member.
func dataOf(item rest.ProcessItem) map[string]string { return stringMembers(item.Task.Data) }

// stringMembers returns the members of a value as they are written in it.
func stringMembers(value *rest.JSONValue) map[string]string {
	var raw map[string]json.RawMessage
	if value == nil || json.Unmarshal(value.Value, &raw) != nil {
		return nil
	}
	result := map[string]string{}
	for name, member := range raw {
		result[name] = string(member)
	}
	return result
}

// firstOf returns the first error, or nil when there is none.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
