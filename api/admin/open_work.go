package admin

import (
	"context"

	"github.com/google/uuid"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain"
)

// RetrieveOpenWork returns the open work of a principal.
func (s *Server) RetrieveOpenWork(
	ctx context.Context, request RetrieveOpenWorkRequestObject,
) (RetrieveOpenWorkResponseObject, error) {
	of := administration.WorkOwner{Tenant: request.Params.Tenant, PrincipalID: request.ID}
	found, err := s.administration.FindOpenWork(ctx, s.call(ctx), of)
	if err != nil {
		return nil, err
	}
	return RetrieveOpenWork200JSONResponse(convertOpenWork(found)), nil
}

// HandOverWork hands over the open work of a principal.
func (s *Server) HandOverWork(ctx context.Context, request HandOverWorkRequestObject) (HandOverWorkResponseObject, error) {
	handOver, err := parseHandOver(domain.LocationBody, "/handOver", request.Body.HandOver)
	if err != nil {
		return nil, err
	}
	of := administration.WorkOwner{Tenant: request.Params.Tenant, PrincipalID: request.ID}
	done, err := s.administration.HandOverWork(ctx, s.call(ctx), of, *handOver)
	if err != nil {
		return nil, err
	}
	return HandOverWork200JSONResponse(convertOpenWork(done)), nil
}

// FindUnownedWork lists open work without an active owner.
func (s *Server) FindUnownedWork(ctx context.Context, request FindUnownedWorkRequestObject) (FindUnownedWorkResponseObject, error) {
	page, _ := httpio.Listing(httpio.Deref(request.Params.Size), httpio.Deref(request.Params.Page), nil)
	found, err := s.administration.FindUnownedWork(ctx, s.call(ctx), request.Params.Tenant, page)
	if err != nil {
		return nil, err
	}
	var answer FindUnownedWork200JSONResponse
	answer.Metadata, answer.Content = httpio.PageOf[oasadmin.PageMetadata](found, convertUnownedWork)
	return answer, nil
}

// parseHandOver reads the decision about open work at a location of a request, nil for "".
func parseHandOver(location domain.LocationType, field, text string) (*domain.HandOver, error) {
	handOver, ok := domain.ParseHandOver(text)
	if !ok {
		return nil, domain.Invalid(location, field, domain.HandOverSyntax)
	}
	return handOver, nil
}

func convertOpenWork(w *administration.LeaverWork) oasadmin.OpenWork {
	return oasadmin.OpenWork{
		Tasks: listOf(w.Tasks, func(t **domain.ProcessItem) oasadmin.OpenTask {
			return oasadmin.OpenTask{ID: (*t).ID, ProcessID: (*t).ProcessID, Code: (*t).DefinitionCode()}
		}),
		Processes: listOf(w.Processes, func(p **domain.Process) oasadmin.OpenProcess {
			return oasadmin.OpenProcess{ID: (*p).ID, ProcessDefinition: (*p).Definition.Code}
		}),
		Incidents: listOf(w.Incidents, func(i **domain.Incident) uuid.UUID { return (*i).ID }),
		Rights: listOf(w.Rights, func(r *administration.SoleRight) oasadmin.SoleRight {
			return oasadmin.SoleRight{
				May: r.May, Kind: oasadmin.ResourceKind(r.By.Kind), Code: r.By.Code, Item: httpio.PtrOrNil(r.Item), Waiting: r.Waiting,
			}
		}),
		More: w.More,
	}
}

func convertUnownedWork(w *domain.UnownedWork) oasadmin.UnownedWork {
	return oasadmin.UnownedWork{
		Kind: string(w.Kind), ID: w.ID, Tenant: w.TenantCode, ProcessID: w.ProcessID, ProcessDefinition: httpio.PtrOrNil(w.Definition),
		Item: httpio.PtrOrNil(w.Item), PrincipalID: w.PrincipalID, Name: httpio.PtrOrNil(w.Name), Since: w.Since.UTC(),
	}
}
