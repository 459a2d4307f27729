package shapeb

import (
	"context"
	"net/http"

	"github.com/procession-dev/procession/api/httpio"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/app"
)

// ExportProcess writes a process as a ZIP. It is an extension of the service.
func (s *Server) ExportProcess(ctx context.Context, request oasb.ExportProcessRequestObject) (oasb.ExportProcessResponseObject, error) {
	export, err := s.app.ExportProcess(ctx, s.call(ctx), request.ID, app.PaperReaderOf(httpio.AcceptLanguage(ctx)))
	if err != nil {
		return nil, err
	}
	return exportedProcess{ctx, httpio.Attachment{
		ContentType: "application/zip", Disposition: export.Disposition(), Vary: "Accept-Language", Write: export.Write,
	}}, nil
}

// exportedProcess is the answer of ExportProcess.
type exportedProcess struct {
	ctx  context.Context
	file httpio.Attachment
}

// VisitExportProcessResponse writes the ZIP.
func (e exportedProcess) VisitExportProcessResponse(w http.ResponseWriter) error {
	return e.file.Serve(e.ctx, w)
}
