package cli

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain"
)

// newRepairCommand creates the commands that repair a running process by hand.
func newRepairCommand(env Environment) *cobra.Command {
	return newGroup("repair", "Repair a running process by hand: its tasks, its values and its workflow",
		newRepairListCommand(env), newRepairPointsCommand(env), newReopenTaskCommand(env), newChangeValueCommand(env),
		newCompleteStepCommand(env), newResetCommand(env), newMoveCommand(env),
		newRepairOf(env, oasadmin.RepairKindUNDOMOVE, &cobra.Command{
			Use: "undo-move", Short: "Move the process back to its former version, if it has not changed since",
		}, nil, nil),
		newRepairOf(env, oasadmin.RepairKindRESTART, &cobra.Command{
			Use: "restart", Short: "Terminate the workflow and start it again from its beginning, with the same values",
		}, nil, nil),
		newRepairOf(env, oasadmin.RepairKindTERMINATE, &cobra.Command{
			Use: "terminate", Short: "Cancel the process and terminate its workflow at once",
		}, nil, nil))
}

// newRepairOf creates the command of a kind of repair. bind adds its flags, read completes the request from them; both may
// be nil.
func newRepairOf(
	env Environment, kind oasadmin.RepairKind, cmd *cobra.Command, bind func(*cobra.Command), read func(*cobra.Command, *oasadmin.RepairParams) error,
) *cobra.Command {
	var reason string
	var yes, preview bool
	var out *output
	question := strings.ToUpper(cmd.Use[:1]) + cmd.Use[1:]
	cmd.Long = cmd.Short + ".\n\nRepairers of the definition may, and owners and administrators of the tenant, who see the process. " +
		"The repair is recorded with its reason."
	cmd = processCommand(env, cmd, func(cmd *cobra.Command, s *service, id uuid.UUID) error {
		params := oasadmin.RepairParams{ID: new(domain.NewID()), Kind: kind, Reason: reason}
		if read != nil {
			if err := read(cmd, &params); err != nil {
				return err
			}
		}
		if preview {
			answer, err := s.PreviewRepair(cmd.Context(), id, params)
			found, err := receive[oasadmin.RepairPreview](s, answer, err)
			if err != nil {
				return err
			}
			return out.write(cmd.Context(), cmd.OutOrStdout(), found, func(v view) { writeRepairPreview(v, &found) })
		}
		if err := confirmTargets(cmd, yes, []string{"process " + id.String()}, question); err != nil {
			return err
		}
		answer, err := s.RepairProcess(cmd.Context(), id, params)
		repaired, err := receive[oasadmin.Repair](s, answer, err)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", repaired.ID, repaired.Kind)
		return err
	})
	cmd.Flags().StringVar(&reason, "reason", "", "why, as a `text` of 1 to 500 characters")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&preview, "preview", false, "show the effects, and the values that would be invalid, without repairing")
	_ = cmd.MarkFlagRequired("reason") // The flag exists.
	out = bindOutput(cmd, formatTable, formatJSON, formatYAML, formatJQ)
	if bind != nil {
		bind(cmd)
	}
	return cmd
}

// writeRepairPreview writes a row for each effect of a repair.
func writeRepairPreview(v view, p *oasadmin.RepairPreview) {
	v.writeTitles([]string{"EFFECT", "ITEM", "DETAILS"})
	if p.Move != nil {
		writeRow(v, "move", "", fmt.Sprintf("version %d to version %d", p.Move.FromNumber, p.Move.ToNumber))
	}
	for _, t := range p.Tasks {
		writeRow(v, "task becomes "+valueOf(t.State), t.ProcessItemID.String(), valueOf(t.Code))
	}
	for _, value := range p.Values {
		effect := "valid " + string(value.Slot)
		if !value.Valid {
			effect = "invalid " + string(value.Slot)
		}
		item := ""
		if value.ProcessItemID != nil {
			item = value.ProcessItemID.String()
		}
		errors := make([]string, 0, len(value.Errors))
		for _, e := range value.Errors {
			errors = append(errors, strings.TrimSpace(e.PropertyPath+" "+e.Type))
		}
		writeRow(v, effect, item, cellText(strings.Join(errors, ", ")))
	}
	for _, t := range p.KeptItems {
		writeRow(v, "keeps its definition", t.ProcessItemID.String(), valueOf(t.Code))
	}
	for _, code := range p.LostActions {
		writeRow(v, "user action ends", "", code)
	}
	for _, code := range p.LostElements {
		writeRow(v, "element ends", "", code)
	}
	if p.WorkflowType != nil {
		writeRow(v, "next start", "", *p.WorkflowType+" on "+valueOf(p.TaskQueue))
	}
}

