package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/spreadsheet"
	"github.com/procession-dev/procession/sdk/rest"
)

func newBulkCommand(env Environment) *cobra.Command {
	return newGroup("bulk", "Change many processes, tasks or incidents by one operation",
		newBulkKindsCommand(), newBulkListCommand(env), newBulkPreviewCommand(env), newBulkStartCommand(env), newBulkWatchCommand(env),
		newBulkStopCommand(env), newBulkReportCommand(env))
}

// bulkKind describes a kind of bulk operation.
type bulkKind struct {
	kind  oasadmin.BulkKind
	flag  string
	about string
}

func bulkKinds() []bulkKind {
	return []bulkKind{
		{oasadmin.BulkKindCANCELPROCESSES, "", "cancel processes with their open tasks, and ask their workflows to end"},
		{oasadmin.BulkKindTERMINATEPROCESSES, "", "cancel processes with their open tasks, and terminate their workflows at once"},
		{oasadmin.BulkKindRESTARTPROCESSES, "", "start the workflows of processes again from their beginning"},
		{oasadmin.BulkKindMOVEPROCESSES, "--to-version", "move processes of one definition to another version of it"},
		{oasadmin.BulkKindASSIGNTASKS, "--to", "assign tasks to a person"},
		{oasadmin.BulkKindRELEASETASKS, "", "return claimed tasks to their candidates"},
		{oasadmin.BulkKindCANCELTASKS, "", "cancel open tasks"},
		{oasadmin.BulkKindRETRYINCIDENTS, "", "start the failed workflows of incidents again"},
		{oasadmin.BulkKindDISMISSINCIDENTS, "", "mark incidents as dealt with"},
		{oasadmin.BulkKindACKNOWLEDGEINCIDENTS, "", "mark incidents as noticed"},
	}
}

// kindName returns the name of a kind on the command line.
func kindName(k oasadmin.BulkKind) string {
	return strings.ReplaceAll(strings.ToLower(string(k)), "_", "-")
}

func parseBulkKind(text string) (oasadmin.BulkKind, error) {
	names := make([]string, 0, len(bulkKinds()))
	for _, k := range bulkKinds() {
		if text == kindName(k.kind) || text == string(k.kind) {
			return k.kind, nil
		}
		names = append(names, kindName(k.kind))
	}
	return "", usageError("%q is not a kind of bulk operation; the kinds are %s", text, strings.Join(names, ", "))
}

func completeBulkKind(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, k := range bulkKinds() {
		names = append(names, kindName(k.kind)+"\t"+k.about)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func newBulkKindsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "kinds", Short: "List the kinds of bulk operations", Args: requireArgs(), ValidArgsFunction: completeNothing,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return (&output{format: formatTable}).writeTable(cmd.OutOrStdout(), view{}, func(v view) {
				v.writeTitles([]string{"KIND", "NEEDS", "EFFECT"})
				for _, k := range bulkKinds() {
					writeRow(v, kindName(k.kind), k.flag, k.about)
				}
			})
		},
	}
}

func newBulkListCommand(env Environment) *cobra.Command {
	var states []string
	cmd := listCommand(env, &cobra.Command{
		Use: "list", Args: requireArgs(), Short: "List started bulk operations, the newest first", ValidArgsFunction: completeNothing,
		Long: "Lists your own bulk operations and, if you administer tenants, all of them.",
	}, listing[oasadmin.BulkOperation]{
		rows: "bulk operations", limit: 50, tenant: ofTenantHelp,
		id: func(b oasadmin.BulkOperation) string { return b.ID.String() },
		find: func(cmd *cobra.Command, s *service, _ []string, by listFlags) ([]oasadmin.BulkOperation, int64, error) {
			params := oasadmin.FindBulkOperationsParams{Size: &by.limit, Tenant: filterOf(by.tenant)}
			for _, state := range states {
				params.State = append(params.State, oasadmin.BulkState(strings.ToUpper(state)))
			}
			answer, err := s.FindBulkOperations(cmd.Context(), &params)
			page, err := receive[oasadmin.BulkOperationPage](s, answer, err)
			return page.Content, page.Metadata.TotalElements, err
		},
		table: func(v view, found []oasadmin.BulkOperation) {
			v.writeTitles([]string{"ID", "KIND", "STATE", "SELECTED", "CHANGED", "REFUSED", "STARTED", "REASON"})
			for _, b := range found {
				writeRow(v, b.ID.String(), kindName(b.Kind), string(b.State), strconv.Itoa(b.Selected), strconv.Itoa(b.Done), strconv.Itoa(b.Refused),
					optionalTime(b.StartedAt), cellText(valueOf(b.Reason)))
			}
		},
	})
	cmd.Flags().StringSliceVar(&states, "state", nil, "only operations in the `state` RUNNING, STOPPED or COMPLETED; repeatable")
	return cmd
}

