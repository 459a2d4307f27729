package extract

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/procession-dev/procession/internal/sandbox"
)

const (
	// memory is the memory of a child in bytes, atOnce the number of concurrent children.
	memory = 256 << 20
	atOnce = 2
	// attempts is the number of attempts if the child is lost.
	attempts = 2
)

// Options configure a Reader.
type Options struct {
	// PDFToText is the path of pdftotext. Without it PDFs are not read.
	PDFToText string
	// Limits are DefaultLimits unless given.
	Limits Limits
}

// Reader reads documents in child processes. Programs that use it must call sandbox.Serve with Task. It is safe for
// concurrent use.
type Reader struct {
	pool      *sandbox.Pool
	pdfToText string
	limits    Limits
}

// NewReader returns a Reader.
func NewReader(o Options) *Reader {
	if o.Limits == (Limits{}) {
		o.Limits = DefaultLimits()
	}
	return &Reader{pool: sandbox.NewPool(atOnce * memory), pdfToText: o.PDFToText, limits: o.Limits}
}

// Document describes a document before it is read.
type Document struct {
	// Name and MediaType are declared by the document and not verified.
	Name, MediaType string
	// Size is in bytes.
	Size int64
}

// errNoPDF is the cause of ReasonType where there is no pdftotext.
var errNoPDF = errors.New("there is no pdftotext")

// Read extracts the text of a document. open opens its bytes, a second time if the child is lost. It returns an
// *Error, the error of the context, or errors of open.
func (r *Reader) Read(ctx context.Context, d Document, open func() (io.ReadCloser, error)) (Text, error) {
	format := kindOf(d.Name, d.MediaType)
	switch {
	case format == kindUnknown:
		return Text{}, &Error{Document: d.Name, Reason: ReasonType}
	case format == kindPDF && r.pdfToText == "":
		return Text{}, &Error{Document: d.Name, Reason: ReasonType, Cause: errNoPDF}
	case d.Size > r.limits.Bytes:
		return Text{}, &Error{Document: d.Name, Reason: ReasonTooLarge}
	}
	for attempt := 1; ; attempt++ {
		text, err := r.readOnce(ctx, format, d, open)
		if errors.Is(err, sandbox.ErrLost) && attempt < attempts {
			continue
		}
		return text, documentError(d, err)
	}
}

func (r *Reader) readOnce(
	ctx context.Context, format kind, d Document, open func() (io.ReadCloser, error),
) (text Text, err error) {
	opened, err := open()
	if err != nil {
		return Text{}, err
	}
	defer func() { _ = opened.Close() }()
	body := &source{body: opened, left: r.limits.Bytes}
	if format == kindPDF {
		text, err = r.readPDF(ctx, d, body)
	} else {
		text, err = r.readInChild(ctx, d, body)
	}
	switch {
	case ctx.Err() != nil:
		return Text{}, ctx.Err()
	case body.failed != nil:
		// The child may have ended for that.
		return Text{}, body.failed
	}
	return text, err
}

// documentError converts the error of a child to an *Error of the document.
func documentError(d Document, err error) error {
	var fault *Error
	var failed *sandbox.ExitError
	reason := ReasonUnreadable
	switch {
	case err == nil, errors.As(err, &fault):
		return err
	case errors.Is(err, sandbox.ErrMemory), errors.Is(err, sandbox.ErrOutput), errors.Is(err, errTooLarge):
		reason = ReasonTooLarge
	case errors.Is(err, sandbox.ErrTime):
		reason = ReasonTooSlow
	case errors.Is(err, errEncrypted):
		reason = ReasonEncrypted
	case errors.Is(err, sandbox.ErrLost), errors.Is(err, errBody):
	case errors.As(err, &failed), errors.Is(err, io.ErrUnexpectedEOF):
		reason = ReasonBroken
	default:
		return err
	}
	return &Error{Document: d.Name, Reason: reason, Cause: err}
}

// errBody is returned when the bytes of a document cannot be read.
var errBody = errors.New("the document cannot be read to its end")

// source sends the bytes of a document to a child.
type source struct {
	body io.Reader
	// left is the remaining number of bytes allowed.
	left int64
	// failed is the error that ended the bytes early.
	failed error
}

// Read returns errTooLarge when there are more bytes than allowed.
func (s *source) Read(p []byte) (int, error) {
	n, err := s.body.Read(p)
	s.left -= int64(n)
	switch {
	case s.left < 0:
		s.failed = errTooLarge
	case err != nil && !errors.Is(err, io.EOF):
		s.failed = fmt.Errorf("%w: %w", errBody, err)
	default:
		return n, err
	}
	return 0, s.failed
}

// sendWhile runs begin and then sends the document, while receive receives.
func (s *source) sendWhile(in io.WriteCloser, begin, receive func() error) error {
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		// If the child stops reading, its own error matters.
		if err := begin(); err == nil {
			_, _ = io.Copy(in, s)
		}
		_ = in.Close()
	}()
	err := receive()
	_ = in.Close()
	<-sent
	return err
}
