package processes

import "github.com/procession-dev/procession/console/web"

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
