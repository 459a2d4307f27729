package cli

import (
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/sdk/rest"
)

func newNotificationsCommand(env Environment) *cobra.Command {
	return newGroup("notifications", "List your notifications, and mark them as read",
		newNotificationsListCommand(env), newNotificationsReadCommand(env))
}

func newNotificationsListCommand(env Environment) *cobra.Command {
	var unread bool
	var kinds []string
	var claimable []rest.ClaimableDigest
	cmd := listCommand(env, &cobra.Command{
		Use: "list", Args: requireArgs(), Short: "List your notifications, the newest first",
		Long: "Lists your notifications of the last 90 days, and the numbers of tasks that became claimable since you marked them as read.",
		Example: "  procession notifications list --unread\n" +
			"  procession notifications list --kind MENTIONED --kind ASSIGNED",
		ValidArgsFunction: completeNothing,
	}, listing[rest.Notification]{
		rows: "notifications", limit: 50, tenant: ofTenantHelp, empty: emptyWork("notifications"),
		id: func(n rest.Notification) string { return n.ID.String() },
		people: func(cmd *cobra.Command, s *service, _ listFlags, found []rest.Notification) (map[uuid.UUID]string, error) {
			var ids []*uuid.UUID
			for i := range found {
				ids = append(ids, &found[i].CreatedBy)
			}
			return s.findNames(cmd.Context(), ids)
		},
		find: func(cmd *cobra.Command, s *service, _ []string, by listFlags) ([]rest.Notification, int64, error) {
			params := rest.FindNotificationsParams{Size: &by.limit}
			if unread {
				params.Unread = &unread
			}
			for _, kind := range kinds {
				params.Kind = append(params.Kind, rest.NotificationKind(strings.ToUpper(kind)))
			}
			var err error
			if params.TenantID, err = s.memberTenant(cmd.Context(), "notifications", by.tenant); err != nil {
				return nil, 0, err
			}
			answer, err := s.rest.FindNotifications(cmd.Context(), &params)
			page, err := receive[rest.NotificationPage](s, answer, err)
			claimable = page.Claimable
			return page.Content, page.Metadata.TotalElements, err
		},
		table: notificationTable,
		below: func(cmd *cobra.Command, _ *service, _ listFlags, _ []rest.Notification) error {
			for _, d := range claimable {
				fmt.Fprintf(cmd.OutOrStdout(), "%d new tasks to claim: %s\n", d.Tasks, d.ProcessItemDefinitionCode)
			}
			return nil
		},
	})
	cmd.Flags().BoolVar(&unread, "unread", false, "only notifications that are not marked as read")
	cmd.Flags().StringSliceVar(&kinds, "kind", nil,
		"only notifications of the `kind` MENTIONED, ASSIGNED, OVERDUE, DUE_SOON, CLAIMABLE, MESSAGE or FINISHED; repeatable")
	return cmd
}

func notificationTable(v view, found []rest.Notification) {
	v.writeTitles([]string{"KIND", "BY", "CREATED", "READ", "PROCESS ID", "ID"}, "ITEM ID")
	for _, n := range found {
		read := "no"
		if n.ReadAt != nil {
			read = "yes"
		}
		v.writeLine([]string{
			string(n.Kind), v.personName(&n.CreatedBy), momentText(&n.CreatedAt), read, n.ProcessID.String(), n.ID.String(),
		}, idText(n.ProcessItemID))
	}
}

func newNotificationsReadCommand(env Environment) *cobra.Command {
	var all bool
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "read [ID …]", Short: "Mark notifications as read, or with --all all of them",
		Long:              "Marks your notifications as read. With --all also the numbers of claimable tasks begin again.",
		Example:           "  procession notifications read --all",
		ValidArgsFunction: completeNothing,
	}, func(cmd *cobra.Command, s *service, args []string) error {
		if all == (len(args) > 0) {
			return usageError("%s needs ids of notifications, or --all", cmd.CommandPath())
		}
		var body rest.NotificationReadParams
		for _, arg := range args {
			id, err := parseID(arg, "the id of a notification, which notifications list shows")
			if err != nil {
				return err
			}
			body.Ids = append(body.Ids, id)
		}
		answer, err := s.rest.ReadNotifications(cmd.Context(), body)
		_, err = receive[struct{}](s, answer, err)
		return err
	})
	cmd.Flags().BoolVar(&all, "all", false, "all notifications until now")
	return cmd
}
