package app

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// NewDataSourceQuery contains a question to a data source. TenantID may be nil where the
// code is clear without it. Context is a JSON object, or nil for an empty one.
type NewDataSourceQuery struct {
	TenantID   *uuid.UUID
	SourceCode string
	Query      *string
	Filter     *string
	Context    json.RawMessage
	PageNumber int
	PageSize   int
}

// dataSourceQueryRequest is the one argument of the activity that answers a query
// (engine contract, section 7).
type dataSourceQueryRequest struct {
	TenantID   uuid.UUID       `json:"tenantId"`
	Code       string          `json:"code"`
	Query      *string         `json:"query,omitempty"`
	Filter     *string         `json:"filter,omitempty"`
	PageNumber int             `json:"pageNumber"`
	PageSize   int             `json:"pageSize"`
	Context    json.RawMessage `json:"context"`
}

// CreateDataSourceQuery asks a data source that the caller may query. The worker
// answers it meanwhile; RetrieveDataSourceQuery returns the answer. Errors:
// NOT_FOUND for a data source that there is none of for the caller, VALIDATION for
// a code that needs the tenant, and for a query that is too large, CONFLICT for one
// more than a principal may have wait.
func (s *Service) CreateDataSourceQuery(
	ctx context.Context, call domain.Call, in NewDataSourceQuery,
) (*domain.DataSourceRun, error) {
	var run *domain.DataSourceRun
	id, engineRun, now := domain.NewID(), domain.NewID(), s.now()
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		sources, pending, err := tx.ListAskedDataSources(ctx, call.Caller, in.TenantID, in.SourceCode, now)
		switch {
		case err != nil:
			return nil, err
		case len(sources) == 0:
			return nil, domain.NotFound("data source")
		case len(sources) > 1:
			return nil, domain.InvalidBody("/tenantId", "is required: several of your tenants have such a data source")
		}
		if err := domain.AdmitDataSourceQuery(pending); err != nil {
			return nil, err
		}
		source := &sources[0]
		request, err := in.queryRequest(source.TenantID)
		if err != nil {
			return nil, err
		}
		run = domain.NewDataSourceQuery(id, &source.DataSource, call.PrincipalID, now)
		tx.InsertDataSourceRun(run)
		startWorkflow(tx, domain.NewDataSourceRun(engineRun, run, &source.DataSource, source.Namespace, request), source.EncryptionKey, now)
		return domain.Events{domain.ConfigurationEvent(domain.EventDataSourceQueried, domain.Configured{
			ID: source.ID, TenantID: source.TenantID, Kind: "DataSource", Code: source.Code,
		}, call.PrincipalID, now)}, nil
	})
	return run, err
}

func (in *NewDataSourceQuery) queryRequest(tenant uuid.UUID) (json.RawMessage, error) {
	request := dataSourceQueryRequest{
		TenantID: tenant, Code: in.SourceCode, Query: in.Query, Filter: in.Filter,
		PageNumber: in.PageNumber, PageSize: in.PageSize, Context: json.RawMessage("{}"),
	}
	if in.Context != nil {
		request.Context = in.Context
	}
	text, err := json.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("writing a query of a data source: %w", err)
	}
	if len(text) > domain.MaxDataSourceRequest {
		return nil, domain.InvalidBody("/context", fmt.Sprintf(
			"makes a query of %d bytes, at most %d are allowed", len(text), domain.MaxDataSourceRequest))
	}
	return text, nil
}

// RetrieveDataSourceQuery returns a query of the caller with its answer, if any, or NOT_FOUND for another caller's or
// an expired query.
func (s *Service) RetrieveDataSourceQuery(
	ctx context.Context, call domain.Call, id uuid.UUID,
) (*domain.DataSourceRun, error) {
	now := s.now()
	run, err := s.store.Reader.GetDataSourceQuery(ctx, call.Caller, id, now.Add(-domain.DataSourceResultLifetime))
	if err != nil {
		return nil, err
	}
	return run.At(now), nil
}
