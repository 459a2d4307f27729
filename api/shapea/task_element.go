package shapea

import (
	"context"

	oasa "github.com/procession-dev/procession/api/shapea/oas"
)

// ActionsTaskSaveElement implements operation A22.
func (s *Server) ActionsTaskSaveElement(
	ctx context.Context, request oasa.ActionsTaskSaveElementRequestObject,
) (oasa.ActionsTaskSaveElementResponseObject, error) {
	body := request.Body
	changed, err := s.app.SaveTaskElement(
		ctx, s.call(ctx), request.ID, body.ElementDefinitionCode, elementValueList(body.ElementValues))
	answer, err := convertTask(changed, err)
	if err != nil {
		return nil, err
	}
	return oasa.ActionsTaskSaveElement200JSONResponse(answer), nil
}

// ActionsTaskDeleteElement implements operation A24.
func (s *Server) ActionsTaskDeleteElement(
	ctx context.Context, request oasa.ActionsTaskDeleteElementRequestObject,
) (oasa.ActionsTaskDeleteElementResponseObject, error) {
	changed, err := s.app.DeleteTaskElement(ctx, s.call(ctx), request.ID, request.Body.ElementDefinitionCode)
	answer, err := convertTask(changed, err)
	if err != nil {
		return nil, err
	}
	return oasa.ActionsTaskDeleteElement200JSONResponse(answer), nil
}

// ActionsTaskDeleteElementValueDocument implements operation A25.
func (s *Server) ActionsTaskDeleteElementValueDocument(
	ctx context.Context, request oasa.ActionsTaskDeleteElementValueDocumentRequestObject,
) (oasa.ActionsTaskDeleteElementValueDocumentResponseObject, error) {
	changed, err := s.app.DeleteTaskElementDocument(ctx, s.call(ctx), request.ID, request.Body.DocumentID)
	answer, err := convertTask(changed, err)
	if err != nil {
		return nil, err
	}
	return oasa.ActionsTaskDeleteElementValueDocument200JSONResponse(answer), nil
}