func newMoveCommand(env Environment) *cobra.Command {
	var number int32
	return newRepairOf(env, oasadmin.RepairKindMOVETOVERSION, &cobra.Command{
		Use: "move", Short: "Move the process to another version of its definition",
		Example: "  procession processes repair move 0197… --to-version 3 --reason 'the corrected form' --preview",
	}, func(cmd *cobra.Command) {
		cmd.Flags().Int32Var(&number, "to-version", 0, "the `number` of the version")
		_ = cmd.MarkFlagRequired("to-version") // The flag exists.
	}, func(_ *cobra.Command, params *oasadmin.RepairParams) error {
		params.ToVersion = &number
		return nil
	})
}

func newReopenTaskCommand(env Environment) *cobra.Command {
	var task string
	var reset bool
	return newRepairOf(env, oasadmin.RepairKindREOPENTASK, &cobra.Command{
		Use: "reopen", Short: "Reopen a completed task for its former owner",
		Example: "  procession processes repair reopen 0197… --task 0197… --reset --reason 'the amount is not a number'",
	}, func(cmd *cobra.Command) {
		cmd.Flags().StringVar(&task, "task", "", "the `id` of the task")
		cmd.Flags().BoolVar(&reset, "reset", false, "continue the workflow from before the end of the task; otherwise the second completion sends no signal")
		_ = cmd.MarkFlagRequired("task") // The flag exists.
	}, func(_ *cobra.Command, params *oasadmin.RepairParams) (err error) {
		params.ProcessItemID, err = taskFlag(task)
		params.Reset = &reset
		return err
	})
}

func taskFlag(text string) (*uuid.UUID, error) {
	id, err := parseID(text, "--task: the id of the task")
	return &id, err
}

func newChangeValueCommand(env Environment) *cobra.Command {
	var task, file string
	var entity, reset bool
	kind := oasadmin.RepairKindCHANGEMETADATA
	return newRepairOf(env, kind, &cobra.Command{
		Use: "change", Short: "Replace the metadata of the process, its entity, or the data of a task, also of a completed one",
		Example: "  procession processes repair change 0197… --task 0197… -f data.json --reason 'the amount is not a number'",
	}, func(cmd *cobra.Command) {
		cmd.Flags().StringVar(&task, "task", "", "the `id` of a task: change its data")
		cmd.Flags().BoolVar(&entity, "entity", false, "change the entity instead of the metadata")
		cmd.Flags().StringVarP(&file, "file", "f", "", "the JSON object in the `file`, - for standard input")
		_ = cmd.MarkFlagRequired("file") // The flag exists.
		cmd.Flags().BoolVar(&reset, "reset", false, "continue the workflow from before the end of the task, so that it reads the new data")
		cmd.MarkFlagsMutuallyExclusive("task", "entity")
		cmd.MarkFlagsMutuallyExclusive("reset", "entity")
	}, func(cmd *cobra.Command, params *oasadmin.RepairParams) (err error) {
		if entity {
			params.Kind = oasadmin.RepairKindCHANGEENTITY
		}
		if task != "" {
			params.Kind, params.Reset = oasadmin.RepairKindCHANGETASKDATA, &reset
			if params.ProcessItemID, err = taskFlag(task); err != nil {
				return err
			}
		}
		params.Value, err = readObject(cmd, file)
		return err
	})
}

// readObject reads the JSON object in the file that --file names.
func readObject(cmd *cobra.Command, file string) (json.RawMessage, error) {
	text, err := readInput(cmd.InOrStdin(), "file", file)
	if err != nil {
		return nil, err
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, usageError("--file: %s holds no JSON object: %w", file, err)
	}
	return text, nil
}

