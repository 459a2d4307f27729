package server

import (
	"github.com/procession-dev/procession/api/limit"
	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/domain"
)

// requestLimits returns the rate limits of requests.
func requestLimits(c config.HTTP) limit.Limits {
	return limit.Limits{
		PrincipalRate: c.PrincipalRate, PrincipalConcurrency: c.PrincipalConcurrency, TenantRate: c.TenantRate,
		AddressRate: c.AddressRate, AddressConcurrency: c.AddressShare(), FailedSignIns: c.FailedSignIns,
	}
}

// tenantQuotas returns the quotas of tenants.
func tenantQuotas(c config.Quotas) *domain.Quotas {
	return &domain.Quotas{
		TemporaryDocuments: c.TemporaryDocuments, TemporaryBytes: c.TemporaryBytes,
		AssistancePerDay: c.AssistanceRunsPerDay, AssistanceAtOnce: c.AssistanceRunsAtOnce,
	}
}
