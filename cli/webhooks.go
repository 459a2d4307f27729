package cli

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain/resource"
)

func newWebhooksCommand(env Environment) *cobra.Command {
	return newGroup("webhooks", "Show the state of webhooks, and repeat deliveries",
		newWebhooksListCommand(env), newWebhooksPingCommand(env), newWebhooksEnableCommand(env),
		newWebhooksDeliveriesCommand(env), newWebhooksShowCommand(env),
		newWebhooksReplayCommand(env), newWebhooksReplayFailedCommand(env), newWebhooksReplayAllCommand(env))
}

func newWebhooksListCommand(env Environment) *cobra.Command {
	return listCommand(env, &cobra.Command{
		Use: "list", Args: requireArgs(), Short: "List the endpoints of webhooks and their state",
	}, listing[oasadmin.WebhookEndpoint]{
		rows: "webhooks", tenant: tenantHelp, table: webhookTable,
		id: func(e oasadmin.WebhookEndpoint) string { return e.Code },
		find: func(cmd *cobra.Command, s *service, _ []string, by listFlags) ([]oasadmin.WebhookEndpoint, int64, error) {
			answer, err := s.FindWebhookEndpoints(cmd.Context(),
				&oasadmin.FindWebhookEndpointsParams{Size: new(pageSize), Tenant: filterOf(by.tenant)})
			page, err := receive[oasadmin.WebhookEndpointPage](s, answer, err)
			return page.Content, page.Metadata.TotalElements, err
		},
	})
}

func webhookTable(v view, endpoints []oasadmin.WebhookEndpoint) {
	v.writeTitles([]string{"TENANT", "CODE", "STATE", "SINCE", "WAITING", "RETRYING", "DEAD", "DROPPED", "URL"})
	for _, e := range endpoints {
		since := ""
		switch {
		case e.DisabledAt != nil:
			since = timeText(*e.DisabledAt)
		case e.FailingSince != nil:
			since = timeText(*e.FailingSince)
		}
		waiting := formatNumber(e.Pending)
		if e.AtLeast != nil {
			waiting += "+"
		}
		writeRow(v, e.Tenant, e.Code, string(e.State), since, waiting, formatNumber(e.Retrying), formatNumber(e.Dead),
			formatNumber(e.Dropped), e.URL)
	}
}

func formatNumber(n int64) string { return strconv.FormatInt(n, 10) }

// webhookCommand creates a command about one webhook subscription.
func webhookCommand(
	env Environment, use, short string, run func(cmd *cobra.Command, s *service, code string, tenant *string) error,
) *cobra.Command {
	var tenant string
	cmd := newServiceCommand(env, &cobra.Command{
		Use: use + " CODE", Short: short, Args: requireArgs("the code of a webhook subscription"),
		ValidArgsFunction: completeCode(env, oasadmin.ResourceKindWebhookSubscription, cobra.ShellCompDirectiveNoFileComp),
	}, func(cmd *cobra.Command, s *service, args []string) error {
		if err := checkCode(args[0]); err != nil {
			return err
		}
		return withName(run(cmd, s, args[0], nonEmpty(tenant)), resource.KindWebhookSubscription, args[0])
	})
	bindTenant(env, cmd, &tenant)
	return cmd
}

func newWebhooksPingCommand(env Environment) *cobra.Command {
	return webhookCommand(env, "ping", "Send a test event, and print its id",
		func(cmd *cobra.Command, s *service, code string, tenant *string) error {
			answer, err := s.PingWebhookEndpoint(cmd.Context(), code, &oasadmin.PingWebhookEndpointParams{Tenant: tenant})
			ping, err := receive[oasadmin.WebhookPing](s, answer, err)
			if err != nil {
				return err
			}
			cmd.PrintErrf("To see whether it arrived: %s deliveries --event %s\n", cmd.Parent().CommandPath(), ping.EventID)
			_, err = fmt.Fprintln(cmd.OutOrStdout(), ping.EventID)
			return err
		})
}

func newWebhooksEnableCommand(env Environment) *cobra.Command {
	return webhookCommand(env, "enable", "Enable an endpoint that the service disabled",
		func(cmd *cobra.Command, s *service, code string, tenant *string) error {
			answer, err := s.EnableWebhookEndpoint(cmd.Context(), code, &oasadmin.EnableWebhookEndpointParams{Tenant: tenant})
			endpoint, err := receive[oasadmin.WebhookEndpoint](s, answer, err)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", endpoint.Code, endpoint.State)
			return err
		})
}

func newWebhooksReplayFailedCommand(env Environment) *cobra.Command {
	return webhooksReplayCommand(env, "replay-failed", "Repeat all deliveries that failed or were dropped", false)
}

func newWebhooksReplayAllCommand(env Environment) *cobra.Command {
	return webhooksReplayCommand(env, "replay-all", "Replay all deliveries, including successful ones", true)
}

// webhooksReplayCommand creates a command that makes deliveries again since a time.
func webhooksReplayCommand(env Environment, use, short string, delivered bool) *cobra.Command {
	var since string
	cmd := webhookCommand(env, use, short,
		func(cmd *cobra.Command, s *service, code string, tenant *string) error {
			if since == "" {
				return usageError("%s needs --since", cmd.CommandPath())
			}
			from, err := Moment("since", since, env.Clock())
			if err != nil {
				return err
			}
			answer, err := s.ReplayFailedWebhookDeliveries(cmd.Context(), code,
				&oasadmin.ReplayFailedWebhookDeliveriesParams{Tenant: tenant},
				oasadmin.WebhookReplayParams{Since: *from, Delivered: &delivered})
			replay, err := receive[oasadmin.WebhookReplay](s, answer, err)
			if err != nil {
				return err
			}
			if replay.Next != nil {
				cmd.PrintErrf("There are more: repeat with --since %s.\n", replay.Next.Format(time.RFC3339Nano))
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d replayed\n", replay.Replayed)
			return err
		})
	cmd.Flags().StringVar(&since, "since", "", "deliveries first attempted since `then`: a time such as 2027-01-31T00:00:00Z, or 12h or 3d ago; required")
	return cmd
}