// bulkSelection contains the flags that select the resources of a bulk operation, and its parameters.
type bulkSelection struct {
	tenant, definition, search, condition, initiator, owner, view, cause, kind, worker, assignee, to string
	states, metadata, ids                                                                            []string
	acknowledged                                                                                     bool
	version                                                                                          int32
}

func (b *bulkSelection) bindFlags(env Environment, cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&b.tenant, "tenant", "", "the `code` of the tenant, if you belong to several")
	defaultFromContext(f)
	completeTenants(env, cmd)
	f.StringSliceVar(&b.ids, "id", nil, "only the resource with the `id`; repeatable")
	f.StringSliceVar(&b.states, "state", nil, "only resources in the `state`; repeatable")
	f.StringVar(&b.search, "search", "", "only resources with the `text`, as in the lists of the console")
	f.StringVar(&b.definition, "definition", "", "processes and tasks of the definition with the `code`")
	f.StringVar(&b.condition, "condition", "", "processes with the `condition` attention or engine")
	f.StringVar(&b.initiator, "initiator", "", "processes of a user or an application: its `e-mail` address, code or id")
	f.StringArrayVar(&b.metadata, "metadata", nil, "processes with the value in an indexed field, as \"`FIELD` ge value\"; repeatable")
	f.StringVar(&b.owner, "owner", "", "tasks of a user or an application: its `e-mail` address, code or id")
	f.StringVar(&b.view, "view", "", "tasks of the `view` to-claim, mine, done or all")
	f.StringVar(&b.cause, "cause", "", "incidents of the `cause`, which incidents list --group shows")
	f.StringVar(&b.kind, "incident-kind", "", "incidents of the `kind` FAILURE, WORKFLOW_TASK, ACTIVITY or NO_WAIT")
	f.StringVar(&b.worker, "worker", "", "incidents of workers with the build `id`")
	f.StringVar(&b.assignee, "assignee", "", "incidents that are assigned to me, to nobody, or to the person with the `id`")
	f.BoolVar(&b.acknowledged, "acknowledged", false, "incidents that are acknowledged, or with =false the others")
	f.StringVar(&b.to, "to", "", "assign-tasks: the `e-mail`, code or id of the new owner")
	f.Int32Var(&b.version, "to-version", 0, "move-processes: the `number` of the version")
}

// requestParams returns the request of a preview.
func (b *bulkSelection) requestParams(cmd *cobra.Command, s *service, kind oasadmin.BulkKind) (params oasadmin.BulkOperationParams, err error) {
	ctx := cmd.Context()
	filter := oasadmin.BulkFilter{
		Search: nonEmpty(b.search), Metadata: b.metadata, Cause: nonEmpty(b.cause), Worker: nonEmpty(b.worker),
	}
	for _, state := range b.states {
		filter.States = append(filter.States, strings.ToUpper(state))
	}
	for _, text := range b.ids {
		id, err := parseID(text, "--id")
		if err != nil {
			return params, err
		}
		filter.Ids = append(filter.Ids, id)
	}
	if b.condition != "" {
		filter.Standing = new(oasadmin.BulkFilterStanding(strings.ToUpper(b.condition)))
	}
	if b.view != "" {
		filter.View = new(oasadmin.BulkFilterView(strings.ToLower(b.view)))
	}
	if b.kind != "" {
		filter.Kinds = []oasadmin.IncidentKind{oasadmin.IncidentKind(strings.ToUpper(b.kind))}
	}
	if cmd.Flags().Changed("acknowledged") {
		filter.Acknowledged = &b.acknowledged
	}
	params = oasadmin.BulkOperationParams{Kind: kind, Tenant: nonEmpty(b.tenant)}
	if b.version > 0 {
		params.ToVersion = &b.version
	}
	err = b.findNamed(ctx, s, &filter, &params)
	params.Filter = filter
	return params, err
}

// findNamed looks up the ids of the people and the definition.
func (b *bulkSelection) findNamed(ctx context.Context, s *service, filter *oasadmin.BulkFilter, params *oasadmin.BulkOperationParams) (err error) {
	if b.definition != "" {
		if filter.DefinitionID, err = s.findDefinition(ctx, b.definition, b.tenant); err != nil {
			return err
		}
	}
	for _, person := range []struct {
		flag, text string
		id         **uuid.UUID
	}{{"--initiator", b.initiator, &filter.InitiatorID}, {"--owner", b.owner, &filter.OwnerID}} {
		if person.text == "" {
			continue
		}
		id, err := s.findPrincipal(ctx, person.flag, person.text, b.tenant)
		if err != nil {
			return err
		}
		*person.id = &id
	}
	switch b.assignee {
	case "":
	case "me":
		if filter.AssigneeID, err = ownID(ctx, s); err != nil {
			return err
		}
	case "nobody":
		filter.Assigned = new(false)
	default:
		id, err := parseID(b.assignee, "--assignee")
		if err != nil {
			return err
		}
		filter.AssigneeID = &id
	}
	switch {
	case strings.Contains(b.to, "@"):
		params.NewOwnerEmail = &b.to
	case b.to != "":
		id, err := s.findPrincipal(ctx, "--to", b.to, b.tenant)
		if err != nil {
			return err
		}
		params.NewOwnerID = &id
	}
	return nil
}

