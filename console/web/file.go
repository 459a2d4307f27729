package web

import (
	"context"
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
	file := httpio.Attachment{
		ContentType: contentType, Disposition: mime.FormatMediaType("attachment", map[string]string{"filename": name}), Compress: true,
		Write: func(_ context.Context, w io.Writer) error { return write(w) },
	}
	return &Answer{serve: func(c *gin.Context) error { return file.Serve(c.Request.Context(), c.Writer) }}
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
