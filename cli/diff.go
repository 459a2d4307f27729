package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/internal/manifest"
)

// noDocument is the name of an absent file in a unified diff.
const noDocument = "/dev/null"

func newDiffCommand(env Environment) *cobra.Command {
	var a applyFlags
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "diff -f FILE|FOLDER|-", Args: requireArgs(),
		Short: "Show the changes of applying documents",
		Long: "Shows the changes of apply as a unified diff of each document. Exits with 0 if there are no differences and\n" +
			"with 1 if there are some.",
		Example: "  procession diff -f definitions/ --prune -l app=loans",
	}, func(cmd *cobra.Command, s *service, _ []string) error {
		result, err := a.apply(cmd, s, true)
		if err != nil {
			return err
		}
		return reportDifferences(cmd, result)
	})
	a.bindFlags(env, cmd)
	return cmd
}

func reportDifferences(cmd *cobra.Command, result oasadmin.ResourceApplyResult) error {
	different := false
	several := severalTenants(result.Results)
	for _, r := range result.Results {
		label := resourceLabel(r.Kind, r.Code, r.Tenant, several)
		changed, err := writeDifference(cmd, r.Before, label, r.After, label)
		if err != nil {
			return err
		}
		different = different || changed
	}
	if different {
		return ErrDifferences
	}
	return nil
}

// diffSide returns one side of a diff: a manifest as YAML, with its label. It omits the id,
// which never changes and is unknown for new resources.
func diffSide(d *oasadmin.ResourceDocument, label string) (text, shown string, err error) {
	if d == nil {
		return "", noDocument, nil
	}
	document := *d
	document.Metadata.ID = nil
	encoded, err := jsontext.Marshal(document)
	if err != nil {
		return "", "", fmt.Errorf("comparing %s: %w", label, err)
	}
	formatted, err := manifest.Format(encoded)
	if err != nil {
		return "", "", fmt.Errorf("comparing %s: %w", label, err)
	}
	return string(formatted), label, nil
}
