package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/internal/codegen"
)

func newInitCommand() *cobra.Command {
	return newGroup("init", "Create the files of a new worker", newInitWorkerCommand())
}

func newInitWorkerCommand() *cobra.Command {
	var files []string
	var language, sdk string
	cmd := &cobra.Command{
		Use: "worker FOLDER -f FILE|FOLDER|-", Args: requireArgs("the folder of the worker"),
		Short: "Write a new worker for a process definition",
		Long: "Writes a worker for a process definition: a program that creates each task in its turn, its test, types and codes of\n" +
			"the definition, and a README that says how it is run. Nothing is overwritten. It needs no service.\n\n" +
			"There are the languages " + languageNames() + ".",
		Example: "  procession init worker claims -f claim.yaml\n" +
			"  procession init worker claims -f claim.yaml --language python",
		RunE: func(cmd *cobra.Command, args []string) error {
			return initWorker(cmd, args[0], files, codegen.Language(language), sdk)
		},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError("%w", err) })
	bindFiles(cmd, &files)
	cmd.Flags().StringVar(&language, "language", string(codegen.Go), "`language` of the worker")
	cmd.Flags().StringVar(&sdk, "sdk", "", "`folder` of the SDK for Go; fetched by default")
	return cmd
}

// initWorker writes the files of a worker into a folder.
func initWorker(cmd *cobra.Command, folder string, files []string, language codegen.Language, sdk string) error {
	documents, err := decodeDocuments(cmd, files)
	if err != nil {
		return err
	}
	around := codegen.Surroundings{Manifest: "definition.yaml"}
	if sdk != "" {
		if around.SDK, err = filepath.Abs(sdk); err != nil {
			return fmt.Errorf("finding the SDK: %w", err)
		}
	}
	if files[0] != "-" {
		if around.Manifest, err = joinWithin(folder, files[0]); err != nil {
			return err
		}
	}
	written, err := codegen.NewWorker(language, documents, around)
	if err != nil {
		return usageError("%w", err)
	}
	if err := writeNew(folder, written); err != nil {
		return err
	}
	cmd.PrintErrln("see", filepath.Join(folder, "README.md"), "for the next steps")
	return nil
}

// joinWithin returns the path that leads from a folder to a file.
func joinWithin(folder, file string) (string, error) {
	from, err := filepath.Abs(folder)
	if err != nil {
		return "", fmt.Errorf("finding %s: %w", folder, err)
	}
	to, err := filepath.Abs(file)
	if err != nil {
		return "", fmt.Errorf("finding %s: %w", file, err)
	}
	return filepath.Rel(from, to)
}

// writeNew writes files that are not there yet: all of them or, where one is there, none.
func writeNew(folder string, files []codegen.File) error {
	var there []string
	for _, f := range files {
		if _, err := os.Lstat(filepath.Join(folder, filepath.FromSlash(f.Path))); err == nil {
			there = append(there, f.Path)
		}
	}
	if len(there) > 0 {
		return usageError("%s has %s already; no file was written", folder, strings.Join(there, ", "))
	}
	for _, f := range files {
		path := filepath.Join(folder, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // source code, which others read
			return fmt.Errorf("writing %s: %w", path, err)
		}
		if err := os.WriteFile(path, f.Content, 0o644); err != nil { //nolint:gosec // source code, which others read
			return fmt.Errorf("writing %s: %w", path, err)
		}
	}
	return nil
}
