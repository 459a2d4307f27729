package extract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"path"
	"strings"
	"time"
)

// Limits limit the reading of one document.
type Limits struct {
	// Bytes is the maximum size of a document.
	Bytes int64
	// Unpacked is the maximum size of the unpacked parts of a document in bytes.
	Unpacked int64
	// Text is the maximum text of a document in bytes. Longer texts are cut at
	// their end.
	Text int
	// Time is the maximum time of reading.
	Time time.Duration
}

// DefaultLimits read long contracts and large tables.
func DefaultLimits() Limits {
	return Limits{Bytes: 25 << 20, Unpacked: 100 << 20, Text: 1 << 20, Time: 20 * time.Second}
}

// Text is the text of a document.
type Text struct {
	Body string
	// Truncated is true if the text was cut.
	Truncated bool
}

// A kind is a format that is read.
type kind int

const (
	kindUnknown kind = iota
	kindPlain
	kindHTML
	kindCSV
	kindJSON
	kindWord
	kindExcel
	kindPowerPoint
	kindOpenDocument
	kindPDF
)

// kindOf returns the format by the media type or, for a general one, by the
// name.
func kindOf(name, mediaType string) kind {
	essence, _, err := mime.ParseMediaType(mediaType)
	if err != nil {
		essence, _, _ = strings.Cut(strings.ToLower(mediaType), ";")
	}
	switch essence {
	case "text/html", "application/xhtml+xml":
		return kindHTML
	case "text/csv", "text/tab-separated-values":
		return kindCSV
	case "application/json", "text/json":
		return kindJSON
	case "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "application/vnd.ms-word.document.macroenabled.12":
		return kindWord
	case "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "application/vnd.ms-excel.sheet.macroenabled.12":
		return kindExcel
	case "application/vnd.openxmlformats-officedocument.presentationml.presentation",
		"application/vnd.openxmlformats-officedocument.presentationml.slideshow", "application/vnd.ms-powerpoint.presentation.macroenabled.12":
		return kindPowerPoint
	case "application/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.spreadsheet",
		"application/vnd.oasis.opendocument.presentation":
		return kindOpenDocument
	case "application/pdf", "application/x-pdf":
		return kindPDF
	case "text/markdown", "text/x-markdown":
		return kindPlain
	case "", "application/octet-stream", "application/zip", "text/plain", "application/vnd.ms-excel", "binary/octet-stream":
	default:
		if strings.HasSuffix(essence, "+json") {
			return kindJSON
		}
		return kindUnknown
	}
	return kindOfName(name, essence)
}

// kindOfName returns the format by the name for a general media type.
func kindOfName(name, essence string) kind {
	switch strings.ToLower(path.Ext(name)) {
	case ".html", ".htm", ".xhtml":
		return kindHTML
	case ".csv", ".tsv":
		return kindCSV
	case ".json":
		return kindJSON
	case ".docx", ".docm":
		return kindWord
	case ".xlsx", ".xlsm":
		return kindExcel
	case ".pptx", ".pptm", ".ppsx":
		return kindPowerPoint
	case ".odt", ".ods", ".odp":
		return kindOpenDocument
	case ".pdf":
		return kindPDF
	case ".txt", ".md", ".markdown", ".text", ".log":
		return kindPlain
	}
	if essence == "text/plain" {
		return kindPlain
	}
	return kindUnknown
}

// errEnough ends the reading when the text is long enough.
var errEnough = errors.New("there is enough text")

// errTooLarge leads to ReasonTooLarge.
var errTooLarge = errors.New("the document exceeds a limit")

// errEncrypted leads to ReasonEncrypted.
var errEncrypted = errors.New("the document is encrypted")

// readHere extracts the text of a document in this process. It returns an *Error for the
// document's faults.
func readHere(ctx context.Context, name, mediaType string, body io.Reader, limits Limits) (Text, error) {
	data, err := io.ReadAll(io.LimitReader(body, limits.Bytes+1))
	if err != nil {
		return Text{}, &Error{Document: name, Reason: ReasonUnreadable, Cause: err}
	}
	if int64(len(data)) > limits.Bytes {
		return Text{}, &Error{Document: name, Reason: ReasonTooLarge}
	}
	bounded, cancel := context.WithTimeout(ctx, limits.Time)
	defer cancel()
	r := &reader{ctx: bounded, out: &sink{most: limits.Text}, unpacked: limits.Unpacked}
	_, parameters, _ := mime.ParseMediaType(mediaType)
	err = r.readFormat(kindOf(name, mediaType), data, parameters["charset"])
	if err != nil && !errors.Is(err, errEnough) {
		return Text{}, &Error{Document: name, Reason: reasonOf(err), Cause: err}
	}
	return r.out.resultText(name, errors.Is(err, errEnough))
}

func reasonOf(err error) Reason {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return ReasonTooSlow
	case errors.Is(err, errTooLarge):
		return ReasonTooLarge
	case errors.Is(err, errEncrypted):
		return ReasonEncrypted
	}
	return ReasonBroken
}

// A reader reads one document.
type reader struct {
	ctx context.Context //nolint:containedctx // A reader lives for one call.
	out *sink
	// unpacked is the remaining number of bytes to unpack.
	unpacked int64
}

// readFormat writes the text of a document with the charset that its media type declares, "" for none.
func (r *reader) readFormat(format kind, data []byte, declared string) (err error) {
	defer func() {
		// A panic of a library means that the document is broken.
		if broken := recover(); broken != nil {
			err = fmt.Errorf("reading a document: %v", broken)
		}
	}()
	switch format {
	case kindPlain:
		return r.readPlain(data, declared)
	case kindHTML:
		return r.readHTML(data, declared)
	case kindCSV:
		return r.readCSV(data, declared)
	case kindJSON:
		return r.readJSON(data, declared)
	case kindWord:
		return r.readWord(data)
	case kindExcel:
		return r.readExcel(data)
	case kindPowerPoint:
		return r.readPowerPoint(data)
	case kindOpenDocument:
		return r.readOpenDocument(data)
	case kindPDF, kindUnknown:
	}
	return errors.New("documents of this type are not read here")
}

// checked is a reader that checks the context, and limits the bytes read between two calls of resetCount.
type checked struct {
	r      *reader
	source *bytes.Reader
	// most is the limit, 0 for none; since counts bytes since the last reset.
	most, since int
}

// Read reads as an io.Reader does, until the context ends or the bound is met.
func (c *checked) Read(p []byte) (int, error) {
	if err := c.r.ctx.Err(); err != nil {
		return 0, err
	}
	if c.most > 0 && c.since > c.most {
		return 0, errTooLarge
	}
	n, err := c.source.Read(p[:min(len(p), 64<<10)])
	c.since += n
	return n, err
}

// resetCount begins a new limited part.
func (c *checked) resetCount() { c.since = 0 }

func (r *reader) checkedSource(data []byte) *checked {
	return &checked{r: r, source: bytes.NewReader(data)}
}
