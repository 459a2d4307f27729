package shapea

import (
	"context"
	"net/http"

	"github.com/procession-dev/procession/api/httpio"
	oasa "github.com/procession-dev/procession/api/shapea/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
)

// ActionsProcessSaveUserActionValueDocument implements operation A13.
func (s *Server) ActionsProcessSaveUserActionValueDocument(
	ctx context.Context, request oasa.ActionsProcessSaveUserActionValueDocumentRequestObject,
) (oasa.ActionsProcessSaveUserActionValueDocumentResponseObject, error) {
	params := request.Params
	changed, taken, err := s.app.UploadProcessUserActionDocument(ctx, s.call(ctx), request.ID, params.UserActionValueID,
		storage.File{Name: params.FileName, ContentType: params.FileContentType, Body: request.Body})
	if err == nil && !taken {
		return oasa.ActionsProcessSaveUserActionValueDocument304Response{}, nil
	}
	answer, err := convertProcess(changed, err)
	if err != nil {
		return nil, err
	}
	return oasa.ActionsProcessSaveUserActionValueDocument200JSONResponse(answer), nil
}

// ActionsProcessSaveEntityDocument implements operation A15.
func (s *Server) ActionsProcessSaveEntityDocument(
	ctx context.Context, request oasa.ActionsProcessSaveEntityDocumentRequestObject,
) (oasa.ActionsProcessSaveEntityDocumentResponseObject, error) {
	params := request.Params
	stored, err := s.app.SaveEntityDocument(ctx, s.call(ctx), request.ID, params.SchemaPath,
		storage.File{Name: params.FileName, ContentType: params.FileContentType, Body: request.Body})
	if err != nil {
		return nil, err
	}
	return oasa.ActionsProcessSaveEntityDocument200JSONResponse{Value: app.DocumentURI(stored)}, nil
}

// ActionsProcessDownloadEntityDocument implements operation A16.
func (s *Server) ActionsProcessDownloadEntityDocument(
	ctx context.Context, request oasa.ActionsProcessDownloadEntityDocumentRequestObject,
) (oasa.ActionsProcessDownloadEntityDocumentResponseObject, error) {
	found, err := s.app.DownloadProcessDocument(ctx, s.call(ctx), request.ID, request.Params.DocumentURI)
	if err != nil {
		return nil, err
	}
	return newDownload(ctx, found), nil
}

// ActionsTaskSaveElementValueDocument implements operation A23.
func (s *Server) ActionsTaskSaveElementValueDocument(
	ctx context.Context, request oasa.ActionsTaskSaveElementValueDocumentRequestObject,
) (oasa.ActionsTaskSaveElementValueDocumentResponseObject, error) {
	params := request.Params
	changed, err := s.app.SaveTaskElementDocument(ctx, s.call(ctx), request.ID, app.ElementUpload{
		File: storage.File{Name: params.FileName, ContentType: params.FileContentType, Body: request.Body},
		Code: params.ElementDefinitionCode, ValueID: params.ElementValueID, Valid: params.ElementValueValid,
	})
	answer, err := convertTask(changed, err)
	if err != nil {
		return nil, err
	}
	return oasa.ActionsTaskSaveElementValueDocument200JSONResponse(answer), nil
}

// ActionsTaskDownloadElementValueDocument implements operation A26.
func (s *Server) ActionsTaskDownloadElementValueDocument(
	ctx context.Context, request oasa.ActionsTaskDownloadElementValueDocumentRequestObject,
) (oasa.ActionsTaskDownloadElementValueDocumentResponseObject, error) {
	found, err := s.app.DownloadTaskElementDocument(ctx, s.call(ctx), request.ID, request.Params.DocumentID)
	if err != nil {
		return nil, err
	}
	return newDownload(ctx, found), nil
}

// ActionsTaskDownloadElementValueRendered implements operation A27.
func (s *Server) ActionsTaskDownloadElementValueRendered(
	ctx context.Context, request oasa.ActionsTaskDownloadElementValueRenderedRequestObject,
) (oasa.ActionsTaskDownloadElementValueRenderedResponseObject, error) {
	forms, err := s.app.DownloadTaskElementForms(ctx, s.call(ctx), request.ID, request.Params.ElementDefinitionCode, httpio.AcceptLanguage(ctx))
	if err != nil {
		return nil, asNotFound(err)
	}
	answer := newDownload(ctx, forms)
	answer.answer.Vary = "Accept-Language"
	return answer, nil
}

// ActionsTaskSaveJSONFormsValueDocument implements operation A29.
func (s *Server) ActionsTaskSaveJSONFormsValueDocument(
	ctx context.Context, request oasa.ActionsTaskSaveJSONFormsValueDocumentRequestObject,
) (oasa.ActionsTaskSaveJSONFormsValueDocumentResponseObject, error) {
	params := request.Params
	stored, err := s.app.SaveTaskJSONFormsDocument(ctx, s.call(ctx), request.ID, params.SchemaPath,
		storage.File{Name: params.FileName, ContentType: params.FileContentType, Body: request.Body})
	if err != nil {
		return nil, asNotFound(err)
	}
	return oasa.ActionsTaskSaveJSONFormsValueDocument200JSONResponse{Value: app.DocumentURI(stored)}, nil
}

// ActionsTaskDownloadJSONFormsValueDocument implements operation A30.
func (s *Server) ActionsTaskDownloadJSONFormsValueDocument(
	ctx context.Context, request oasa.ActionsTaskDownloadJSONFormsValueDocumentRequestObject,
) (oasa.ActionsTaskDownloadJSONFormsValueDocumentResponseObject, error) {
	found, err := s.app.DownloadTaskDocument(ctx, s.call(ctx), request.ID, request.Params.DocumentURI)
	if err != nil {
		return nil, err
	}
	return newDownload(ctx, found), nil
}

// download is the answer of all downloads.
type download struct{ answer *httpio.Download }

func newDownload(ctx context.Context, d *app.Download) download {
	return download{httpio.NewDownload(ctx, d.ContentType, d.Disposition(), d.SHA256, d.Content, d.Deliver)}
}

// VisitActionsProcessDownloadEntityDocumentResponse writes the answer of A16.
func (d download) VisitActionsProcessDownloadEntityDocumentResponse(w http.ResponseWriter) error {
	return d.answer.Serve(w)
}

// VisitActionsTaskDownloadElementValueDocumentResponse writes the answer of A26.
func (d download) VisitActionsTaskDownloadElementValueDocumentResponse(w http.ResponseWriter) error {
	return d.answer.Serve(w)
}

// VisitActionsTaskDownloadJSONFormsValueDocumentResponse writes the answer of A30.
func (d download) VisitActionsTaskDownloadJSONFormsValueDocumentResponse(w http.ResponseWriter) error {
	return d.answer.Serve(w)
}

// VisitActionsTaskDownloadElementValueRenderedResponse writes the answer of A27.
func (d download) VisitActionsTaskDownloadElementValueRenderedResponse(w http.ResponseWriter) error {
	return d.answer.Serve(w)
}
