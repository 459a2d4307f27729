package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/sdk/rest"
)

// errCancelled is the failure of waiting for a process that was cancelled.
var errCancelled = errors.New("the process was cancelled")

func newProcessesHistoryCommand(env Environment) *cobra.Command {
	var follow bool
	var limit int
	var after, workflow string
	var engine bool
	var out *output
	cmd := processCommand(env, &cobra.Command{
		Use: "history", Short: "Show the events of a process, the oldest first",
		Long: "Shows the visible events of a process, its items, user actions and documents, in sentences.\n" +
			"With --follow it goes on until the process has ended or the command is interrupted.\n\n" +
			"With --engine it shows the waits and events of the process' workflow in Temporal, the\n" +
			"oldest of the newest events first. Managers of the process may ask for that.",
	}, func(cmd *cobra.Command, s *service, id uuid.UUID) error {
		if engine {
			return s.showEngine(cmd, out, id, workflow, after, env.Clock())
		}
		if workflow != "" {
			return usageError("--workflow needs --engine")
		}
		if err := checkLimit(limit); err != nil {
			return err
		}
		h := history{service: s, out: out, process: id, after: after, limit: limit}
		if follow {
			return s.awaitEnd(cmd, &h)
		}
		more, err := h.showNew(cmd)
		if more {
			cmd.PrintErrf("There may be more: --after %s\n", h.after)
		}
		return err
	})
	cmd.Flags().BoolVar(&follow, "follow", false, "follow new events until the process has ended")
	cmd.Flags().StringVar(&after, "after", "", "continue after a printed `cursor`, or that of an event")
	cmd.Flags().BoolVar(&engine, "engine", false, "look into the workflow of the process")
	cmd.Flags().StringVar(&workflow, "workflow", "", "with --engine, look into another workflow of the process: its `id`")
	cmd.MarkFlagsMutuallyExclusive("engine", "follow")
	bindLimit(cmd, &limit, pageSize)
	out = bindOutput(cmd, formatTable, formatJSON, formatYAML, formatJQ)
	return cmd
}

// history is how far the history of a process has been shown.
type history struct {
	*service

	out     *output
	process uuid.UUID
	after   string
	limit   int
}

// showNew writes the next events, and reports whether there may be more.
func (h *history) showNew(cmd *cobra.Command) (more bool, err error) {
	answer, err := h.rest.FindProcessEvents(cmd.Context(), h.process,
		&rest.FindProcessEventsParams{After: nonEmpty(h.after), Limit: &h.limit})
	found, err := receive[rest.ProcessEventList](h.service, answer, err)
	if err != nil || len(found.Content) == 0 {
		return false, err
	}
	h.after = found.Content[len(found.Content)-1].Cursor
	more = len(found.Content) == h.limit
	if !h.out.isTable() {
		return more, writeLines(cmd, h.out, found.Content)
	}
	for _, e := range found.Content {
		if isFirstState(&e) {
			continue
		}
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s  %s\n", timeText(e.OccurredAt), cellText(eventSentence(&e)))
		if err != nil {
			return more, err
		}
	}
	return more, nil
}

// awaitEnd waits for the end of a process and shows its events with h, unless h is quiet.
// It fails unless the process is completed.
func (s *service) awaitEnd(cmd *cobra.Command, h *history) error {
	var state rest.ProcessState
	err := pollUntil(cmd.Context(), func() (bool, error) {
		process, err := s.retrieveProcess(cmd.Context(), h.process)
		if err != nil {
			return false, err
		}
		for more := h.out != nil; more; {
			if more, err = h.showNew(cmd); err != nil {
				return false, err
			}
		}
		state = process.State
		return state != rest.ProcessStateRUNNING, nil
	})
	if err == nil && state == rest.ProcessStateCANCELLED {
		err = errCancelled
	}
	return err
}

// isFirstState reports whether an event repeats the state in the event of the creation.
func isFirstState(e *rest.ProcessEvent) bool {
	state := valueOf(e.State)
	return strings.HasSuffix(e.Type, "STATE_CHANGED") && e.PreviousState == nil &&
		(state == string(rest.ProcessStateRUNNING) || state == string(rest.ProcessItemTaskStateREADY))
}

