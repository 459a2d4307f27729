package config

import (
	"errors"

	"github.com/spf13/pflag"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/domain"
)

// Quotas configures the limits of documents, of AI assistance and of task logs.
type Quotas struct {
	MaxDocumentBytes     int64
	TemporaryDocuments   int64
	TemporaryBytes       int64
	AssistanceRunsPerDay int
	AssistanceRunsAtOnce int
	TaskLogLimit         int
}

// bindFlags declares the flags.
func (c *Quotas) bindFlags(f *pflag.FlagSet) {
	q := domain.DefaultQuotas()
	f.Int64Var(&c.MaxDocumentBytes, "max-document-bytes", storage.DefaultMaxDocumentBytes, "largest document, in bytes")
	f.IntVar(&c.TaskLogLimit, "task-log-limit", app.DefaultTaskLogLimit, "maximum number of entries of a task log, 1 to 10000")
	f.Int64Var(&c.TemporaryDocuments, "temporary-documents", q.TemporaryDocuments,
		"maximum number of unreferenced documents of a tenant; one principal may have a quarter of it")
	f.Int64Var(&c.TemporaryBytes, "temporary-bytes", q.TemporaryBytes,
		"maximum size of these documents in bytes; one principal may have a quarter of it")
	f.IntVar(&c.AssistanceRunsPerDay, "assistance-runs-per-day", q.AssistancePerDay,
		"maximum number of runs of AI assistance that a tenant may start per day (UTC)")
	f.IntVar(&c.AssistanceRunsAtOnce, "assistance-runs-at-once", q.AssistanceAtOnce,
		"maximum number of concurrent runs of AI assistance of a tenant")
}

// checkSettings validates the settings.
func (c *Quotas) checkSettings() error {
	var wrong []error
	if c.TaskLogLimit < 1 || c.TaskLogLimit > 10_000 {
		wrong = append(wrong, errors.New("--task-log-limit must be 1 to 10000"))
	}
	if c.MaxDocumentBytes < 1024 {
		wrong = append(wrong, errors.New("--max-document-bytes must be 1024 or more"))
	}
	if c.TemporaryDocuments < 0 || c.TemporaryBytes < 0 || c.AssistanceRunsPerDay < 0 || c.AssistanceRunsAtOnce < 0 {
		wrong = append(wrong, errors.New("--temporary-documents, --temporary-bytes, --assistance-runs-per-day and "+
			"--assistance-runs-at-once must not be negative"))
	}
	return errors.Join(wrong...)
}
