package shapeb

import (
	"context"
	"net/http"

	"github.com/procession-dev/procession/api/httpio"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
)

// UploadProcessDocument implements operation B19.
func (s *Server) UploadProcessDocument(
	ctx context.Context, request oasb.UploadProcessDocumentRequestObject,
) (oasb.UploadProcessDocumentResponseObject, error) {
	stored, err := s.app.UploadProcessDocument(ctx, s.call(ctx), request.ID, storage.File{
		Name: request.Params.FileName, ContentType: request.Params.FileContentType, Body: request.Body,
	})
	if err != nil {
		return nil, err
	}
	return oasb.UploadProcessDocument200JSONResponse{DocumentURI: app.DocumentURI(stored)}, nil
}

// UploadProcessUserActionDocument implements operation B14.
func (s *Server) UploadProcessUserActionDocument(
	ctx context.Context, request oasb.UploadProcessUserActionDocumentRequestObject,
) (oasb.UploadProcessUserActionDocumentResponseObject, error) {
	params := request.Params
	changed, taken, err := s.app.UploadProcessUserActionDocument(ctx, s.call(ctx), request.ID, params.UserActionValueID,
		storage.File{Name: params.FileName, ContentType: params.FileContentType, Body: request.Body})
	switch {
	case err != nil:
		return nil, err
	case !taken:
		return oasb.UploadProcessUserActionDocument304Response{}, nil
	default:
		return oasb.UploadProcessUserActionDocument200JSONResponse(convertProcess(changed)), nil
	}
}

// DownloadProcessDocument implements operation B20.
func (s *Server) DownloadProcessDocument(
	ctx context.Context, request oasb.DownloadProcessDocumentRequestObject,
) (oasb.DownloadProcessDocumentResponseObject, error) {
	found, err := s.app.DownloadProcessDocument(ctx, s.call(ctx), request.ID, request.Params.DocumentURI)
	if err != nil {
		return nil, err
	}
	return newDownload(ctx, found), nil
}

// UploadBusinessArtifactDocument implements operation B44.
func (s *Server) UploadBusinessArtifactDocument(
	ctx context.Context, request oasb.UploadBusinessArtifactDocumentRequestObject,
) (oasb.UploadBusinessArtifactDocumentResponseObject, error) {
	stored, err := s.app.UploadBusinessArtifactDocument(ctx, s.call(ctx), request.ID, storage.File{
		Name: request.Params.FileName, ContentType: request.Params.FileContentType, Body: request.Body,
	})
	if err != nil {
		return nil, err
	}
	return oasb.UploadBusinessArtifactDocument200JSONResponse{DocumentURI: app.DocumentURI(stored)}, nil
}

// DownloadBusinessArtifactDocument implements operation B45.
func (s *Server) DownloadBusinessArtifactDocument(
	ctx context.Context, request oasb.DownloadBusinessArtifactDocumentRequestObject,
) (oasb.DownloadBusinessArtifactDocumentResponseObject, error) {
	found, err := s.app.DownloadBusinessArtifactDocument(ctx, s.call(ctx), request.ID, request.Params.DocumentURI)
	if err != nil {
		return nil, err
	}
	return newDownload(ctx, found), nil
}

// UploadDocument uploads a temporary document for the address of a resource.
func (s *Server) UploadDocument(
	ctx context.Context, request oasb.UploadDocumentRequestObject,
) (oasb.UploadDocumentResponseObject, error) {
	stored, err := s.app.UploadDocument(ctx, s.call(ctx), request.Params.TargetURI, storage.File{
		Name: request.Params.FileName, ContentType: request.Params.FileContentType, Body: request.Body,
	})
	if err != nil {
		return nil, err
	}
	return oasb.UploadDocument200JSONResponse{DocumentURI: app.DocumentURI(stored)}, nil
}

// DownloadDocument downloads a document by its address alone.
func (s *Server) DownloadDocument(
	ctx context.Context, request oasb.DownloadDocumentRequestObject,
) (oasb.DownloadDocumentResponseObject, error) {
	found, err := s.app.DownloadDocument(ctx, s.call(ctx), request.Params.DocumentURI)
	if err != nil {
		return nil, err
	}
	return newDownload(ctx, found), nil
}

// DownloadProcessItemTaskDataWebformsAsDocument implements operation B33.
func (s *Server) DownloadProcessItemTaskDataWebformsAsDocument(
	ctx context.Context, request oasb.DownloadProcessItemTaskDataWebformsAsDocumentRequestObject,
) (oasb.DownloadProcessItemTaskDataWebformsAsDocumentResponseObject, error) {
	forms, err := s.app.DownloadTaskForms(ctx, s.call(ctx), request.ID, request.Params.PropertyPath, httpio.AcceptLanguage(ctx))
	if err != nil {
		return nil, err
	}
	answer := newDownload(ctx, forms)
	answer.answer.Vary = "Accept-Language"
	return answer, nil
}

// download is the answer of all downloads.
type download struct{ answer *httpio.Download }

func newDownload(ctx context.Context, d *app.Download) download {
	return download{httpio.NewDownload(ctx, d.ContentType, d.Disposition(), d.SHA256, d.Content, d.Deliver)}
}

// VisitDownloadProcessDocumentResponse writes the answer of B20.
func (d download) VisitDownloadProcessDocumentResponse(w http.ResponseWriter) error {
	return d.answer.Serve(w)
}

// VisitDownloadBusinessArtifactDocumentResponse writes the answer of B45.
func (d download) VisitDownloadBusinessArtifactDocumentResponse(w http.ResponseWriter) error {
	return d.answer.Serve(w)
}

// VisitDownloadDocumentResponse writes the answer of a download by address.
func (d download) VisitDownloadDocumentResponse(w http.ResponseWriter) error {
	return d.answer.Serve(w)
}

// VisitDownloadProcessItemTaskDataWebformsAsDocumentResponse writes the answer of
// B33.
func (d download) VisitDownloadProcessItemTaskDataWebformsAsDocumentResponse(w http.ResponseWriter) error {
	return d.answer.Serve(w)
}
