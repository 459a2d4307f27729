package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/sdk/rest"
)

func newTasksCommand(env Environment) *cobra.Command {
	return newGroup("tasks", "List tasks, work on them, and manage tasks of others",
		newTasksListCommand(env), newTasksShowCommand(env), newTasksClaimCommand(env), newTasksSaveCommand(env),
		newTasksCompleteCommand(env), newTasksAssignCommand(env), newTasksDelegateCommand(env), newTasksReleaseCommand(env), newTasksPlanCommand(env))
}

// taskFilters are the filters of tasks as they are typed.
type taskFilters struct {
	dueFilter

	codes, definitions, states []string
	process, deleted, sort     string
	all                        bool
}

func (t *taskFilters) bindFlags(cmd *cobra.Command) {
	t.dueFilter.bindFlags(cmd)
	f := cmd.Flags()
	f.StringSliceVar(&t.codes, "code", nil, "only tasks of the item definition with the `code`; repeatable")
	f.StringSliceVar(&t.definitions, "definition", nil, "only tasks of the process definition with the `code`; repeatable")
	f.StringSliceVar(&t.states, "state", nil, "only tasks in the `state` READY, CLAIMED, COMPLETED or CANCELLED; repeatable")
	f.BoolVar(&t.all, "all", false, "also completed and cancelled ones")
	f.StringVar(&t.process, "process", "", "only tasks of the process with the `id`")
	f.StringVar(&t.deleted, "deleted", "", "`exclude`, include or only: tasks of deleted processes")
	f.StringVar(&t.sort, "sort", "createdAt,desc",
		"`order`: id, createdAt, lastModifiedAt, claimedAt, completedAt, cancelledAt, dueAt, followUpAt or priority, with ,asc or ,desc")
}

func (t *taskFilters) requestParams(ctx context.Context, s *service, by listFlags) (rest.FindProcessItemsParams, error) {
	params := rest.FindProcessItemsParams{
		Size: &by.limit, Sort: filterOf(t.sort), Type: []rest.ProcessItemType{rest.ProcessItemTypeTASK},
		ProcessItemDefinitionCode: t.codes, ProcessDefinitionCode: t.definitions,
	}
	if t.all && len(t.states) > 0 {
		return params, usageError("--all and --state exclude each other")
	}
	for _, state := range t.states {
		params.TaskState = append(params.TaskState, rest.ProcessItemTaskState(strings.ToUpper(state)))
	}
	if !t.all && len(t.states) == 0 {
		params.TaskState = []rest.ProcessItemTaskState{rest.ProcessItemTaskStateREADY, rest.ProcessItemTaskStateCLAIMED}
	}
	if t.deleted != "" {
		params.Deleted = new(rest.DeletedFilter(strings.ToUpper(t.deleted)))
	}
	err := t.apply(&params, time.Now()) //nolint:forbidigo // the clock of the command
	if err != nil {
		return params, err
	}
	if params.ProcessID, err = idFilter("process", t.process); err != nil {
		return params, err
	}
	params.TenantID, err = s.memberTenant(ctx, "tasks", by.tenant)
	return params, err
}

func newTasksListCommand(env Environment) *cobra.Command {
	var filters taskFilters
	cmd := listCommand(env, &cobra.Command{
		Use: "list", Args: requireArgs(), Short: "List open tasks, the newest first",
		Long: "Lists the tasks visible to you. Without --all and --state it lists open ones: READY or CLAIMED.",
		Example: "  procession tasks list --definition LOAN\n" +
			"  procession tasks list --state READY -o name\n" +
			"  procession tasks list --due overdue --priority HIGH --sort dueAt\n" +
			"  procession tasks list --watch",
		ValidArgsFunction: completeNothing,
	}, listing[rest.ProcessItemPageItem]{
		rows: "tasks", limit: 50, tenant: ofTenantHelp, table: itemTable, empty: emptyWork("tasks"),
		id: func(i rest.ProcessItemPageItem) string { return i.ID.String() },
		people: func(cmd *cobra.Command, s *service, _ listFlags, found []rest.ProcessItemPageItem) (map[uuid.UUID]string, error) {
			var ids []*uuid.UUID
			for _, i := range found {
				ids = append(ids, i.OwnerID)
			}
			return s.findNames(cmd.Context(), ids)
		},
		find: func(cmd *cobra.Command, s *service, _ []string, by listFlags) ([]rest.ProcessItemPageItem, int64, error) {
			params, err := filters.requestParams(cmd.Context(), s, by)
			if err != nil {
				return nil, 0, err
			}
			answer, err := s.rest.FindProcessItems(cmd.Context(), &params)
			page, err := receive[rest.ProcessItemPage](s, answer, err)
			return page.Content, page.Metadata.TotalElements, err
		},
	})
	filters.bindFlags(cmd)
	return cmd
}

