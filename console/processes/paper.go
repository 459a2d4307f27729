package processes

import (
	"io"

	"github.com/procession-dev/procession/console/web"
)

// ExportZip offers everything about a process that is visible to the user as a ZIP.
func (s *Screens) ExportZip(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	export, err := s.App.ExportProcess(v.Context(), v.Call, id, v.PaperReader())
	if err != nil {
		return nil, err
	}
	return web.File(export.Name(), "application/zip", func(w io.Writer) error { return export.Write(v.Context(), w) }), nil
}

// DownloadPDF offers a process as a PDF for saving.
func (s *Screens) DownloadPDF(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	found, err := s.App.PrintProcess(v.Context(), v.Call, id, v.PaperReader())
	if err != nil {
		return nil, err
	}
	return web.Document(found), nil
}

// pdfPath returns the URL of the process as a PDF, "" if there are none.
func (s *processView) pdfPath() string {
	if !s.Printable {
		return ""
	}
	return s.tabPath("pdf")
}
