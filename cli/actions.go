package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain/availability"
)

func newActionsCommand(env Environment) *cobra.Command {
	return newGroup("actions", "Look into the user actions of processes",
		newActionsExplainCommand(env), newActionsEvaluateCommand(env), newActionsFaultsCommand(env))
}

func newActionsExplainCommand(env Environment) *cobra.Command {
	return listCommand(env, &cobra.Command{
		Use: "explain PROCESS PRINCIPAL", Args: requireArgs("the id of a process", "a user or an application"),
		Short: "Explain the availability of a user action for a principal",
		Long: "Explains which user actions of a process are offered to a user or an application, which is named by its code, its\n" +
			"e-mail address or its id, and why the others are not.",
		Example:           "  procession actions explain 01970000-0000-7000-8000-000000000001 bob@north.example",
		ValidArgsFunction: completeNothing,
	}, listing[oasadmin.ExplainedAction]{
		rows: "user actions",
		find: func(cmd *cobra.Command, s *service, args []string, _ listFlags) ([]oasadmin.ExplainedAction, int64, error) {
			process, err := parseID(args[0], "the id of the process")
			if err != nil {
				return nil, 0, err
			}
			principal, err := s.findPrincipal(cmd.Context(), "the principal", args[1], "")
			if err != nil {
				return nil, 0, err
			}
			answer, err := s.ExplainProcessActions(cmd.Context(), process,
				&oasadmin.ExplainProcessActionsParams{PrincipalID: principal})
			found, err := receive[oasadmin.ExplainedActions](s, answer, err)
			return found.Content, 0, notFound(err, "process "+process.String())
		},
		table: func(w view, found []oasadmin.ExplainedAction) {
			writeRow(w, "CODE", "TYPE", "OFFERED", "WHY NOT")
			for _, a := range found {
				writeRow(w, a.Code, a.Type, yesNo(a.Offered), obstacleText(a.Reasons))
			}
		},
	})
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

func obstacleText(obstacles []oasadmin.ActionObstacle) string {
	texts := make([]string, len(obstacles))
	for i, o := range obstacles {
		texts[i] = o.Message
	}
	return strings.Join(texts, "; ")
}

func newActionsEvaluateCommand(env Environment) *cobra.Command {
	var process, model string
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "evaluate EXPRESSION", Args: requireArgs("an availability expression"),
		Short: "Evaluate an availability expression",
		Long: "Evaluates an availability expression and prints true or false. An error names the column.\n" +
			"A model holds the variables of an expression: process and tasks, each with state, createdAt and lastModifiedAt.\n\n" +
			"The functions of an expression are " + strings.Join(availability.Functions(), ", ") + ".",
		Example: "  procession actions evaluate '${ .tasks | to_entries | any(.value.state == \"READY\") }' --process 01970000-0000-7000-8000-000000000000\n" +
			"  procession actions evaluate '${ .tasks.SIGN.state == \"READY\" }' --model model.json",
		ValidArgsFunction: completeNothing,
	}, func(cmd *cobra.Command, s *service, args []string) error {
		body := oasadmin.AvailabilityEvaluateParams{Expression: args[0]}
		var err error
		switch {
		case (process == "") == (model == ""):
			return usageError("%s needs one of --process and --model", cmd.CommandPath())
		case process != "":
			var id uuid.UUID
			id, err = parseID(process, "--process")
			body.ProcessID = &id
		default:
			body.Model, err = readModel(cmd.InOrStdin(), model)
		}
		if err != nil {
			return err
		}
		answer, err := s.EvaluateAvailability(cmd.Context(), body)
		evaluation, err := receive[oasadmin.AvailabilityEvaluation](s, answer, err)
		switch {
		case err != nil:
			return notFound(err, "process "+process)
		case evaluation.Error != nil && evaluation.Error.Column != nil:
			return usageError("column %d: %s", *evaluation.Error.Column, evaluation.Error.Message)
		case evaluation.Error != nil:
			return usageError("%s", evaluation.Error.Message)
		case evaluation.Result == nil:
			return s.unexpectedResponse(answer)
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), *evaluation.Result)
		return err
	})
	cmd.Flags().StringVar(&process, "process", "", "the process with the `id` to evaluate it in")
	cmd.Flags().StringVar(&model, "model", "", "the `file` with the model to evaluate it against, - for standard input")
	return cmd
}

// readModel reads a model in JSON.
func readModel(stdin io.Reader, file string) (*oasadmin.AvailabilityModel, error) {
	text, err := readInput(stdin, "model", file)
	if err != nil {
		return nil, err
	}
	var model oasadmin.AvailabilityModel
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&model); err != nil {
		return nil, usageError("--model: %w", err)
	}
	if model.Tasks == nil {
		model.Tasks = map[string]oasadmin.AvailabilityTask{}
	}
	return &model, nil
}

func newActionsFaultsCommand(env Environment) *cobra.Command {
	return listCommand(env, &cobra.Command{
		Use: "faults", Args: requireArgs(), Short: "List availability expressions that failed, the latest first",
	}, listing[oasadmin.AvailabilityFault]{
		rows: "faults", limit: 50, tenant: ofTenantHelp,
		find: func(cmd *cobra.Command, s *service, _ []string, by listFlags) ([]oasadmin.AvailabilityFault, int64, error) {
			answer, err := s.FindAvailabilityFaults(cmd.Context(),
				&oasadmin.FindAvailabilityFaultsParams{Size: &by.limit, Tenant: filterOf(by.tenant)})
			page, err := receive[oasadmin.AvailabilityFaultPage](s, answer, err)
			return page.Content, page.Metadata.TotalElements, err
		},
		table: func(w view, found []oasadmin.AvailabilityFault) {
			writeRow(w, "DEFINITION", "ACTION", "PROCESS", "LAST", "MESSAGE")
			for _, f := range found {
				writeRow(w, f.ProcessDefinitionCode, f.ActionCode, f.ProcessID.String(), timeText(f.LastAt), f.Message)
			}
		},
	})
}
