// Package doctor checks the dependencies of the service and advises how to fix problems. It changes no data.
package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/procession-dev/procession/domain"
)

// checkTimeout bounds each check by default.
const checkTimeout = 5 * time.Second

// Verdict is the outcome of a check.
type Verdict = domain.Verdict

// Finding is the result of a check.
type Finding = domain.Finding

// The verdicts.
const (
	OK      = domain.VerdictOK
	Warn    = domain.VerdictWarn
	Fail    = domain.VerdictFail
	Skipped = domain.VerdictSkipped
)

// examination is one check. It is skipped, with the reason, if a check in needs failed.
type examination struct {
	name  string
	needs []string
	run   func(ctx context.Context) Finding
}

func ok(format string, args ...any) Finding {
	return Finding{Verdict: OK, Finding: fmt.Sprintf(format, args...)}
}

func warn(advice, format string, args ...any) Finding {
	return Finding{Verdict: Warn, Finding: fmt.Sprintf(format, args...), Advice: advice}
}

func skip(format string, args ...any) Finding {
	return Finding{Verdict: Skipped, Finding: fmt.Sprintf(format, args...)}
}

func fail(advice, format string, args ...any) Finding {
	return Finding{Verdict: Fail, Finding: fmt.Sprintf(format, args...), Advice: advice}
}

// runExaminations carries out the examinations in their order, each within the time limit.
func runExaminations(ctx context.Context, examinations []examination, limit time.Duration) []Finding {
	findings := make([]Finding, 0, len(examinations))
	failed := map[string]bool{}
	for _, e := range examinations {
		var found Finding
		if i := slices.IndexFunc(e.needs, func(name string) bool { return failed[name] }); i >= 0 {
			found = skip("cannot be checked while %s fails", e.needs[i])
		} else {
			limited, cancel := context.WithTimeout(ctx, limit)
			found = e.run(limited)
			cancel()
		}
		found.Check = e.name
		failed[e.name] = found.Verdict == Fail
		findings = append(findings, found)
	}
	return findings
}

// Failure returns an error when a check failed.
func Failure(findings []Finding) error {
	fails := 0
	for _, f := range findings {
		if f.Verdict == Fail {
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

// Format is how findings are written, text or json. It is the value of a flag.
type Format string

// String implements pflag.Value.
func (f *Format) String() string { return string(*f) }

// Type implements pflag.Value.
func (*Format) Type() string { return "format" }

// Set implements pflag.Value.
func (f *Format) Set(text string) error {
	if text != "text" && text != "json" {
		return errors.New("there are text and json")
	}
	*f = Format(text)
	return nil
}

// Write writes the findings.
func (f *Format) Write(w io.Writer, findings []Finding) error {
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
