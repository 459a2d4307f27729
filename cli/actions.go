package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/api/admin/client"
	"github.com/procession-dev/procession/domain"
)

func newActionsCommand(env Environment) *cobra.Command {
	return group("actions", "Look into the user actions of processes",
		newActionsExplainCommand(env), newActionsEvaluateCommand(env), newActionsFaultsCommand(env))
}

func newActionsExplainCommand(env Environment) *cobra.Command {
	var out *output
	cmd := asking(env, &cobra.Command{
		Use: "explain PROCESS PRINCIPAL", Args: exactly("the id of a process", "the id of a user or an application"),
		Short:             "Tell why somebody is offered a user action of a process, or not",
		ValidArgsFunction: completeNothing,
	}, func(cmd *cobra.Command, s *service, args []string) error {
		process, err := uuid.Parse(args[0])
		if err != nil {
			return misuse("the id of the process: %w", err)
		}
		principal, err := uuid.Parse(args[1])
		if err != nil {
			return misuse("the id of the principal: %w", err)
		}
		answer, err := s.ExplainProcessActionsWithResponse(cmd.Context(), process,
			&client.ExplainProcessActionsParams{PrincipalID: principal})
		found, err := read[client.ExplainedActions](s, answer, err)
		if ExitCode(err) == ExitNotFound {
			return &failure{kind: domain.KindNotFound, text: fmt.Sprintf("process %s not found", process)}
		}
		if err != nil {
			return err
		}
		if len(found.Content) == 0 && out.format == formatTable {
			cmd.PrintErrln("no user actions")
			return nil
		}
		return out.write(cmd.Context(), cmd.OutOrStdout(), found.Content, func(w io.Writer) {
			row(w, "CODE", "TYPE", "OFFERED", "WHY NOT")
			for _, a := range found.Content {
				row(w, a.Code, a.Type, yesNo(a.Offered), reasons(a.Reasons))
			}
		})
	})
	out = bindOutput(cmd, formatTable, formatJSON, formatYAML, formatJQ)
	return cmd
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

func reasons(obstacles []client.ActionObstacle) string {
	texts := make([]string, len(obstacles))
	for i, o := range obstacles {
		texts[i] = o.Message
	}
	return strings.Join(texts, "; ")
}

func newActionsEvaluateCommand(env Environment) *cobra.Command {
	var process, model string
	cmd := asking(env, &cobra.Command{
		Use: "evaluate EXPRESSION", Args: exactly("an availability expression"),
		Short: "Evaluate an availability expression",
		Long: "Evaluates an availability expression and prints true or false. What is wrong with it is told with its column.\n" +
			"A model has what an expression sees: process and tasks, each with state, createdAt and lastModifiedAt.",
		Example: "  procession actions evaluate '${ .process.state == \"RUNNING\" }' --process 01970000-0000-7000-8000-000000000000\n" +
			"  procession actions evaluate '${ .tasks.SIGN.state == \"READY\" }' --model model.json",
		ValidArgsFunction: completeNothing,
	}, func(cmd *cobra.Command, s *service, args []string) error {
		body := client.AvailabilityEvaluateParams{Expression: args[0]}
		var err error
		switch {
		case (process == "") == (model == ""):
			return misuse("%s needs one of --process and --model", cmd.CommandPath())
		case process != "":
			body.ProcessID, err = parseID(process, "--process")
		default:
			body.Model, err = readModel(cmd.InOrStdin(), model)
		}
		if err != nil {
			return err
		}
		answer, err := s.EvaluateAvailabilityWithResponse(cmd.Context(), body)
		evaluation, err := read[client.AvailabilityEvaluation](s, answer, err)
		switch {
		case ExitCode(err) == ExitNotFound:
			return &failure{kind: domain.KindNotFound, text: fmt.Sprintf("process %s not found", process)}
		case err != nil:
			return err
		case evaluation.Error != nil && evaluation.Error.Column != nil:
			return misuse("column %d: %s", *evaluation.Error.Column, evaluation.Error.Message)
		case evaluation.Error != nil:
			return misuse("%s", evaluation.Error.Message)
		case evaluation.Result == nil:
			return s.stranger(answer)
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), *evaluation.Result)
		return err
	})
	cmd.Flags().StringVar(&process, "process", "", "the process with the `id` to evaluate it in")
	cmd.Flags().StringVar(&model, "model", "", "the `file` with the model to evaluate it against, - for standard input")
	return cmd
}

// readModel reads a model in JSON.
func readModel(stdin io.Reader, file string) (*client.AvailabilityModel, error) {
	var text []byte
	var err error
	if file == "-" {
		text, err = io.ReadAll(stdin)
	} else {
		text, err = os.ReadFile(file) //nolint:gosec // whoever calls the command names the file
	}
	if err != nil {
		return nil, misuse("--model: %w", err)
	}
	var model client.AvailabilityModel
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&model); err != nil {
		return nil, misuse("--model: %w", err)
	}
	if model.Tasks == nil {
		model.Tasks = map[string]client.AvailabilityTask{}
	}
	return &model, nil
}

func newActionsFaultsCommand(env Environment) *cobra.Command {
	var limit int
	var tenant string
	var out *output
	cmd := asking(env, &cobra.Command{
		Use: "faults", Args: exactly(), Short: "List availability expressions that failed, the last first",
	}, func(cmd *cobra.Command, s *service, _ []string) error {
		if limit < 1 || limit > pageSize {
			return misuse("--limit must be 1 to %d", pageSize)
		}
		answer, err := s.FindAvailabilityFaultsWithResponse(cmd.Context(),
			&client.FindAvailabilityFaultsParams{Size: &limit, Tenant: filter(tenant)})
		page, err := read[client.AvailabilityFaultPage](s, answer, err)
		if err != nil {
			return err
		}
		if len(page.Content) == 0 && out.format == formatTable {
			cmd.PrintErrln("no faults")
			return nil
		}
		if shown := int64(len(page.Content)); shown < page.Metadata.TotalElements {
			defer cmd.PrintErrf("%d of %d shown: --limit\n", shown, page.Metadata.TotalElements)
		}
		return out.write(cmd.Context(), cmd.OutOrStdout(), page.Content, func(w io.Writer) {
			row(w, "DEFINITION", "ACTION", "PROCESS", "LAST", "MESSAGE")
			for _, f := range page.Content {
				row(w, f.ProcessDefinitionCode, f.ActionCode, f.ProcessID.String(), timeText(f.LastAt), f.Message)
			}
		})
	})
	cmd.Flags().IntVar(&limit, "limit", 50, "how `many` to show, at most 1000")
	cmd.Flags().StringVar(&tenant, "tenant", "", "only those of the tenant with the `code`")
	completeTenants(env, cmd)
	out = bindOutput(cmd, formatTable, formatJSON, formatYAML, formatJQ)
	return cmd
}
