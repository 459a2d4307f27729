package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/internal/codegen"
	"github.com/procession-dev/procession/internal/manifest"
)

func newGenerateCommand() *cobra.Command {
	var files []string
	var pkg, to string
	cmd := &cobra.Command{
		Use: "generate LANGUAGE -f FILE|FOLDER|-", Args: requireArgs("a language: " + languageNames()),
		Short: "Write types and constants for a worker from a process definition",
		Long: "Writes source code for a worker: types of the data of tasks, messages and artifacts, and constants for codes.\n" +
			"When a member or a code is renamed, a worker that still has the old name does not compile. It needs no service.\n\n" +
			"There are the languages " + languageNames() + ".",
		Example: "  procession generate go -f loan.yaml --package loan --to loan.gen.go\n" +
			"  procession get process LOAN -o yaml | procession generate python -f -",
		RunE: func(cmd *cobra.Command, args []string) error {
			code, err := generateCode(cmd, codegen.Language(args[0]), pkg, files)
			if err != nil {
				return err
			}
			if to == "" {
				_, err = cmd.OutOrStdout().Write(code)
				return err
			}
			return os.WriteFile(to, code, 0o644) //nolint:gosec // source code, which others read
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
			return matchPrefix(toComplete, codegen.LanguageNames(), args), cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError("%w", err) })
	bindFiles(cmd, &files)
	cmd.Flags().StringVar(&pkg, "package", "definitions", "`name` of the package, in Go and Java")
	cmd.Flags().StringVar(&to, "to", "", "`file` to write instead of standard output, which stays as it is when a document is wrong")
	return cmd
}

func languageNames() string { return strings.Join(codegen.LanguageNames(), ", ") }

// generateCode writes source code for the documents of files. Wrong documents are reported as apply does.
func generateCode(cmd *cobra.Command, language codegen.Language, pkg string, files []string) ([]byte, error) {
	documents, err := decodeDocuments(cmd, files)
	if err != nil {
		return nil, err
	}
	code, err := codegen.Generate(language, pkg, documents)
	if err != nil {
		return nil, usageError("%w", err)
	}
	return code, nil
}

// decodeDocuments reads and decodes the documents that -f names.
func decodeDocuments(cmd *cobra.Command, files []string) ([]resource.Document, error) {
	sources, err := readDocuments(cmd, files)
	if err != nil {
		return nil, err
	}
	return decodeSources(sources)
}

// decodeSources decodes documents, and checks them as the service does, as far as that is possible without it.
func decodeSources(sources []manifest.Source) ([]resource.Document, error) {
	documents, violations := resource.Decode(manifestTexts(sources))
	if len(violations) == 0 {
		return documents, nil
	}
	wrong := &failure{kind: domain.KindInvalid, text: "the documents are not valid"}
	for _, v := range violations {
		location := fmt.Sprintf("/documents/%d%s", v.Document, v.Pointer)
		wrong.infos = append(wrong.infos, oasadmin.DefaultErrorInfo{Location: &location, Message: v.Message})
	}
	return nil, locateFailure(wrong, sources)
}
