package admin

import (
	"context"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/domain"
)

// RetrieveHealth returns backlogs and versions.
func (s *Server) RetrieveHealth(ctx context.Context, request RetrieveHealthRequestObject) (RetrieveHealthResponseObject, error) {
	h, err := s.administration.RetrieveHealth(ctx, s.call(ctx), request.Params.Tenant)
	if err != nil {
		return nil, err
	}
	return RetrieveHealth200JSONResponse{
		Version: h.Version, DatabaseVersion: httpio.PtrOrNil(h.DatabaseVersion),
		Commands: h.Commands, CommandsDueSince: utcOrNil(h.CommandsDueSince),
		Deliveries: h.Deliveries, DeliveriesSince: utcOrNil(h.DeliveriesSince), RetriedDeliveries: h.RetriedDeliveries,
		DisabledEndpoints: h.DisabledEndpoints, OpenIncidents: h.OpenIncidents, OverdueLooks: h.OverdueLooks,
	}, nil
}

// ExamineHealth returns the findings of the checks.
func (s *Server) ExamineHealth(ctx context.Context, _ ExamineHealthRequestObject) (ExamineHealthResponseObject, error) {
	examined, err := s.administration.ExamineHealth(ctx, s.call(ctx))
	if err != nil {
		return nil, err
	}
	return ExamineHealth200JSONResponse{
		ExaminedAt: examined.At.UTC(),
		Content: listOf(examined.Findings, func(f *domain.Finding) oasadmin.HealthFinding {
			return oasadmin.HealthFinding{
				Check: f.Check, Verdict: oasadmin.HealthVerdict(f.Verdict), Finding: f.Finding, Advice: httpio.PtrOrNil(f.Advice),
			}
		}),
	}, nil
}
