package cli

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain"
)

// health is the output of the command.
type health struct {
	oasadmin.Health

	Checks []oasadmin.HealthFinding `json:"checks,omitempty"`
}

func newHealthCommand(env Environment) *cobra.Command {
	var out *output
	var tenant string
	var checks bool
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "health", Args: requireArgs(), Short: "Show backlogs, and with --checks the results of all checks",
		Long: "Shows backlogs of your tenants, for operators of all tenants. With --checks, which is for operators, the service runs\n" +
			"the checks of procession doctor; the exit code is 1 if one fails.",
		ValidArgsFunction: completeNothing,
	}, func(cmd *cobra.Command, s *service, _ []string) error {
		var found health
		answer, err := s.RetrieveHealth(cmd.Context(), &oasadmin.RetrieveHealthParams{Tenant: filterOf(tenant)})
		if found.Health, err = receive[oasadmin.Health](s, answer, err); err != nil {
			return err
		}
		if err := s.checkEmpty(cmd.Context(), "health", tenant); err != nil {
			return err
		}
		if checks {
			answer, err := s.ExamineHealth(cmd.Context())
			examined, err := receive[oasadmin.HealthChecks](s, answer, err)
			if err != nil {
				return err
			}
			found.Checks = examined.Content
		}
		if err := out.write(cmd.Context(), cmd.OutOrStdout(), found, func(v view) { healthTable(v, env.Clock(), found) }); err != nil {
			return err
		}
		return failedChecks(found.Checks)
	})
	cmd.Flags().StringVar(&tenant, "tenant", "", ofTenantHelp)
	cmd.Flags().BoolVar(&checks, "checks", false, "carry out the checks of procession doctor")
	out = bindOutput(cmd, formatTable, formatJSON, formatYAML, formatJQ)
	return cmd
}

// failedChecks fails when a check does.
func failedChecks(checks []oasadmin.HealthFinding) error {
	fails := 0
	for _, f := range checks {
		if f.Verdict == oasadmin.HealthVerdictFAIL {
			fails++
		}
	}
	if fails == 0 {
		return nil
	}
	return fmt.Errorf("%d of %s", fails, domain.CountText(len(checks), "check fails", "checks fail"))
}

func healthTable(w io.Writer, now time.Time, h health) {
	writeRow(w, "Version:", h.Version)
	if h.DatabaseVersion != nil {
		writeRow(w, "PostgreSQL:", *h.DatabaseVersion)
	}
	writeRow(w, "Commands for Temporal:", waitingText(now, h.Commands, h.CommandsDueSince))
	writeRow(w, "Webhook deliveries:", waitingText(now, h.Deliveries, h.DeliveriesSince))
	writeRow(w, "Deliveries tried again:", strconv.FormatInt(h.RetriedDeliveries, 10))
	writeRow(w, "Disabled endpoints:", strconv.FormatInt(h.DisabledEndpoints, 10))
	writeRow(w, "Open incidents:", strconv.FormatInt(h.OpenIncidents, 10))
	writeRow(w, "Overdue scans for ends:", strconv.FormatInt(h.OverdueLooks, 10))
	for _, f := range h.Checks {
		writeRow(w, string(f.Verdict), f.Check, cellText(f.Finding))
		if f.Advice != nil {
			writeRow(w, "", "", "-> "+cellText(*f.Advice))
		}
	}
}

func waitingText(now time.Time, count int64, since *time.Time) string {
	text := strconv.FormatInt(count, 10)
	if since != nil {
		text += ", the oldest for " + now.Sub(*since).Round(time.Second).String()
	}
	return text
}
