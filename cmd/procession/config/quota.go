package config

import (
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
	var wrong faults
	wrong.require(c.TaskLogLimit >= 1 && c.TaskLogLimit <= 10_000, "task-log-limit", "must be 1 to 10000")
	wrong.require(c.MaxDocumentBytes >= 1024, "max-document-bytes", "must be 1024 or more")
	wrong.require(c.TemporaryDocuments >= 0, "temporary-documents", "must not be negative")
	wrong.require(c.TemporaryBytes >= 0, "temporary-bytes", "must not be negative")
	wrong.require(c.AssistanceRunsPerDay >= 0, "assistance-runs-per-day", "must not be negative")
	wrong.require(c.AssistanceRunsAtOnce >= 0, "assistance-runs-at-once", "must not be negative")
	return wrong.join()
}
