package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
)

func newWebhooksDeliveriesCommand(env Environment) *cobra.Command {
	var code, event, process string
	var states []string
	cmd := listCommand(env, &cobra.Command{
		Use: "deliveries", Args: requireArgs(), Short: "List deliveries, the newest first",
	}, listing[oasadmin.WebhookDelivery]{
		rows: "deliveries", limit: 50, tenant: tenantHelp, table: deliveryTable,
		id: func(d oasadmin.WebhookDelivery) string { return d.ID.String() },
		find: func(cmd *cobra.Command, s *service, _ []string, by listFlags) ([]oasadmin.WebhookDelivery, int64, error) {
			params := oasadmin.FindWebhookDeliveriesParams{Size: &by.limit, Tenant: filterOf(by.tenant), Webhook: filterOf(code)}
			for _, state := range states {
				params.State = append(params.State, oasadmin.WebhookDeliveryState(state))
			}
			var err error
			if params.EventID, err = idFilter("event", event); err != nil {
				return nil, 0, err
			}
			if params.ProcessID, err = idFilter("process", process); err != nil {
				return nil, 0, err
			}
			answer, err := s.FindWebhookDeliveries(cmd.Context(), &params)
			page, err := receive[oasadmin.WebhookDeliveryPage](s, answer, err)
			return page.Content, page.Metadata.TotalElements, err
		},
	})
	f := cmd.Flags()
	f.StringVar(&code, "webhook", "", "only deliveries to the subscription with the `code`")
	f.StringSliceVar(&states, "state", nil, "only deliveries in one of the `states` PENDING, RETRYING, DELIVERED, DEAD, DROPPED")
	f.StringVar(&event, "event", "", "only deliveries of the event with the `id`")
	f.StringVar(&process, "process", "", "only deliveries of events of the process with the `id`")
	return cmd
}

func deliveryTable(v view, deliveries []oasadmin.WebhookDelivery) {
	v.writeTitles([]string{"ID", "WEBHOOK", "EVENT", "STATE", "ATTEMPTS", "LAST", "CREATED", "NEXT"})
	for _, d := range deliveries {
		next := ""
		if d.NextAttemptAt != nil {
			next = timeText(*d.NextAttemptAt)
		}
		writeRow(v, d.ID.String(), d.Webhook, d.EventType, string(d.State), strconv.Itoa(d.Attempts),
			resultText(d.LastStatus, d.LastFailure), timeText(d.CreatedAt), next)
	}
}

// resultText returns the result of an attempt: the status of the response, or the
// failure.
func resultText(status *int, failure *string) string {
	switch {
	case status != nil:
		return strconv.Itoa(*status)
	case failure != nil:
		return *failure
	default:
		return ""
	}
}

// deliveryCommand creates a command about one delivery.
func deliveryCommand(
	env Environment, use, short string, run func(cmd *cobra.Command, s *service, id uuid.UUID) error,
) *cobra.Command {
	return newServiceCommand(env, &cobra.Command{
		Use: use + " ID", Short: short, Args: requireArgs("the id of a delivery"), ValidArgsFunction: completeDelivery(env),
	}, func(cmd *cobra.Command, s *service, args []string) error {
		id, err := parseID(args[0], "the id of the delivery")
		if err != nil {
			return err
		}
		return notFound(run(cmd, s, id), "delivery "+id.String())
	})
}

func newWebhooksShowCommand(env Environment) *cobra.Command {
	var out *output
	cmd := deliveryCommand(env, "show", "Show a delivery with all its attempts",
		func(cmd *cobra.Command, s *service, id uuid.UUID) error {
			answer, err := s.RetrieveWebhookDelivery(cmd.Context(), id)
			log, err := receive[oasadmin.WebhookDeliveryLog](s, answer, err)
			if err != nil {
				return err
			}
			return out.write(cmd.Context(), cmd.OutOrStdout(), log, func(w view) {
				deliveryTable(w, []oasadmin.WebhookDelivery{log.Delivery})
				writeRow(w, "")
				writeRow(w, "ATTEMPT", "AT", "TOOK", "RESULT", "WHY", "ANSWER")
				for _, a := range log.Attempts {
					writeRow(w, fmt.Sprintf("%d.%d", a.Round, a.Number), timeText(a.At), fmt.Sprintf("%d ms", a.LatencyMillis),
						resultText(a.Status, a.Failure), valueOf(a.Detail), shortenText(valueOf(a.Answer)))
				}
			})
		})
	out = bindOutput(cmd, formatTable, formatJSON, formatYAML, formatJQ)
	return cmd
}

// shortenText returns how a text begins.
func shortenText(text string) string {
	const enough = 80
	if short := []rune(text); len(short) > enough {
		return string(short[:enough]) + "…"
	}
	return text
}

func newWebhooksReplayCommand(env Environment) *cobra.Command {
	return deliveryCommand(env, "replay", "Repeat a delivery, whatever its state",
		func(cmd *cobra.Command, s *service, id uuid.UUID) error {
			answer, err := s.ReplayWebhookDelivery(cmd.Context(), id)
			delivery, err := receive[oasadmin.WebhookDelivery](s, answer, err)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", delivery.ID, delivery.State)
			return err
		})
}

// completeDelivery completes the id of one of the latest deliveries.
func completeDelivery(env Environment) completions {
	return completeWork(env, func(ctx context.Context, s *service) ([]string, error) {
		answer, err := s.FindWebhookDeliveries(ctx, &oasadmin.FindWebhookDeliveriesParams{Size: new(mostNames)})
		page, err := receive[oasadmin.WebhookDeliveryPage](s, answer, err)
		var found []string
		for _, d := range page.Content {
			found = append(found, d.ID.String()+"\t"+string(d.State))
		}
		return found, err
	})
}
