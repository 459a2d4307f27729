package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

func newReceiversCommand(env Environment) *cobra.Command {
	return newGroup("receivers", "Test receivers of notifications, and show their messages",
		newReceiversTestCommand(env), newReceiversMessagesCommand(env))
}

func newReceiversTestCommand(env Environment) *cobra.Command {
	var tenant string
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "test CODE", Short: "Send a test notification to a receiver", Args: requireArgs("the code of a notification receiver"),
		ValidArgsFunction: completeCode(env, oasadmin.ResourceKindNotificationReceiver, cobra.ShellCompDirectiveNoFileComp),
	}, func(cmd *cobra.Command, s *service, args []string) error {
		if err := checkCode(args[0]); err != nil {
			return err
		}
		answer, err := s.TestNotificationReceiver(cmd.Context(), args[0], &oasadmin.TestNotificationReceiverParams{Tenant: nonEmpty(tenant)})
		test, err := receive[oasadmin.NotificationTest](s, answer, err)
		if err != nil {
			return withName(err, resource.KindNotificationReceiver, args[0])
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s to %s; procession receivers messages %s shows their state\n",
			domain.CountText(test.Messages, "test message", "test messages"), test.Receiver, test.Receiver)
		return err
	})
	bindTenant(env, cmd, &tenant)
	return cmd
}

func newReceiversMessagesCommand(env Environment) *cobra.Command {
	return listCommand(env, &cobra.Command{
		Use: "messages [CODE]...", Short: "List mails and chat messages, the newest first",
	}, listing[oasadmin.NotificationMessage]{
		rows: "messages", tenant: tenantHelp, table: messageTable,
		id: func(m oasadmin.NotificationMessage) string { return m.ID.String() },
		find: func(cmd *cobra.Command, s *service, args []string, by listFlags) ([]oasadmin.NotificationMessage, int64, error) {
			answer, err := s.FindNotificationMessages(cmd.Context(), &oasadmin.FindNotificationMessagesParams{
				Size: new(pageSize), Tenant: filterOf(by.tenant), Receiver: args,
			})
			page, err := receive[oasadmin.NotificationMessagePage](s, answer, err)
			return page.Content, page.Metadata.TotalElements, err
		},
	})
}

func messageTable(v view, messages []oasadmin.NotificationMessage) {
	v.writeTitles([]string{"CREATED", "TENANT", "RECEIVER", "STATE", "ATTEMPTS", "TO", "SUBJECT", "FAILURE"})
	for _, m := range messages {
		to, failure := m.Recipient, ""
		if to == "" {
			to = string(m.Channel)
		}
		if m.Failure != nil {
			failure = *m.Failure
		}
		writeRow(v, timeText(m.CreatedAt), m.Tenant, m.Receiver, string(m.State), formatNumber(int64(m.Attempts)), to, m.Subject, failure)
	}
}