func completeBulkOperation(env Environment) completions {
	return completeWork(env, func(ctx context.Context, s *service) ([]string, error) {
		answer, err := s.FindBulkOperations(ctx, &oasadmin.FindBulkOperationsParams{Size: new(mostNames)})
		page, err := receive[oasadmin.BulkOperationPage](s, answer, err)
		var found []string
		for _, b := range page.Content {
			found = append(found, b.ID.String()+"\t"+kindName(b.Kind)+" "+string(b.State))
		}
		return found, err
	})
}

// bulkCommand completes cmd to a command about a bulk operation.
func bulkCommand(env Environment, cmd *cobra.Command, run func(*cobra.Command, *service, uuid.UUID) error) *cobra.Command {
	cmd.Args, cmd.ValidArgsFunction = requireArgs("the id of a bulk operation"), completeBulkOperation(env)
	return newServiceCommand(env, cmd, func(cmd *cobra.Command, s *service, args []string) error {
		id, err := parseID(args[0], "the id of the bulk operation")
		if err != nil {
			return err
		}
		return notFound(run(cmd, s, id), "bulk operation "+id.String())
	})
}

func newBulkStopCommand(env Environment) *cobra.Command {
	return bulkCommand(env, &cobra.Command{
		Use: "stop ID", Short: "Stop a running bulk operation: no further resource is changed",
	}, func(cmd *cobra.Command, s *service, id uuid.UUID) error {
		answer, err := s.StopBulkOperation(cmd.Context(), id)
		stopped, err := receive[oasadmin.BulkOperation](s, answer, err)
		if err != nil {
			return err
		}
		return writeBulkState(cmd, &stopped)
	})
}

func newBulkReportCommand(env Environment) *cobra.Command {
	var states []string
	cmd := bulkCommand(env, &cobra.Command{
		Use: "report ID", Short: "Write the result for each resource of a bulk operation, as comma-separated values",
		Example: "  procession bulk report 0197… --state REFUSED > refused.csv",
	}, func(cmd *cobra.Command, s *service, id uuid.UUID) error { return writeBulkReport(cmd, s, id, states) })
	cmd.Flags().StringSliceVar(&states, "state", nil, "only resources in the `state` PENDING, DONE or REFUSED; repeatable")
	return cmd
}

func writeBulkReport(cmd *cobra.Command, s *service, id uuid.UUID, states []string) error {
	params := oasadmin.FindBulkOperationItemsParams{Size: new(pageSize)}
	for _, state := range states {
		params.State = append(params.State, oasadmin.BulkItemState(strings.ToUpper(state)))
	}
	table := spreadsheet.NewWriter(cmd.OutOrStdout())
	if err := table.Write("id", "label", "state", "code", "message", "endedAt"); err != nil {
		return err
	}
	for number := 0; ; number++ {
		params.Page = &number
		answer, err := s.FindBulkOperationItems(cmd.Context(), id, &params)
		page, err := receive[oasadmin.BulkItemPage](s, answer, err)
		if err != nil {
			return err
		}
		for _, i := range page.Content {
			err := table.Write(i.ID.String(), valueOf(i.Label), string(i.State), valueOf(i.Code), valueOf(i.Message), optionalTime(i.EndedAt))
			if err != nil {
				return err
			}
		}
		if len(page.Content) < pageSize {
			return table.Flush()
		}
	}
}

func writeBulkState(cmd *cobra.Command, b *oasadmin.BulkOperation) error {
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s %s: %d of %d handled, %d changed, %d refused\n",
		b.ID, b.State, b.Done+b.Refused, b.Selected, b.Done, b.Refused)
	return err
}

// findDefinition returns the id of the process definition with a code.
func (s *service) findDefinition(ctx context.Context, code, tenant string) (*uuid.UUID, error) {
	params := rest.FindProcessDefinitionsParams{ProcessDefinitionCode: []string{code}}
	var err error
	if params.TenantID, err = s.memberTenant(ctx, "processes", tenant); err != nil {
		return nil, err
	}
	answer, err := s.rest.FindProcessDefinitions(ctx, &params)
	page, err := receive[rest.ProcessDefinitionPage](s, answer, err)
	switch {
	case err != nil:
		return nil, err
	case len(page.Content) > 1:
		return nil, usageError("%d tenants have a definition %s: use --tenant", len(page.Content), code)
	case len(page.Content) == 0:
		return nil, &failure{kind: domain.KindNotFound, text: "there is no process definition " + code + " that you may see"}
	}
	return &page.Content[0].ID, nil
}
