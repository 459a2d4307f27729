package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/internal/manifest"
	"github.com/procession-dev/procession/sdk/rest"
)

func newProcessesCommand(env Environment) *cobra.Command {
	return newGroup("processes", "List, show, export, repair and end processes, read their history and invoke their actions",
		newProcessesListCommand(env), newProcessesShowCommand(env), newProcessesHistoryCommand(env), newProcessesExportCommand(env),
		newProcessesActionsCommand(env), newProcessesInvokeCommand(env),
		newProcessesCancelCommand(env), newProcessesCompleteCommand(env), newRepairCommand(env))
}

// processFilters are the filters of processes as they are typed.
type processFilters struct {
	definitions, states, conditions, metadata []string
	initiator, deleted, sort                  string
}

func (p *processFilters) bindFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&p.definitions, "definition", nil, "only processes of the definition with the `code`; repeatable")
	f.StringSliceVar(&p.states, "state", nil, "only processes in the `state` RUNNING, COMPLETED or CANCELLED; repeatable")
	f.StringSliceVar(&p.conditions, "condition", nil,
		"only processes in the `condition` FAILED, STUCK, UNKNOWN, STARTING, WAITING_FOR_SIGNAL, RUNNING or FINISHED; repeatable")
	f.StringVar(&p.initiator, "initiator", "", "only processes of a user or an application: its `e-mail` address, code or id")
	f.StringArrayVar(&p.metadata, "metadata", nil,
		"only processes with the value in an indexed field, as `FIELD=value`, or as \"FIELD ge value\", with eq, le, ge, between, contains, in; repeatable")
	f.StringVar(&p.deleted, "deleted", "", "`exclude`, include or only: deleted processes")
	f.StringVar(&p.sort, "sort", "createdAt,desc", "`order`: id, createdAt or lastModifiedAt, with ,asc or ,desc")
}

// comparison is a filter of metadata as the API has it.
var comparison = regexp.MustCompile(`^\S+ (eq|le|ge|between|contains|in) `)

func (p *processFilters) requestParams(ctx context.Context, s *service, by listFlags) (rest.FindProcessesParams, error) {
	params := rest.FindProcessesParams{Size: &by.limit, Sort: filterOf(p.sort), ProcessDefinitionCode: p.definitions}
	for _, state := range p.states {
		params.State = append(params.State, rest.ProcessState(strings.ToUpper(state)))
	}
	for _, condition := range p.conditions {
		params.Condition = append(params.Condition, rest.ProcessConditionCode(strings.ToUpper(condition)))
	}
	for _, m := range p.metadata {
		if field, value, found := strings.Cut(m, "="); found && !comparison.MatchString(m) {
			m = url.PathEscape(field) + " eq " + url.PathEscape(value)
		}
		params.Metadata = append(params.Metadata, m)
	}
	if p.deleted != "" {
		params.Deleted = new(rest.DeletedFilter(strings.ToUpper(p.deleted)))
	}
	var err error
	if params.TenantID, err = s.memberTenant(ctx, "processes", by.tenant); err != nil {
		return params, err
	}
	if strings.Contains(p.initiator, "@") {
		params.InitiatorEmail = []string{p.initiator}
	} else {
		params.InitiatorID, err = s.principalFilter(ctx, "--initiator", p.initiator, by.tenant)
	}
	return params, err
}

func newProcessesListCommand(env Environment) *cobra.Command {
	var filters processFilters
	cmd := listCommand(env, &cobra.Command{
		Use: "list", Args: requireArgs(), Short: "List processes, the newest first",
		Long: "Lists the processes that you may see. -o wide adds the ids, -o name writes the ids alone.",
		Example: "  procession processes list --definition LOAN --state RUNNING\n" +
			"  procession processes list --metadata 'AMOUNT ge 1000' --initiator carol@demo.example\n" +
			"  procession processes list --condition FAILED,STUCK\n" +
			"  procession processes list --watch",
		ValidArgsFunction: completeNothing,
	}, listing[rest.ProcessPageItem]{
		rows: "processes", limit: 50, tenant: ofTenantHelp, table: processTable, empty: emptyWork("processes"),
		id: func(p rest.ProcessPageItem) string { return p.ID.String() },
		people: func(cmd *cobra.Command, s *service, _ listFlags, found []rest.ProcessPageItem) (map[uuid.UUID]string, error) {
			var ids []*uuid.UUID
			for _, p := range found {
				ids = append(ids, p.InitiatorID)
			}
			return s.findNames(cmd.Context(), ids)
		},
		find: func(cmd *cobra.Command, s *service, _ []string, by listFlags) ([]rest.ProcessPageItem, int64, error) {
			params, err := filters.requestParams(cmd.Context(), s, by)
			if err != nil {
				return nil, 0, err
			}
			answer, err := s.rest.FindProcesses(cmd.Context(), &params)
			page, err := receive[rest.ProcessPage](s, answer, err)
			return page.Content, page.Metadata.TotalElements, err
		},
	})
	filters.bindFlags(cmd)
	return cmd
}

