package extract

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/procession-dev/procession/internal/sandbox"
)

const (
	// memory is how much a child that reads a document may have, in bytes; atOnce is
	// how many of them there may be.
	memory = 256 << 20
	atOnce = 2
	// attempts is how often a document is read when its child is lost.
	attempts = 2
)

// Options configure a Reader.
type Options struct {
	// PDFToText is the path of pdftotext. Without it PDFs are not read.
	PDFToText string
	// Limits are DefaultLimits unless given.
	Limits Limits
}

// Reader reads documents in child processes, some at once. Programs that use it
// have to call sandbox.Serve with Task. It is safe for concurrent use.
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

// Document contains what is known of a document before it is read.
type Document struct {
	// Name and MediaType are declared by the document and not verified.
	Name, MediaType string
	// Size is in bytes.
	Size int64
}

// errNoPDF is the cause of ReasonType where there is no pdftotext.
var errNoPDF = errors.New("there is no pdftotext")

// Read extracts the text of a document. open opens its bytes, a second time when the
// child that reads it is lost. It returns an *Error for the document's faults, the
// error of the context when that ends first, and errors of open.
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

// documentError returns the *Error of the document that the error of its child stands for.
func documentError(d Document, err error) error {
	var refused *Error
	var failed *sandbox.ExitError
	reason := ReasonUnreadable
	switch {
	case err == nil, errors.As(err, &refused):
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

// source are the bytes of a document on their way to a child.
type source struct {
	body io.Reader
	// left is how many bytes may still follow.
	left int64
	// failed is the reason why the bytes ended too early.
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

// sendWhile sends what begin writes and then the document, while receive receives.
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
