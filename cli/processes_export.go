package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

// exportTimeout bounds the export of a process unless the user says otherwise.
const exportTimeout = "30m0s"

func newProcessesExportCommand(env Environment) *cobra.Command {
	var file string
	var force bool
	cmd := processCommand(env, &cobra.Command{
		Use: "export", Short: "Export a process as a ZIP: values, items, documents and events",
		Long: "Writes what you may see of a process as a ZIP of JSON, CSV, PDFs and documents (docs/process-export.md).\n" +
			"The file appears when it is complete. The export is recorded in the events of the process.",
		Example: "  procession processes export 01970000-0000-7000-8000-000000000001\n" +
			"  procession processes export 01970000-0000-7000-8000-000000000001 -o loan.zip --force\n" +
			"  procession processes export 01970000-0000-7000-8000-000000000001 -o - > loan.zip",
	}, func(cmd *cobra.Command, s *service, id uuid.UUID) error {
		if file == "-" {
			return s.exportProcess(cmd, id, cmd.OutOrStdout())
		}
		path := cmp.Or(file, "process-"+id.String()+".zip")
		err := writeNewFile(path, force, func(w io.Writer) error { return s.exportProcess(cmd, id, w) })
		if err != nil {
			return err
		}
		cmd.PrintErrf("process %s written to %s\n", id, path)
		return nil
	})
	timeout := cmd.Flags().Lookup("timeout")
	timeout.DefValue = exportTimeout
	// The value is valid.
	_ = timeout.Value.Set(exportTimeout)
	cmd.Flags().StringVarP(&file, "output", "o", "", "write to the `file`, - for standard output; process-ID.zip unless given")
	cmd.Flags().BoolVar(&force, "force", false, "replace the file if it exists")
	return cmd
}

// exportProcess writes the ZIP of a process to w.
func (s *service) exportProcess(cmd *cobra.Command, id uuid.UUID, w io.Writer) (err error) {
	answer, err := s.rest.ExportProcess(cmd.Context(), id)
	if err != nil {
		return s.requestFailure(err)
	}
	if answer.StatusCode != http.StatusOK {
		_, err := receive[struct{}](s, answer, nil)
		return err
	}
	defer func() { err = errors.Join(err, answer.Body.Close()) }()
	if _, err := io.Copy(w, answer.Body); err != nil {
		return fmt.Errorf("the export is not complete: %w", err)
	}
	return nil
}

// writeNewFile writes a file that appears when it is complete. It replaces one only with force.
func writeNewFile(path string, force bool, write func(io.Writer) error) (err error) {
	exists := usageError("%s exists: name another file with -o, or replace it with --force", path)
	if _, err := os.Lstat(path); err == nil && !force {
		return exists
	}
	part, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".part-*")
	if err != nil {
		return usageError("-o: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(part.Name())
		}
	}()
	if err := errors.Join(write(part), part.Close()); err != nil {
		return err
	}
	if force {
		err = os.Rename(part.Name(), path)
	} else if err = os.Link(part.Name(), path); err == nil {
		err = os.Remove(part.Name())
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return exists
	case err != nil:
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