// emptyWork returns an error that explains an empty list to a caller who is not a member of any tenant.
func emptyWork(rows string) func(*cobra.Command, *service, listFlags) error {
	return func(cmd *cobra.Command, s *service, _ listFlags) error { return s.checkMember(cmd.Context(), rows) }
}

func processTable(v view, found []rest.ProcessPageItem) {
	v.writeTitles([]string{"ID", "DEFINITION", "STATE", "CONDITION", "INITIATOR", "CREATED", "CHANGED"}, "INITIATOR ID", "VERSION", "TENANT ID")
	for _, p := range found {
		v.writeLine([]string{
			p.ID.String(), p.ProcessDefinitionRef.Code, string(p.State), conditionCode(p.Condition), v.personName(p.InitiatorID),
			momentText(p.CreatedAt), momentText(p.LastModifiedAt),
		}, idText(p.InitiatorID), p.ProcessDefinitionRef.Version.String(), p.TenantID.String())
	}
}

// conditionCode returns the condition of a process, "" from a service without conditions.
func conditionCode(c *rest.ProcessCondition) string {
	if c == nil {
		return ""
	}
	return string(c.Code)
}

// processCommand creates a command about one process. It is named by its id.
func processCommand(
	env Environment, cmd *cobra.Command, run func(cmd *cobra.Command, s *service, id uuid.UUID) error,
) *cobra.Command {
	cmd.Use, cmd.Args, cmd.ValidArgsFunction = cmd.Use+" ID", requireArgs("the id of a process"), completeProcess(env)
	return newServiceCommand(env, cmd, func(cmd *cobra.Command, s *service, args []string) error {
		id, err := parseID(args[0], "the id of the process, which processes list shows")
		if err != nil {
			return err
		}
		return notFound(run(cmd, s, id), "process "+id.String())
	})
}

// completeProcess completes the id of a process that runs.
func completeProcess(env Environment) completions {
	return completeWork(env, func(ctx context.Context, s *service) ([]string, error) {
		answer, err := s.rest.FindProcesses(ctx, &rest.FindProcessesParams{
			Size: new(mostNames), Sort: []string{"createdAt,desc"}, State: []rest.ProcessState{rest.ProcessStateRUNNING},
		})
		page, err := receive[rest.ProcessPage](s, answer, err)
		var found []string
		for _, p := range page.Content {
			found = append(found, p.ID.String()+"\t"+p.ProcessDefinitionRef.Code)
		}
		return found, err
	})
}

func newProcessesShowCommand(env Environment) *cobra.Command {
	var out *output
	cmd := processCommand(env, &cobra.Command{
		Use: "show", Short: "Show a process with its metadata, its entity and its items",
	}, func(cmd *cobra.Command, s *service, id uuid.UUID) error {
		process, err := s.retrieveProcess(cmd.Context(), id)
		if err != nil {
			return err
		}
		if !out.isTable() {
			return out.write(cmd.Context(), cmd.OutOrStdout(), process, nil)
		}
		answer, err := s.rest.FindProcessItems(cmd.Context(), &rest.FindProcessItemsParams{
			ProcessID: []uuid.UUID{id}, Size: new(pageSize), Sort: []string{"createdAt"},
		})
		items, err := receive[rest.ProcessItemPage](s, answer, err)
		if err != nil {
			return err
		}
		ids := []*uuid.UUID{process.InitiatorID, process.CreatedBy, process.LastModifiedBy, process.DeletedBy}
		for _, i := range items.Content {
			ids = append(ids, i.OwnerID)
		}
		people, err := s.findNames(cmd.Context(), ids)
		if err != nil {
			return err
		}
		return showProcess(cmd.OutOrStdout(), out, view{people: people}, &process, items.Content)
	})
	out = bindOutput(cmd, formatTable, formatWide, formatJSON, formatYAML, formatJQ)
	return cmd
}

func showProcess(w io.Writer, out *output, v view, p *rest.Process, items []rest.ProcessItemPageItem) error {
	err := out.writeTable(w, v, func(v view) {
		writeRow(v, "Id:", p.ID.String())
		if p.ProcessDefinitionRef != nil {
			writeRow(v, "Definition:", p.ProcessDefinitionRef.Code)
		}
		writeRow(v, "State:", string(p.State))
		if c := p.Condition; c != nil {
			writeRow(v, "Condition:", strings.TrimSpace(string(c.Code)+" since "+momentText(&c.Since)))
			if c.Message != nil {
				writeRow(v, "Cause:", cellText(*c.Message))
			}
			if c.IncidentID != nil {
				writeRow(v, "Incident:", c.IncidentID.String())
			}
		}
		writeRow(v, "Initiator:", v.personName(p.InitiatorID))
		writeRow(v, "Created:", momentText(p.CreatedAt)+" by "+v.personName(p.CreatedBy))
		writeRow(v, "Changed:", momentText(p.LastModifiedAt)+" by "+v.personName(p.LastModifiedBy))
		if p.DeletedAt != nil {
			writeRow(v, "Deleted:", momentText(p.DeletedAt)+" by "+v.personName(p.DeletedBy))
		}
		if p.ProcessRelated != nil {
			for _, id := range p.ProcessRelated.Incoming {
				writeRow(v, "Comes from:", id.String())
			}
			for _, id := range p.ProcessRelated.Outcoming {
				writeRow(v, "Started:", id.String())
			}
		}
	})
	if err == nil {
		err = writeValue(w, "Metadata", p.Metadata)
	}
	if err == nil {
		err = writeValue(w, "Entity", p.Entity)
	}
	if err != nil || len(items) == 0 {
		return err
	}
	fmt.Fprintln(w, "\nItems:")
	return out.writeTable(w, v, func(v view) { itemTable(v, items) })
}

