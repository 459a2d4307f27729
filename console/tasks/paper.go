package tasks

import (
	"github.com/procession-dev/procession/console/web"
)

// DownloadPDF offers a task as a PDF for saving.
func (s *Screens) DownloadPDF(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	found, err := s.App.PrintTask(v.Context(), v.Call, id, v.PaperReader())
	if err != nil {
		return nil, err
	}
	return web.Document(found), nil
}

// pdfPath returns the URL of the task as a PDF, "" if there are none.
func (o *openTask) pdfPath() string {
	if !o.Printable {
		return ""
	}
	return pathTo(o.ID) + "/pdf"
}