func newCompleteStepCommand(env Environment) *cobra.Command {
	var activity, file string
	return newRepairOf(env, oasadmin.RepairKindCOMPLETESTEP, &cobra.Command{
		Use: "complete-step", Short: "Complete a pending activity of the workflow with a result, or without one to skip it",
	}, func(cmd *cobra.Command) {
		cmd.Flags().StringVar(&activity, "activity", "", "the `id` of the activity, which processes history --engine -o yaml shows")
		cmd.Flags().StringVarP(&file, "file", "f", "", "the result: the JSON object in the `file`, - for standard input")
		_ = cmd.MarkFlagRequired("activity") // The flag exists.
	}, func(cmd *cobra.Command, params *oasadmin.RepairParams) (err error) {
		params.ActivityID = &activity
		if file != "" {
			params.Value, err = readObject(cmd, file)
		}
		return err
	})
}

func newResetCommand(env Environment) *cobra.Command {
	var run string
	var event int64
	return newRepairOf(env, oasadmin.RepairKindRESET, &cobra.Command{
		Use: "reset", Short: "Continue the workflow from an earlier event",
	}, func(cmd *cobra.Command) {
		cmd.Flags().StringVar(&run, "run", "", "the `id` of the run, which repair points shows")
		cmd.Flags().Int64Var(&event, "event", 0, "the `number` of the event, which repair points shows")
		_ = cmd.MarkFlagRequired("run")   // The flag exists.
		_ = cmd.MarkFlagRequired("event") // The flag exists.
	}, func(_ *cobra.Command, params *oasadmin.RepairParams) error {
		params.EngineRunID, params.EventID = &run, &event
		return nil
	})
}

func newRepairPointsCommand(env Environment) *cobra.Command {
	var out *output
	cmd := processCommand(env, &cobra.Command{
		Use: "points", Short: "List the points from which the workflow can continue, with the steps that run again",
	}, func(cmd *cobra.Command, s *service, id uuid.UUID) error {
		answer, err := s.FindRepairPoints(cmd.Context(), id)
		found, err := receive[oasadmin.RepairPointList](s, answer, err)
		if err != nil {
			return err
		}
		return out.write(cmd.Context(), cmd.OutOrStdout(), found, func(v view) {
			v.writeTitles([]string{"RUN", "EVENT", "TIME", "AFTER", "HAPPENS AGAIN"})
			for _, p := range found.Content {
				writeRow(v, p.EngineRunID, strconv.FormatInt(p.EventID, 10), timeText(p.At),
					cellText(strings.TrimSpace(valueOf(p.Cause)+" "+valueOf(p.Name))), cellText(pointText(&p)))
			}
		})
	})
	out = bindOutput(cmd, formatTable, formatJSON, formatYAML, formatJQ)
	return cmd
}

// pointText lists the events after a point with their times.
func pointText(p *oasadmin.RepairPoint) string {
	events := make([]string, 0, len(p.Events)+1)
	for _, e := range p.Events {
		events = append(events, fmt.Sprintf("%s %s %s", strings.ToLower(string(e.Kind)), e.Name, timeText(e.At)))
	}
	if more := int(p.EventCount) - len(p.Events); more > 0 {
		events = append(events, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(events, ", ")
}

func newRepairListCommand(env Environment) *cobra.Command {
	var out *output
	cmd := processCommand(env, &cobra.Command{Use: "list", Short: "List the repairs of a process, the newest first"},
		func(cmd *cobra.Command, s *service, id uuid.UUID) error {
			answer, err := s.FindRepairs(cmd.Context(), id)
			found, err := receive[oasadmin.RepairList](s, answer, err)
			if err != nil {
				return err
			}
			return out.write(cmd.Context(), cmd.OutOrStdout(), found, func(v view) {
				v.writeTitles([]string{"TIME", "KIND", "BY", "TASK", "REASON"})
				for _, r := range found.Content {
					task := ""
					if r.ProcessItemID != nil {
						task = r.ProcessItemID.String()
					}
					kind := string(r.Kind)
					if r.Move != nil {
						kind += fmt.Sprintf(" %d→%d", r.Move.FromNumber, r.Move.ToNumber)
					}
					writeRow(v, timeText(r.CreatedAt), kind, cellText(valueOf(r.AuthorName)), task, cellText(r.Reason))
				}
			})
		})
	out = bindOutput(cmd, formatTable, formatJSON, formatYAML, formatJQ)
	return cmd
}
