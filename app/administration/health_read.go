package administration

import (
	"context"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/webhooks"
)

// Health contains the backlogs of tenants and the running versions.
type Health struct {
	domain.Backlogs

	// Version is the version of the service.
	Version string
	// DatabaseVersion is the version of PostgreSQL, "" for callers that are no operators.
	DatabaseVersion string
}

// RetrieveHealth returns the backlogs of the tenants that the caller owns or administers, of all tenants for an
// operator; codes, unless empty, restrict them.
func (s *Service) RetrieveHealth(ctx context.Context, call domain.Call, tenantCodes []string) (Health, error) {
	h := Health{Version: s.version}
	var err error
	if h.Backlogs, err = webhooks.ReadBacklogs(ctx, s.store.Reader, persistence.AdministrationOf(call.Caller), tenantCodes, s.now()); err != nil {
		return h, err
	}
	if call.Operator {
		info, err := s.store.Reader.GetServerInfo(ctx)
		if err != nil {
			return h, err
		}
		h.DatabaseVersion = info.Version
	}
	return h, nil
}
