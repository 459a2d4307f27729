package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain/resource"
)

func newEncryptionKeysCommand(env Environment) *cobra.Command {
	return newGroup("encryption-keys", "List and rotate the keys of workflows' payloads",
		newEncryptionKeysListCommand(env), newEncryptionKeysRotateCommand(env))
}

func newEncryptionKeysListCommand(env Environment) *cobra.Command {
	return listCommand(env, &cobra.Command{
		Use: "list CODE", Args: requireArgs("a code"),
		Short:             "List the versions of a key, the newest first, without the keys",
		ValidArgsFunction: completeCode(env, oasadmin.ResourceKindEncryptionKey, cobra.ShellCompDirectiveNoFileComp),
	}, listing[oasadmin.EncryptionKeyVersion]{
		rows: "versions", tenant: tenantHelp,
		find: func(cmd *cobra.Command, s *service, args []string, by listFlags) ([]oasadmin.EncryptionKeyVersion, int64, error) {
			code := args[0]
			if err := checkCode(code); err != nil {
				return nil, 0, err
			}
			answer, err := s.FindEncryptionKeyVersions(cmd.Context(), code,
				&oasadmin.FindEncryptionKeyVersionsParams{Tenant: nonEmpty(by.tenant)})
			found, err := receive[oasadmin.EncryptionKeyVersionList](s, answer, err)
			return found.Content, 0, withName(err, resource.KindEncryptionKey, code)
		},
		id: func(v oasadmin.EncryptionKeyVersion) string { return v.KeyID },
		table: func(w view, found []oasadmin.EncryptionKeyVersion) {
			w.writeTitles([]string{"KEY ID", "AGE", "OPEN WORKFLOWS"})
			for _, v := range found {
				writeRow(w, v.KeyID, ageText(env.Clock(), v.CreatedAt), strconv.FormatInt(v.OpenRuns, 10))
			}
		},
	})
}

func newEncryptionKeysRotateCommand(env Environment) *cobra.Command {
	var tenant string
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "rotate CODE", Args: requireArgs("a code"),
		Short: "Create a version of a key for new processes",
		Long: "Creates a version of a key and prints its id. New processes are encrypted with it. Running ones keep their version,\n" +
			"which remains readable until the key is deleted.",
		Example:           "  procession encryption-keys rotate loans",
		ValidArgsFunction: completeCode(env, oasadmin.ResourceKindEncryptionKey, cobra.ShellCompDirectiveNoFileComp),
	}, func(cmd *cobra.Command, s *service, args []string) error {
		code := args[0]
		if err := checkCode(code); err != nil {
			return err
		}
		answer, err := s.RotateEncryptionKey(cmd.Context(), code,
			&oasadmin.RotateEncryptionKeyParams{Tenant: nonEmpty(tenant)})
		created, err := receive[oasadmin.EncryptionKeyVersion](s, answer, err)
		if err != nil {
			return withName(err, resource.KindEncryptionKey, code)
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), created.KeyID)
		return err
	})
	bindTenant(env, cmd, &tenant)
	return cmd
}