// taskCommand creates a command about one task, which is named by its id, and arguments
// that follow it.
func taskCommand(
	env Environment, cmd *cobra.Command, run func(cmd *cobra.Command, s *service, id uuid.UUID, args []string) error,
	others ...string,
) *cobra.Command {
	cmd.Args, cmd.ValidArgsFunction = requireArgs(append([]string{"the id of a task"}, others...)...), completeTask(env)
	return newServiceCommand(env, cmd, func(cmd *cobra.Command, s *service, args []string) error {
		id, err := parseID(args[0], "the id of the task, which tasks list shows")
		if err != nil {
			return err
		}
		return notFound(run(cmd, s, id, args[1:]), "task "+id.String())
	})
}

// completeTask completes the id of an open task.
func completeTask(env Environment) completions {
	return completeWork(env, func(ctx context.Context, s *service) ([]string, error) {
		filters := taskFilters{sort: "createdAt,desc"}
		params, err := filters.requestParams(ctx, s, listFlags{limit: mostNames})
		if err != nil {
			return nil, err
		}
		answer, err := s.rest.FindProcessItems(ctx, &params)
		page, err := receive[rest.ProcessItemPage](s, answer, err)
		var found []string
		for _, i := range page.Content {
			found = append(found, i.ID.String()+"\t"+codeOf(i.ProcessItemDefinitionRef)+" "+taskState(i))
		}
		return found, err
	})
}

// receiveTask reads the answer of an operation on a task. An item of another type is no
// task.
func (s *service) receiveTask(answer *http.Response, err error) (rest.ProcessItem, error) {
	item, err := receive[rest.ProcessItem](s, answer, err)
	if err == nil && item.Task == nil {
		return item, usageError("%s is not a task but a %s", item.ID, strings.ToLower(string(item.Type)))
	}
	return item, err
}

func newTasksShowCommand(env Environment) *cobra.Command {
	var out *output
	cmd := taskCommand(env, &cobra.Command{
		Use: "show ID", Short: "Show a task with its data, validation errors and log",
	}, func(cmd *cobra.Command, s *service, id uuid.UUID, _ []string) error {
		item, err := s.receiveTask(s.rest.RetrieveProcessItem(cmd.Context(), id))
		if err != nil {
			return err
		}
		if !out.isTable() {
			return out.write(cmd.Context(), cmd.OutOrStdout(), item, nil)
		}
		people, err := s.findNames(cmd.Context(), append(delegatorsOf(&item), item.OwnerID, item.CreatedBy, item.LastModifiedBy))
		if err != nil {
			return err
		}
		return showTask(cmd.OutOrStdout(), out, view{people: people}, &item)
	})
	out = bindOutput(cmd, formatTable, formatJSON, formatYAML, formatJQ)
	return cmd
}

func showTask(w io.Writer, out *output, v view, item *rest.ProcessItem) error {
	err := out.writeTable(w, v, func(v view) {
		writeRow(v, "Id:", item.ID.String())
		writeRow(v, "Code:", codeOf(item.ProcessItemDefinitionRef))
		writeRow(v, "State:", string(item.Task.State))
		writeRow(v, "Owner:", v.personName(item.OwnerID))
		if d := item.Task.Delegation; d != nil {
			writeRow(v, "Delegated:", momentText(&d.DelegatedAt)+" by "+v.personName(&d.DelegatorID))
			if d.Note != nil {
				writeRow(v, "Note:", *d.Note)
			}
		}
		writeRow(v, "Priority:", priorityOf(item.Task.Priority))
		writeRow(v, "Due:", momentText(item.Task.DueAt))
		writeRow(v, "Follow-up:", momentText(item.Task.FollowUpAt))
		writeRow(v, "Process:", item.ProcessID.String())
		writeRow(v, "Created:", momentText(item.CreatedAt)+" by "+v.personName(item.CreatedBy))
		writeRow(v, "Changed:", momentText(item.LastModifiedAt)+" by "+v.personName(item.LastModifiedBy))
	})
	if err == nil {
		err = writeValue(w, "Context data", item.Task.ContextData)
	}
	if err == nil {
		err = writeValue(w, "Data", item.Task.Data)
	}
	if err != nil || len(item.Task.Logs) == 0 {
		return err
	}
	fmt.Fprintln(w, "\nLog:")
	return out.writeTable(w, v, func(v view) {
		for _, l := range item.Task.Logs {
			writeRow(v, "  "+timeText(l.Timestamp), string(l.Level), l.Message)
		}
	})
}