// eventSentence describes an event with its actor.
func eventSentence(e *rest.ProcessEvent) string {
	return cmp.Or(valueOf(e.ActorName), "Procession") + " " + eventPhrase(e)
}

// eventPhrases returns the events that need no more words. %s stands for the name of the item.
func eventPhrases() map[string]string {
	return map[string]string{
		"PROCESS.CREATED":                    "started the process",
		"PROCESS.DELETED":                    "deleted the process",
		"PROCESS.INITIATOR_CHANGED":          "gave the process another initiator",
		"PROCESS.METADATA_SAVED":             "changed the metadata",
		"PROCESS.ENTITY_SAVED":               "changed the entity",
		"PROCESS.ELEMENT_SAVED":              "changed the values of the process",
		"PROCESS.ELEMENT_DELETED":            "changed the values of the process",
		"PROCESS.EXPORTED":                   "downloaded the process",
		"PROCESS.REPAIRED":                   "repaired the process by hand",
		"DOCUMENT.UPLOADED":                  "uploaded a document",
		"PROCESS_ITEM.TASK_PLANNED":          "planned %s",
		"PROCESS_ITEM.TASK_OVERDUE":          "noted that %s is overdue",
		"PROCESS_ITEM.TASK_ESCALATED":        "escalated %s",
		"PROCESS_ITEM.TASK_DATA_SAVED":       "filled in %s",
		"PROCESS_ITEM.TASK_ELEMENT_SAVED":    "filled in %s",
		"PROCESS_ITEM.TASK_ELEMENT_DELETED":  "filled in %s",
		"PROCESS_ITEM.TASK_ASSISTANCE_ASKED": "asked for AI assistance with %s",
	}
}

// eventPhrase describes an event without its actor. Events of newer services are described by their type.
func eventPhrase(e *rest.ProcessEvent) string {
	item := cmp.Or(valueOf(e.ProcessItemName), valueOf(e.ProcessItemDefinitionCode), "a message")
	if text, ok := eventPhrases()[e.Type]; ok {
		return strings.ReplaceAll(text, "%s", item)
	}
	state := valueOf(e.State)
	switch e.Type {
	case "PROCESS.STATE_CHANGED":
		return statePhrase(state, "RUNNING", "set running") + " the process"
	case "PROCESS_ITEM.CREATED":
		kind := "item"
		if e.ProcessItemType != nil {
			kind = strings.ToLower(string(*e.ProcessItemType))
		}
		if kind == "message" {
			return "wrote a message"
		}
		return "created the " + kind + " " + item
	case "PROCESS_ITEM.TASK_STATE_CHANGED":
		if owner := valueOf(e.OwnerName); state == string(rest.ProcessItemTaskStateCLAIMED) && owner != "" && owner != valueOf(e.ActorName) {
			return "assigned " + item + " to " + owner
		}
		return statePhrase(state, "READY", "released") + " " + item
	case "PROCESS_ITEM.TASK_ASSIGNED":
		return "assigned " + item + " to " + valueOf(e.OwnerName)
	case "PROCESS_ACTION.CREATED":
		return "invoked the user action " + valueOf(e.ProcessActionDefinitionCode)
	case "PROCESS_ACTION.STATE_CHANGED":
		return statePhrase(state, "ERROR", "failed in") + " the user action " + valueOf(e.ProcessActionDefinitionCode)
	}
	return e.Type
}

// statePhrase returns a state as a verb, such as completed, but for one that has a verb of its own.
func statePhrase(state, special, verb string) string {
	if state == special {
		return verb
	}
	return strings.ToLower(state)
}

// historyOf returns a history that is shown as text from its beginning.
func (s *service) historyOf(process uuid.UUID) *history {
	return &history{service: s, out: &output{format: formatTable}, process: process, limit: pageSize}
}

// retrieveProcess returns a process.
func (s *service) retrieveProcess(ctx context.Context, id uuid.UUID) (rest.Process, error) {
	answer, err := s.rest.RetrieveProcess(ctx, id)
	return receive[rest.Process](s, answer, err)
}