// writeValue writes a value of a process or task as YAML, and its validation errors.
func writeValue(w io.Writer, title string, value *rest.JSONValue) error {
	if value == nil || len(value.Value) == 0 {
		return nil
	}
	text, err := manifest.Format(value.Value)
	if err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	fmt.Fprintf(w, "\n%s:\n", title)
	for line := range strings.Lines(string(text)) {
		fmt.Fprint(w, "  ", line)
	}
	for _, fault := range faultsOf(value) {
		fmt.Fprintln(w, "  not valid:", cellText(fault))
	}
	return nil
}

// faultsOf returns the ways in which a value breaks its schema.
func faultsOf(value *rest.JSONValue) []string {
	if value == nil {
		return nil
	}
	faults := make([]string, len(value.Errors))
	for i, e := range value.Errors {
		path := valueOf(e.PropertyPath)
		if path == "" {
			path = "/"
		}
		faults[i] = strings.TrimSpace(path + " " + valueOf(e.Type) + " " + valueOf(e.Message))
	}
	return faults
}

func itemTable(v view, items []rest.ProcessItemPageItem) {
	v.writeTitles([]string{"CODE", "TYPE", "STATE", "OWNER", "PRIORITY", "DUE", "CREATED", "ID"}, "OWNER ID", "PROCESS ID")
	for _, i := range items {
		v.writeLine([]string{
			codeOf(i.ProcessItemDefinitionRef), string(i.Type), taskState(i), v.personName(i.OwnerID), priorityText(i.Task), dueText(i.Task), momentText(i.CreatedAt),
			i.ID.String(),
		}, idText(i.OwnerID), i.ProcessID.String())
	}
}

// codeOf returns the code of the definition of an item, "-" for a message without one.
func codeOf(definition *rest.ProcessItemDefinitionRef) string {
	if definition == nil {
		return "-"
	}
	return definition.Code
}

func taskState(i rest.ProcessItemPageItem) string {
	if i.Task == nil {
		return "-"
	}
	return string(i.Task.State)
}

func newProcessesCancelCommand(env Environment) *cobra.Command {
	var yes bool
	cmd := endCommand(env, "cancel", "Cancel a process and its open tasks", &yes,
		func(ctx context.Context, s *service, id uuid.UUID) (*http.Response, error) {
			return s.rest.CancelProcess(ctx, id)
		})
	cmd.Long = "Cancels a process and its open tasks. Its Managers may, and it cannot be undone."
	return cmd
}

func newProcessesCompleteCommand(env Environment) *cobra.Command {
	var yes bool
	cmd := endCommand(env, "complete", "Complete a process; its open tasks stay open", &yes,
		func(ctx context.Context, s *service, id uuid.UUID) (*http.Response, error) {
			return s.rest.CompleteProcess(ctx, id)
		})
	cmd.Long = "Completes a process, which its workflow usually does. Its Managers may, and it cannot be undone."
	return cmd
}

// endCommand creates a command that ends a process.
func endCommand(
	env Environment, verb, short string, yes *bool,
	end func(ctx context.Context, s *service, id uuid.UUID) (*http.Response, error),
) *cobra.Command {
	cmd := processCommand(env, &cobra.Command{Use: verb, Short: short},
		func(cmd *cobra.Command, s *service, id uuid.UUID) error {
			process, err := s.retrieveProcess(cmd.Context(), id)
			if err != nil {
				return err
			}
			target := "process " + id.String()
			if process.ProcessDefinitionRef != nil {
				target = process.ProcessDefinitionRef.Code + " " + target
			}
			question := strings.ToUpper(verb[:1]) + verb[1:]
			if err := confirmTargets(cmd, *yes, []string{target}, question); err != nil {
				return err
			}
			answer, err := end(cmd.Context(), s, id)
			ended, err := receive[rest.Process](s, answer, err)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", ended.ID, ended.State)
			return err
		})
	cmd.Flags().BoolVarP(yes, "yes", "y", false, "do not ask")
	return cmd
}

// completeWork completes one of the ids that find returns, each with a description after
// a tab.
func completeWork(env Environment, find func(ctx context.Context, s *service) ([]string, error)) completions {
	return func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), completionTimeout)
		defer cancel()
		s, err := env.connect(ctx, cmd.Flags())
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		found, err := find(ctx, s)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return slices.DeleteFunc(found, func(word string) bool { return !strings.HasPrefix(word, toComplete) }),
			cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}
