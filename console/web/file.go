package web

import (
	"io"
	"mime"
	"net/http"

	"github.com/gin-gonic/gin"

	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain/spreadsheet"
)

// Document returns the answer that offers a document for saving, whole or in ranges.
func Document(d *app.Download) *Answer {
	return &Answer{serve: func(c *gin.Context) error {
		return httpio.NewDownload(httpio.RequestContext(c), httpio.Inert(d.ContentType), d.Disposition(), d.SHA256, d.Content, d.Deliver).Serve(c.Writer)
	}}
}

// File returns an answer that streams the output of write as a download. An error of write before its first byte
// becomes a page; a later error drops the connection, so that a partial file is not taken for the whole.
func File(name, contentType string, write func(io.Writer) error) *Answer {
	return &Answer{serve: func(c *gin.Context) error {
		out := &fileWriter{c: c, contentType: contentType, disposition: mime.FormatMediaType("attachment", map[string]string{"filename": name})}
		if err := write(out); err != nil {
			return err
		}
		out.writeHeader()
		return nil
	}}
}

// CSV returns the answer that offers a table of comma-separated values for saving. rows adds its rows, while they are
// read.
func CSV(name string, head []string, rows func(add func(row ...string) error) error) *Answer {
	return File(name, "text/csv; charset=utf-8", func(w io.Writer) error {
		table := spreadsheet.NewWriter(w)
		if err := table.Write(head...); err != nil {
			return err
		}
		if err := rows(table.Write); err != nil {
			return err
		}
		return table.Flush()
	})
}

// fileWriter sends the headers of a file with its first byte.
type fileWriter struct {
	c                        *gin.Context
	contentType, disposition string
	begun                    bool
}

func (w *fileWriter) writeHeader() {
	if w.begun {
		return
	}
	w.begun = true
	w.c.Header("Content-Type", w.contentType)
	w.c.Header("Content-Disposition", w.disposition)
	w.c.Header("Content-Security-Policy", "default-src 'none'; sandbox")
	w.c.Status(http.StatusOK)
	w.c.Writer.WriteHeaderNow()
}

func (w *fileWriter) Write(p []byte) (int, error) {
	w.writeHeader()
	return w.c.Writer.Write(p)
}

// serveAnswer answers with a file.
func (s *Site) serveAnswer(c *gin.Context, visit *Visit, answer *Answer) {
	err := answer.serve(c)
	if err == nil {
		return
	}
	if c.Writer.Written() {
		s.logFailure(c, err)
		panic(http.ErrAbortHandler)
	}
	s.writeFailure(c, visit, err)
}
