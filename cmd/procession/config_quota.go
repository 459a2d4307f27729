package main

import (
	"errors"

	"github.com/spf13/pflag"

	"github.com/procession-dev/procession/domain"
)

// bindQuotas sets the defaults and declares the flags of the quotas of tenants.
func (c *Config) bindQuotas(f *pflag.FlagSet) {
	q := domain.DefaultQuotas()
	f.Int64Var(&c.TemporaryDocuments, "temporary-documents", q.TemporaryDocuments,
		"maximum number of documents of a tenant that no value refers to; one principal may have a quarter of it")
	f.Int64Var(&c.TemporaryBytes, "temporary-bytes", q.TemporaryBytes,
		"maximum size of these documents in bytes; one principal may have a quarter of it")
	f.IntVar(&c.AssistanceRunsPerDay, "assistance-runs-per-day", q.AssistancePerDay,
		"maximum number of runs of AI assistance that a tenant may start per day (UTC)")
	f.IntVar(&c.AssistanceRunsAtOnce, "assistance-runs-at-once", q.AssistanceAtOnce,
		"maximum number of concurrent runs of AI assistance of a tenant")
}

func (c *Config) checkQuotas() error {
	if c.TemporaryDocuments < 0 || c.TemporaryBytes < 0 || c.AssistanceRunsPerDay < 0 || c.AssistanceRunsAtOnce < 0 {
		return errors.New("--temporary-documents, --temporary-bytes, --assistance-runs-per-day and --assistance-runs-at-once " +
			"must not be negative")
	}
	return nil
}

func (c *Config) quotas() *domain.Quotas {
	return &domain.Quotas{
		TemporaryDocuments: c.TemporaryDocuments, TemporaryBytes: c.TemporaryBytes,
		AssistancePerDay: c.AssistanceRunsPerDay, AssistanceAtOnce: c.AssistanceRunsAtOnce,
	}
}
