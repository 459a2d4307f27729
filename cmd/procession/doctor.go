package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"
)

// doctorTimeout bounds each check of the doctor.
const doctorTimeout = 5 * time.Second

// verdict is what a check of the doctor came to.
type verdict string

const (
	verdictOK      verdict = "OK"
	verdictWarn    verdict = "WARN"
	verdictFail    verdict = "FAIL"
	verdictSkipped verdict = "SKIPPED"
)

// finding is the result of a check: what was found, and what to do about it.
type finding struct {
	Check   string  `json:"check"`
	Verdict verdict `json:"verdict"`
	Finding string  `json:"finding"`
	Advice  string  `json:"advice,omitempty"`
}

// examination is one check of the doctor. It is left out, with the reason, when
// one of those that it needs, all of which are named, fails.
type examination struct {
	name  string
	needs []string
	run   func(ctx context.Context) finding
}

func ok(format string, args ...any) finding {
	return finding{Verdict: verdictOK, Finding: fmt.Sprintf(format, args...)}
}

func warn(advice, format string, args ...any) finding {
	return finding{Verdict: verdictWarn, Finding: fmt.Sprintf(format, args...), Advice: advice}
}

func skipped(format string, args ...any) finding {
	return finding{Verdict: verdictSkipped, Finding: fmt.Sprintf(format, args...)}
}

func fail(advice, format string, args ...any) finding {
	return finding{Verdict: verdictFail, Finding: fmt.Sprintf(format, args...), Advice: advice}
}

// examine carries out the examinations in their order, each within the time.
func examine(ctx context.Context, examinations []examination) []finding {
	findings := make([]finding, 0, len(examinations))
	failed := map[string]bool{}
	for _, e := range examinations {
		var found finding
		if i := slices.IndexFunc(e.needs, func(name string) bool { return failed[name] }); i >= 0 {
			found = skipped("cannot be checked while %s fails", e.needs[i])
		} else {
			limited, cancel := context.WithTimeout(ctx, doctorTimeout)
			found = e.run(limited)
			cancel()
		}
		found.Check = e.name
		failed[e.name] = found.Verdict == verdictFail
		findings = append(findings, found)
	}
	return findings
}

func newDoctorCommand() *cobra.Command {
	var c Config
	format := doctorFormat("text")
	cmd := &cobra.Command{
		Use: "doctor", Args: noArgs, Short: "Check the service's surroundings and say what to do",
		Long: "Checks, with the configuration of the service, all that the service depends on, and says what to do about what is\n" +
			"wrong. Nothing is changed. Each check takes at most 5 seconds; what depends on one that failed is left out.\n\n" +
			"Exit codes: 0 nothing fails, though there may be warnings, 1 something fails, 2 called wrongly.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			loading := c.load(cmd.Flags())
			d := &doctor{config: c, loading: loading, clock: time.Now}
			defer d.close()
			findings := examine(cmd.Context(), d.examinations())
			d.conceal(findings)
			if err := format.write(cmd.OutOrStdout(), findings); err != nil {
				return err
			}
			return verdictOf(findings)
		},
	}
	c.bind(cmd.Flags())
	cmd.Flags().VarP(&format, "output", "o", "text or json")
	return cmd
}

// verdictOf is an error when a check failed.
func verdictOf(findings []finding) error {
	fails := 0
	for _, f := range findings {
		if f.Verdict == verdictFail {
			fails++
		}
	}
	switch fails {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("1 check of %d fails", len(findings))
	default:
		return fmt.Errorf("%d checks of %d fail", fails, len(findings))
	}
}

// doctorFormat is how findings are written. It is the value of a flag.
type doctorFormat string

// String implements pflag.Value.
func (f *doctorFormat) String() string { return string(*f) }

// Type implements pflag.Value.
func (*doctorFormat) Type() string { return "format" }

// Set implements pflag.Value.
func (f *doctorFormat) Set(text string) error {
	if text != "text" && text != "json" {
		return errors.New("there are text and json")
	}
	*f = doctorFormat(text)
	return nil
}

func (f *doctorFormat) write(w io.Writer, findings []finding) error {
	if *f == "json" {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(findings)
	}
	for _, found := range findings {
		if _, err := fmt.Fprintf(w, "%-8s %-21s %s\n", found.Verdict, found.Check, found.Finding); err != nil {
			return err
		}
		if found.Advice == "" {
			continue
		}
		if _, err := fmt.Fprintf(w, "%31s%s\n", "-> ", found.Advice); err != nil {
			return err
		}
	}
	return nil
}
