package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/domain/resource"
)

func newExplainCommand() *cobra.Command {
	var markdown bool
	cmd := &cobra.Command{
		Use: "explain [KIND[.MEMBER...]]", Args: requireArgsBetween(0, 1, "a kind of resource"),
		Short: "List the kinds of resource, or describe one or a member of its documents",
		Long: "Describes the documents of a kind, or one of their members with its type, its default and the members that it has.\n" +
			"Without a kind it lists all. It needs no service.\n\nThere are the kinds " + kindHelp() + ".",
		Example: "  procession explain\n  procession explain process\n  procession explain process.spec.items.candidates",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return writeKinds(cmd.OutOrStdout())
			}
			path := strings.Split(args[0], ".")
			kind, err := parseKind(path[0])
			if err != nil {
				return err
			}
			described := resource.Describe(kind)
			if markdown {
				return writeReference(cmd.OutOrStdout(), described)
			}
			found, err := described.Find(path[1:]...)
			if err != nil {
				return usageError("%w", err)
			}
			return writeExplanation(cmd.OutOrStdout(), kind, strings.Join(path[1:], "."), found)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
			return matchPrefix(toComplete, kindNames(), args), cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "write the reference page of the kind, in Markdown")
	return cmd
}

// writeKinds lists the kinds with their short names and the first sentence about each.
func writeKinds(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "KIND\tSHORT\tDESCRIPTION")
	for _, kind := range resource.Definitions() {
		sentence, _, _ := strings.Cut(resource.Describe(kind.Kind).Description, ". ")
		fmt.Fprintf(w, "%s\t%s\t%s\n", kind.Kind, strings.Join(kind.ShortNames, ", "), strings.TrimSuffix(sentence, "."))
	}
	return w.Flush()
}

// writeExplanation writes a member and, in less detail, its members.
func writeExplanation(w io.Writer, kind resource.Kind, path string, m resource.Field) error {
	var text strings.Builder
	fmt.Fprintf(&text, "KIND:   %s\n", kind)
	if path != "" {
		fmt.Fprintf(&text, "FIELD:  %s <%s>\n", path, m.Type)
	}
	fmt.Fprintf(&text, "\n%s\n", m.Description)
	for _, line := range fieldRemarks(m) {
		fmt.Fprintf(&text, "%s\n", line)
	}
	if len(m.Fields) > 0 {
		text.WriteString("\nFIELDS:\n")
	}
	for _, o := range m.Fields {
		required := ""
		if o.Required {
			required = ", required"
		}
		fmt.Fprintf(&text, "  %s <%s%s>\n", o.Name, o.Type, required)
		for _, line := range append([]string{o.Description}, fieldRemarks(o)...) {
			if line != "" {
				fmt.Fprintf(&text, "      %s\n", line)
			}
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// fieldRemarks returns further facts about a member.
func fieldRemarks(m resource.Field) []string {
	var lines []string
	if len(m.Values) > 0 {
		lines = append(lines, "Values: "+strings.Join(m.Values, ", "))
	}
	if m.Default != "" {
		lines = append(lines, "Default: "+strings.Trim(m.Default, `"`))
	}
	if m.Rule != "" {
		lines = append(lines, "Rule: "+m.Rule)
	}
	return lines
}

// writeReference writes the page of a kind: a table of its members, and one of the
// members of each object in it.
func writeReference(w io.Writer, m resource.Field) error {
	var text strings.Builder
	fmt.Fprintf(&text, "# %s\n\n%s\n\nThis page is made by `procession explain %s --markdown`.\n", m.Name, m.Description, strings.ToLower(m.Name))
	writeTables(&text, "", m)
	_, err := io.WriteString(w, text.String())
	return err
}

func writeTables(text *strings.Builder, path string, m resource.Field) {
	if path != "" {
		fmt.Fprintf(text, "\n## `%s`\n\n%s\n", path, m.Description)
	}
	text.WriteString("\n| member | type | description |\n|---|---|---|\n")
	for _, o := range m.Fields {
		about := append([]string{o.Description}, fieldRemarks(o)...)
		if o.Required {
			about = append([]string{"**Required.**"}, about...)
		}
		cell := strings.TrimSpace(strings.Join(about, " "))
		fmt.Fprintf(text, "| `%s` | %s | %s |\n", o.Name, o.Type, strings.ReplaceAll(cell, "|", `\|`))
	}
	for _, o := range m.Fields {
		if len(o.Fields) > 0 {
			writeTables(text, strings.TrimPrefix(path+"."+o.Name, "."), o)
		}
	}
}
