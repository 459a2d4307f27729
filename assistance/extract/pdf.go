package extract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/procession-dev/procession/internal/sandbox"
)

const (
	// pdfTime is the processor time for a small PDF, pdfRate the number of bytes that add a second. pdftotext
	// extracts a hundred pages in a tenth of it.
	pdfTime = time.Second
	pdfRate = 2 << 20
	// exitForbidden is the exit code of pdftotext for a PDF that forbids copying.
	exitForbidden = 3
)

// readPDF extracts the text of a PDF with pdftotext, page by page. The text
// before a limit or damage is kept.
func (r *Reader) readPDF(ctx context.Context, d Document, body *source) (Text, error) {
	out := &sink{most: r.limits.Text}
	err := r.pool.Run(ctx, sandbox.Job{
		Program: []string{r.pdfToText, "-enc", "UTF-8", "-eol", "unix", "-", "-"},
		// The encodings of poppler are installed next to its programs.
		Readable: []string{filepath.Join(filepath.Dir(filepath.Dir(r.pdfToText)), "share", "poppler")},
		Limits: sandbox.Limits{
			Memory: memory, CPU: min(r.limits.Time, pdfTime+time.Second*time.Duration(d.Size/pdfRate)),
			Time: r.limits.Time, Output: int64(r.limits.Text) + maxHeader,
		},
		Talk: func(in io.WriteCloser, pages io.Reader) error {
			return body.sendWhile(in, func() error { return nil }, func() error {
				_, err := io.Copy(pageWriter{out}, pages)
				return err
			})
		},
	})
	var failed *sandbox.ExitError
	switch {
	case err == nil:
		return out.resultText(d.Name, false)
	case errors.As(err, &failed) && (failed.Code == exitForbidden || strings.Contains(failed.Complaint, "Incorrect password")):
		return Text{}, fmt.Errorf("%w: %w", errEncrypted, err)
	case ctx.Err() != nil, errors.Is(err, sandbox.ErrLost), out.body.Len() == 0:
		return Text{}, err
	}
	return out.resultText(d.Name, true)
}

// pageWriter separates pages with an empty line.
type pageWriter struct{ out *sink }

// Write returns errEnough at the limit.
func (w pageWriter) Write(text []byte) (int, error) {
	if err := w.out.write(string(bytes.ReplaceAll(text, []byte("\f"), []byte("\n\n")))); err != nil {
		return 0, err
	}
	return len(text), nil
}
