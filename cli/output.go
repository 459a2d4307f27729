package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/itchyny/gojq"
	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/internal/manifest"
)

// The output formats. The expression of jq follows a "=".
const (
	formatTable = "table"
	formatWide  = "wide"
	formatName  = "name"
	formatJSON  = "json"
	formatYAML  = "yaml"
	formatJQ    = "jq"
)

// output is the output format of a command. It is the value of a flag.
type output struct {
	formats []string
	format  string
	// text is the flag as it was given.
	text  string
	query *gojq.Code
}

// bindOutput adds the flag -o with the formats. The first one is the default.
func bindOutput(cmd *cobra.Command, formats ...string) *output {
	o := &output{formats: formats, format: formats[0], text: formats[0]}
	cmd.Flags().VarP(o, "output", "o", "one of "+strings.Join(o.formatNames(), ", "))
	completeFlag(cmd, "output", func(toComplete string) ([]string, cobra.ShellCompDirective) {
		return matchPrefix(toComplete, o.formatCompletions(), nil), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
	return o
}

func (o *output) formatNames() []string {
	choices := make([]string, len(o.formats))
	for i, format := range o.formats {
		choices[i] = format
		if format == formatJQ {
			choices[i] += "=EXPR"
		}
	}
	return choices
}

func (o *output) formatCompletions() []string {
	choices := make([]string, len(o.formats))
	for i, choice := range o.formatNames() {
		choices[i] = strings.TrimSuffix(choice, "EXPR")
	}
	return choices
}

// Set implements pflag.Value.
func (o *output) Set(text string) error {
	format, expression, hasExpression := strings.Cut(text, "=")
	for _, name := range o.formats {
		if format != name || hasExpression != (name == formatJQ) {
			continue
		}
		if hasExpression {
			query, err := compileQuery(expression)
			if err != nil {
				return err
			}
			o.query = query
		}
		o.format, o.text = format, text
		return nil
	}
	return fmt.Errorf("there are %s", strings.Join(o.formatNames(), ", "))
}

// String implements pflag.Value.
func (o *output) String() string { return o.text }

// Type implements pflag.Value.
func (o *output) Type() string { return "format" }

// isTable reports whether a table is written.
func (o *output) isTable() bool { return o.format == formatTable || o.format == formatWide }

// writeTable writes a table.
func (o *output) writeTable(w io.Writer, v view, write func(view)) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	v.Writer, v.wide = t, o.format == formatWide
	write(v)
	return t.Flush()
}

// write writes a value, which is a table only if table writes it.
func (o *output) write(ctx context.Context, w io.Writer, value any, table func(view)) error {
	if o.isTable() {
		return o.writeTable(w, view{}, table)
	}
	text, err := jsontext.Marshal(value)
	if err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	switch o.format {
	case formatJQ:
		return runQuery(ctx, w, o.query, text)
	case formatYAML:
		return writeYAML(w, text)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, text, "", "  "); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	indented.WriteByte('\n')
	_, err = w.Write(indented.Bytes())
	return err
}

// writeLine writes one of many values that come one by one.
func (o *output) writeLine(ctx context.Context, w io.Writer, value any) error {
	text, err := jsontext.Marshal(value)
	if err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	switch o.format {
	case formatJQ:
		return runQuery(ctx, w, o.query, text)
	case formatYAML:
		if _, err := io.WriteString(w, "---\n"); err != nil {
			return err
		}
		return writeYAML(w, text)
	}
	_, err = fmt.Fprintln(w, strings.TrimSpace(string(text)))
	return err
}

// writeYAML writes a JSON value: a list that is not empty as documents with ---
// between.
func writeYAML(w io.Writer, text json.RawMessage) error {
	documents := []json.RawMessage{text}
	if text[0] == '[' && string(text) != "[]" {
		if err := json.Unmarshal(text, &documents); err != nil {
			return fmt.Errorf("writing the answer: %w", err)
		}
	}
	var out bytes.Buffer
	for i, document := range documents {
		if i > 0 {
			out.WriteString("---\n")
		}
		formatted, err := manifest.Format(document)
		if err != nil {
			return fmt.Errorf("writing the answer: %w", err)
		}
		out.Write(formatted)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// writeRow writes a line of a table. Text of users cannot break out of its cell, nor
// do anything to the terminal.
func writeRow(w io.Writer, cells ...string) {
	for i, cell := range cells {
		cells[i] = cellText(cell)
	}
	fmt.Fprintln(w, strings.Join(cells, "\t"))
}

func cellText(text string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case !unicode.IsPrint(c):
			return unicode.ReplacementChar
		}
		return c
	}, text)
}

// momentText returns a time that may be missing.
func momentText(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return timeText(*t)
}

func timeText(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// ageText returns how long ago something was, roughly.
func ageText(now, then time.Time) string {
	age := now.Sub(then)
	switch {
	case age < 2*time.Minute:
		return fmt.Sprintf("%ds", max(0, int(age.Seconds())))
	case age < 2*time.Hour:
		return fmt.Sprintf("%dm", int(age.Minutes()))
	case age < 48*time.Hour:
		return fmt.Sprintf("%dh", int(age.Hours()))
	default:
		return fmt.Sprintf("%dd", int(age.Hours()/24))
	}
}