// reportTask writes the state of a task and the validation errors of its data.
func reportTask(cmd *cobra.Command, item *rest.ProcessItem) error {
	if item.Task.State == rest.ProcessItemTaskStateCLAIMED {
		for _, fault := range faultsOf(item.Task.Data) {
			cmd.PrintErrln("not valid:", cellText(fault))
		}
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", item.ID, item.Task.State)
	return err
}

func newTasksClaimCommand(env Environment) *cobra.Command {
	return taskCommand(env, &cobra.Command{
		Use: "claim ID", Short: "Claim a task: you become its owner",
		Long: "Claims a task that is READY. Its candidates may. A task that you delegated is taken back.",
	}, func(cmd *cobra.Command, s *service, id uuid.UUID, _ []string) error {
		item, err := s.receiveTask(s.rest.ClaimProcessItemTask(cmd.Context(), id))
		if err != nil {
			return err
		}
		return reportTask(cmd, &item)
	})
}

// saveData saves data into a task.
func (s *service) saveData(cmd *cobra.Command, id uuid.UUID, data *dataFlags) (rest.ProcessItem, error) {
	if data.file == "" {
		patch, err := data.jsonPatch()
		if err != nil {
			return rest.ProcessItem{}, err
		}
		return s.receiveTask(s.rest.PatchProcessItemTaskData(cmd.Context(), id, patch))
	}
	if len(data.set)+len(data.unset) > 0 {
		return rest.ProcessItem{}, usageError("--file replaces all of the data: it goes without --set and --unset")
	}
	value, err := objectOf(cmd, "file", []string{"@" + data.file})
	if err != nil {
		return rest.ProcessItem{}, err
	}
	return s.receiveTask(s.rest.UpdateProcessItemTaskData(cmd.Context(), id, rest.UpdateProcessItemTaskDataJSONRequestBody{Data: *value}))
}

func newTasksSaveCommand(env Environment) *cobra.Command {
	var data dataFlags
	cmd := taskCommand(env, &cobra.Command{
		Use: "save ID --set /PATH=VALUE | --file FILE", Short: "Save data of a task that you own",
		Long: "Saves data of a task that you own. " + assignmentHelp + "\n" +
			"Values that break the schema are saved, too, and listed on standard error.",
		Example: "  procession tasks save 01970000-0000-7000-8000-000000000001 --set /FIRST_NAME=Carol --set /AMOUNT:=1000\n" +
			"  procession tasks save 01970000-0000-7000-8000-000000000001 -f data.json",
	}, func(cmd *cobra.Command, s *service, id uuid.UUID, _ []string) error {
		if !data.isGiven() {
			return usageError("%s needs --set, --unset or --file", cmd.CommandPath())
		}
		item, err := s.saveData(cmd, id, &data)
		if err != nil {
			return err
		}
		return reportTask(cmd, &item)
	})
	data.bindFlags(cmd)
	return cmd
}

func newTasksCompleteCommand(env Environment) *cobra.Command {
	var data dataFlags
	cmd := taskCommand(env, &cobra.Command{
		Use: "complete ID", Short: "Save the given data, and complete a task that you own",
		Long:    "Completes a task that you own. With --set, --unset or --file the data is saved before. " + assignmentHelp,
		Example: "  procession tasks complete 01970000-0000-7000-8000-000000000001 --set /DECISION=APPROVED",
	}, func(cmd *cobra.Command, s *service, id uuid.UUID, _ []string) error {
		if data.isGiven() {
			if item, err := s.saveData(cmd, id, &data); err != nil {
				return err
			} else if faults := faultsOf(item.Task.Data); len(faults) > 0 {
				cmd.PrintErrln("not valid: " + cellText(strings.Join(faults, "; ")))
			}
		}
		item, err := s.receiveTask(s.rest.CompleteProcessItemTask(cmd.Context(), id))
		if err != nil {
			return err
		}
		return reportTask(cmd, &item)
	})
	data.bindFlags(cmd)
	return cmd
}
