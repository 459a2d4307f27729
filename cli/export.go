package cli

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/api/admin/client"
)

func newExportCommand(env Environment) *cobra.Command {
	var p picking
	var out *output
	var folder string
	cmd := asking(env, &cobra.Command{
		Use: "export [KIND...]", Args: cobra.ArbitraryArgs,
		Short: "Write resources as documents that can be applied",
		Long: "Writes resources as documents. Applying them to the same service changes nothing. Secrets are not part of them,\n" +
			"other than the hashes of those that documents declare.",
		Example: "  procession export --tenant demo -d backup\n" +
			"  procession export processes > processes.yaml",
		ValidArgsFunction: completeKinds,
	}, func(cmd *cobra.Command, s *service, args []string) error {
		if len(args) == 0 {
			args = []string{allKinds}
		}
		kinds, err := parseKinds(strings.Join(args, ","))
		if err != nil {
			return err
		}
		params, err := p.params(kinds, nil)
		if err != nil {
			return err
		}
		found, _, err := s.find(cmd.Context(), params, 0)
		if err != nil {
			return err
		}
		documents := make([]client.ResourceDocument, len(found))
		for i, r := range found {
			documents[i] = client.ResourceDocument{
				APIVersion: r.APIVersion, Kind: r.Kind, Metadata: r.Metadata, Spec: r.Spec,
			}
		}
		if len(documents) == 0 {
			cmd.PrintErrln("no resources")
			return nil
		}
		if folder == "" {
			return out.write(cmd.Context(), cmd.OutOrStdout(), documents, nil)
		}
		if err := writeFolder(cmd, folder, out, documents); err != nil {
			return fmt.Errorf("writing to %s: %w", folder, err)
		}
		cmd.PrintErrf("%d documents written to %s\n", len(documents), folder)
		return nil
	})
	p.bind(env, cmd)
	out = bindOutput(cmd, formatYAML, formatJSON)
	cmd.Flags().StringVarP(&folder, "dir", "d", "", "write a file TENANT/KIND/CODE for each into the `folder`")
	return cmd
}

// writeFolder writes a file for each document. No name leads out of the folder,
// whatever the service says.
func writeFolder(cmd *cobra.Command, folder string, out *output, documents []client.ResourceDocument) (err error) {
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	written := map[string]bool{}
	for _, d := range documents {
		file := path.Join(tenantOf(d.Kind, d.Metadata), string(d.Kind), d.Metadata.Code+"."+out.format)
		// Some file systems take names that differ in case for the same.
		folded := strings.ToLower(file)
		if written[folded] {
			return fmt.Errorf("%s is there twice but for upper and lower case: leave -d out", file)
		}
		written[folded] = true
		if err := root.MkdirAll(path.Dir(file), 0o750); err != nil {
			return err
		}
		var text strings.Builder
		if err := out.write(cmd.Context(), &text, d, nil); err != nil {
			return err
		}
		if err := root.WriteFile(file, []byte(text.String()), 0o600); err != nil {
			return err
		}
	}
	return nil
}
