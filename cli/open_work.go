package cli

import (
	"fmt"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain"
)

func newWorkCommand(env Environment) *cobra.Command {
	return newGroup("work", "Show and hand over the open work of people",
		newWorkListCommand(env), newWorkShowCommand(env), newWorkHandOverCommand(env))
}

func newWorkListCommand(env Environment) *cobra.Command {
	return listCommand(env, &cobra.Command{
		Use: "list", Args: requireArgs(), Short: "List open work without an active owner",
		Long: "Lists claimed tasks, running processes and assigned incidents of people who are disabled or have left, and tasks\n" +
			"without an active candidate, the oldest first.",
	}, listing[oasadmin.UnownedWork]{
		rows: "pieces of work", limit: 50, tenant: ofTenantHelp,
		id: func(w oasadmin.UnownedWork) string { return w.ID.String() },
		find: func(cmd *cobra.Command, s *service, _ []string, by listFlags) ([]oasadmin.UnownedWork, int64, error) {
			answer, err := s.FindUnownedWork(cmd.Context(), &oasadmin.FindUnownedWorkParams{Size: &by.limit, Tenant: filterOf(by.tenant)})
			page, err := receive[oasadmin.UnownedWorkPage](s, answer, err)
			return page.Content, page.Metadata.TotalElements, err
		},
		table: func(v view, found []oasadmin.UnownedWork) {
			writeRow(v, "KIND", "ID", "DEFINITION", "ITEM", "PRINCIPAL", "NAME", "SINCE")
			for _, w := range found {
				principal := ""
				if w.PrincipalID != nil {
					principal = w.PrincipalID.String()
				}
				writeRow(v, w.Kind, w.ID.String(), valueOf(w.ProcessDefinition), valueOf(w.Item), principal, valueOf(w.Name), timeText(w.Since))
			}
		},
	})
}

func newWorkShowCommand(env Environment) *cobra.Command {
	var out *output
	var tenant string
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "show PRINCIPAL", Args: requireArgs("the code, the e-mail address or the id of a user or an application"),
		Short: "Show the open work of a person or an application",
	}, func(cmd *cobra.Command, s *service, args []string) error {
		id, err := s.findPrincipal(cmd.Context(), "PRINCIPAL", args[0], tenant)
		if err != nil {
			return err
		}
		answer, err := s.RetrieveOpenWork(cmd.Context(), id, &oasadmin.RetrieveOpenWorkParams{Tenant: tenant})
		work, err := receive[oasadmin.OpenWork](s, answer, err)
		if err != nil {
			return err
		}
		return out.write(cmd.Context(), cmd.OutOrStdout(), work, func(v view) { writeOpenWork(v, work) })
	})
	bindTenant(env, cmd, &tenant)
	_ = cmd.MarkFlagRequired("tenant")
	out = bindOutput(cmd, formatTable, formatJSON, formatYAML, formatJQ)
	return cmd
}

func writeOpenWork(v view, work oasadmin.OpenWork) {
	writeRow(v, "KIND", "ID", "OF")
	for _, t := range work.Tasks {
		writeRow(v, "task", t.ID.String(), t.Code)
	}
	for _, p := range work.Processes {
		writeRow(v, "process", p.ID.String(), p.ProcessDefinition)
	}
	for _, i := range work.Incidents {
		writeRow(v, "incident", i.String(), "")
	}
	for _, r := range work.Rights {
		writeRow(v, "only right", r.May, soleRightText(r))
	}
}

func soleRightText(r oasadmin.SoleRight) string {
	text := r.Code
	if r.Item != nil {
		text += " " + *r.Item
	}
	if r.Waiting > 0 {
		text += fmt.Sprintf(" (%d waiting)", r.Waiting)
	}
	return text
}

func newWorkHandOverCommand(env Environment) *cobra.Command {
	var tenant, to string
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "hand-over PRINCIPAL --to release|user/CODE|group/CODE", Args: requireArgs("the code, the e-mail address or the id of a user or an application"),
		Short: "Hand over the open work of a person or an application",
		Long: "Gives tasks, running processes and incidents to a user, or to the active users of a group in turn, 1,000 of each kind\n" +
			"at once until all are handed over. release returns tasks to their candidates. People who have left are named by id.",
	}, func(cmd *cobra.Command, s *service, args []string) error {
		if err := checkHandOver("--to", to); err != nil {
			return err
		}
		id, err := s.findPrincipal(cmd.Context(), "PRINCIPAL", args[0], tenant)
		if err != nil {
			return err
		}
		for more := true; more; {
			work, err := s.handOverPart(cmd, id, tenant, to)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s, %s, %s handed over\n", domain.CountText(len(work.Tasks), "task", "tasks"),
				domain.CountText(len(work.Processes), "process", "processes"), domain.CountText(len(work.Incidents), "incident", "incidents")); err != nil {
				return err
			}
			// A release leaves the initiators.
			more = work.More && (to != "release" || len(work.Tasks)+len(work.Incidents) > 0)
		}
		return nil
	})
	bindTenant(env, cmd, &tenant)
	_ = cmd.MarkFlagRequired("tenant")
	cmd.Flags().StringVar(&to, "to", "", "the `successor`: release, user/CODE or group/CODE (required)")
	_ = cmd.MarkFlagRequired("to")
	return cmd
}

func (s *service) handOverPart(cmd *cobra.Command, id uuid.UUID, tenant, to string) (oasadmin.OpenWork, error) {
	answer, err := s.HandOverWork(cmd.Context(), id, &oasadmin.HandOverWorkParams{Tenant: tenant}, oasadmin.HandOverWorkJSONRequestBody{HandOver: to})
	return receive[oasadmin.OpenWork](s, answer, err)
}

// bindHandOver adds the flag for the decision about open work.
func bindHandOver(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "hand-over", "",
		"the `decision` about the open work of users who are deleted or disabled: keep, release (to the candidates), user/CODE or group/CODE")
}

// checkHandOver refuses a flag that is no decision about open work.
func checkHandOver(flag, text string) error {
	if _, ok := domain.ParseHandOver(text); !ok {
		return usageError("%s %s", flag, domain.HandOverSyntax)
	}
	return nil
}

// openWorkText summarizes open work.
func openWorkText(w oasadmin.OpenWork) string {
	text := domain.CountText(len(w.Tasks), "claimed task", "claimed tasks") + ", " + domain.CountText(len(w.Processes), "running process", "running processes") +
		", " + domain.CountText(len(w.Incidents), "assigned incident", "assigned incidents")
	for _, r := range w.Rights {
		text += ", the only right to " + r.May + " of " + soleRightText(r)
	}
	return text
}
