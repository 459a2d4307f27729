package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/internal/manifest"
)

func newEditCommand(env Environment) *cobra.Command {
	var tenant, reason, handOver string
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "edit KIND CODE", Args: requireArgs("a kind of resource", "a code"), Short: "Edit the document of a resource, and apply it",
		Long: "Opens the document of a resource in the editor that VISUAL or EDITOR names, or else vi, and applies the saved document. If\n" +
			"it is refused, the file is kept, and its name is printed.",
		Example:           "  EDITOR='code --wait' procession edit process LOAN",
		ValidArgsFunction: completeResource(env),
	}, func(cmd *cobra.Command, s *service, args []string) error {
		kind, err := parseKind(args[0])
		if err != nil {
			return err
		}
		found, err := s.retrieveResource(cmd.Context(), kind, args[1], tenant)
		if err != nil {
			return err
		}
		return env.editResource(cmd, s, found, applyFlags{reason: reason, handOver: handOver})
	})
	bindTenant(env, cmd, &tenant)
	bindReason(cmd, &reason)
	bindHandOver(cmd, &handOver)
	return cmd
}

// editResource opens a resource in the editor of the user, and applies the result.
func (env Environment) editResource(cmd *cobra.Command, s *service, found oasadmin.Resource, by applyFlags) error {
	encoded, err := jsontext.Marshal(exportedOf(found))
	if err != nil {
		return err
	}
	before, err := manifest.Format(encoded)
	if err != nil {
		return fmt.Errorf("writing the document: %w", err)
	}
	file, err := os.CreateTemp("", "procession-"+found.Metadata.Code+"-*.yaml")
	if err != nil {
		return fmt.Errorf("making a file to edit: %w", err)
	}
	_, err = file.Write(before)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", file.Name(), err)
	}
	if err := env.runEditor(cmd, file.Name()); err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	after, err := os.ReadFile(file.Name())
	if err != nil {
		return fmt.Errorf("reading the edited document: %w", err)
	}
	if string(after) == string(before) {
		cmd.PrintErrln("no changes")
		return os.Remove(file.Name())
	}
	by.files = []string{file.Name()}
	result, err := by.apply(cmd, s, false)
	if err != nil {
		cmd.PrintErrf("Your text is in %s; correct it and apply it with -f.\n", file.Name())
		return err
	}
	return errors.Join(reportApplied(cmd, result), os.Remove(file.Name()))
}

// runEditor opens a file in the editor of the user, which may be a command with arguments.
func (env Environment) runEditor(cmd *cobra.Command, file string) error {
	visual, _ := env.LookupEnv("VISUAL")
	editor, _ := env.LookupEnv("EDITOR")
	//nolint:gosec // the user chooses the editor
	run := exec.CommandContext(cmd.Context(), "sh", "-c", cmp.Or(visual, editor, "vi")+` "$1"`, "sh", file)
	run.Stdin, run.Stdout, run.Stderr = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	if err := run.Run(); err != nil {
		return fmt.Errorf("running the editor: %w", err)
	}
	return nil
}
