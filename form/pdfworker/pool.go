package pdfworker

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/form"
	"github.com/procession-dev/procession/form/fonts"
	"github.com/procession-dev/procession/form/pdf"
	"github.com/procession-dev/procession/internal/sandbox"
)

const (
	// childMemory is the memory of a child in bytes, largeMemory the memory of a typesetter with a layout of
	// more than largeLayout bytes. poolMemory is the memory of all children.
	childMemory = 256 << 20
	largeMemory = 768 << 20
	largeLayout = 256 << 10
	poolMemory  = 1 << 30
	// childCPU is the maximum processor time of a child.
	childCPU = 20 * time.Second
	// DefaultTime is the maximum time of a job, including the wait for other jobs.
	DefaultTime = 30 * time.Second
	// MaxForms is the maximum number of forms of a ZIP.
	MaxForms = 500
	// MaxSize is the maximum size of a PDF or ZIP in bytes, and of the layouts.
	MaxSize = 64 << 20
)

// ErrTime is returned if a job exceeds its time.
var ErrTime = errors.New("the form could not be rendered as PDF in time")

// Job is the input of Render.
type Job struct {
	// Title, Subject, Schema and UISchema are members of form.Input.
	Title    string          `json:"title"`
	Subject  string          `json:"subject"`
	Schema   json.RawMessage `json:"schema,omitempty"`
	UISchema json.RawMessage `json:"uiSchema,omitempty"`
	// Sections are printed before the value of each form. Without Values they are the document.
	Sections []Section `json:"sections,omitempty"`
	// Values are forms, or one value that contains forms at Pointer.
	Values  []json.RawMessage `json:"values"`
	Pointer *string           `json:"pointer,omitempty"`
	// Created is printed in the footer.
	Created time.Time `json:"created"`
	// Locale is a BCP 47 tag and Zone a zone of the IANA database, from the profile of the reader; "" for none.
	// Language is the header Accept-Language, for a reader without a locale.
	Locale   string `json:"locale,omitempty"`
	Zone     string `json:"zone,omitempty"`
	Language string `json:"language,omitempty"`
	// I18n are the translations of the schemas: the ones of the definition, and around it. Within are the names around the
	// value of the schema.
	I18n   []json.RawMessage `json:"i18n,omitempty"`
	Within []string          `json:"within,omitempty"`
}

// Section is a part of a document, with a heading unless Title is "". Within are the names around the value in the
// translations.
type Section struct {
	Title    string          `json:"title,omitempty"`
	Schema   json.RawMessage `json:"schema,omitempty"`
	UISchema json.RawMessage `json:"uiSchema,omitempty"`
	Value    json.RawMessage `json:"value"`
	Within   []string        `json:"within,omitempty"`
}

// Result is a PDF, or a ZIP of PDFs for several forms.
type Result struct {
	Name, ContentType string
	Content           []byte
}

// Pool renders forms as PDF. It is safe for concurrent use. Programs that use it must call sandbox.Serve with Task.
type Pool struct {
	pool       *sandbox.Pool
	queues     queues
	typesetter *Typesetter
	onMissing  func([]rune)
	// memory is the memory of a typesetter in bytes, largeMemory with a large layout.
	memory, largeMemory int64
}

// New returns a Pool. onMissing, if not nil, is called with the characters of a document that no font has.
func New(t *Typesetter, onMissing func(missing []rune)) *Pool {
	return &Pool{
		pool: sandbox.NewPool(poolMemory), queues: queues{byPrincipal: map[string]*queue{}}, typesetter: t, onMissing: onMissing,
		memory: childMemory, largeMemory: largeMemory,
	}
}

// Render executes a job in two child processes: one makes the layouts of its forms, the other typesets them. open opens
// referenced images. It returns form.ErrNoForm, a *form.LimitError, ErrTime, or the error of the context.
func (p *Pool) Render(ctx context.Context, job Job, open pdf.OpenFunc) (*Result, error) {
	if len(job.Values) > MaxForms {
		return nil, &form.LimitError{What: "forms", Max: MaxForms}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, DefaultTime, ErrTime)
	defer cancel()
	layouts, last, err := p.composeLayouts(ctx, job, open)
	if err == nil {
		err = last.toError()
	}
	if err != nil {
		return nil, err
	}
	documents, err := p.typeset(ctx, layouts, job.Created)
	if err != nil {
		return nil, err
	}
	if p.onMissing != nil && last.Missing != "" {
		p.onMissing([]rune(last.Missing))
	}
	if len(documents) == 1 {
		return &Result{Name: last.Name, ContentType: pdf.ContentType, Content: documents[0]}, nil
	}
	name := strings.TrimSuffix(last.Name, ".pdf") + ".zip"
	var archive bytes.Buffer
	if err := pdf.Archive(&archive, last.Names, documents, job.Created); err != nil {
		return nil, err
	}
	return &Result{Name: name, ContentType: pdf.ArchiveType, Content: archive.Bytes()}, nil
}

// composeLayouts makes the layouts of a job in a child.
func (p *Pool) composeLayouts(ctx context.Context, job Job, open pdf.OpenFunc) ([]layout, outcome, error) {
	c := conversation{ctx: ctx, open: open, index: p.typesetter.index}
	err := p.pool.Run(ctx, sandbox.Job{
		Task: TaskName,
		Limits: sandbox.Limits{
			// Frames have headers, and requests count as output.
			Memory: childMemory, CPU: childCPU, Time: DefaultTime, Output: MaxSize + maxFrame,
		},
		Talk: func(in io.WriteCloser, out io.Reader) error {
			if err := writeJSON(in, frameJob, job); err != nil {
				return err
			}
			return c.receiveFrames(in, bufio.NewReader(out))
		},
	})
	return c.layouts, c.last, limitError(err)
}

// limitError returns the error of a child as an error of Render.
func limitError(err error) error {
	switch {
	case errors.Is(err, sandbox.ErrTime), errors.Is(err, context.DeadlineExceeded):
		return errors.Join(ErrTime, err)
	case errors.Is(err, sandbox.ErrMemory):
		return &form.LimitError{What: "bytes of memory", Max: childMemory}
	case errors.Is(err, sandbox.ErrOutput):
		return &form.LimitError{What: "bytes", Max: MaxSize}
	}
	return err
}

// conversation is the parent's end of the connection with a child that makes layouts.
type conversation struct {
	ctx     context.Context //nolint:containedctx // It lives for one job.
	open    pdf.OpenFunc
	index   *fonts.Index
	layouts []layout
	last    outcome
}

// receiveFrames reads frames of a child until its outcome.
func (c *conversation) receiveFrames(in io.Writer, out io.Reader) error {
	limits := pdf.DefaultLimits()
	var current layout
	opened := 0
	for {
		kind, payload, err := readFrame(out, MaxSize)
		if err != nil {
			return err
		}
		switch kind {
		case frameClusters:
			var clusters, missing []string
			if err := json.Unmarshal(payload, &clusters); err != nil {
				return fmt.Errorf("%w: %w", errFrame, err)
			}
			current.faces, missing = c.index.Choose(clusters)
			current.complex = slices.ContainsFunc(clusters, hasComplexScript)
			if err := writeJSON(in, frameMissing, missing); err != nil {
				return err
			}
		case frameImage:
			current.images = append(current.images, payload)
		case frameSheet:
			current.data = payload
			c.layouts, current = append(c.layouts, current), layout{}
		case frameOpen:
			var file kuflowref.File
			if err := json.Unmarshal(payload, &file); err != nil {
				return fmt.Errorf("%w: %w", errFrame, err)
			}
			// Files that are not images do not count as placed.
			if opened++; opened > MaxForms*limits.Images {
				return errFrame
			}
			if err := sendImage(c.ctx, in, file, c.open, limits.ImageBytes); err != nil {
				return err
			}
		case frameDone:
			if err := json.Unmarshal(payload, &c.last); err != nil || c.last.toError() == nil && len(c.last.Names) != len(c.layouts) {
				return errors.Join(errFrame, err)
			}
			return nil
		default:
			return errFrame
		}
	}
}

// hasComplexScript reports whether a cluster may be drawn in several parts, or from right to left.
func hasComplexScript(cluster string) bool {
	return strings.ContainsFunc(cluster, func(r rune) bool { return r >= 0x300 && !unicode.In(r, unicode.Greek, unicode.Cyrillic, unicode.Han) })
}

// sendImage sends an image of at most max+1 bytes to a child.
func sendImage(ctx context.Context, in io.Writer, file kuflowref.File, open pdf.OpenFunc, maxBytes int64) error {
	if open == nil {
		return writeFrame(in, frameAbsent, nil)
	}
	body, err := open(ctx, file)
	if err != nil || body == nil {
		return writeFrame(in, frameAbsent, nil)
	}
	defer func() { _ = body.Close() }()
	limited := io.LimitReader(body, maxBytes+1)
	part := make([]byte, 64<<10)
	for {
		n, err := limited.Read(part)
		if n > 0 {
			if err := writeFrame(in, framePart, part[:n]); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return writeFrame(in, frameEnd, nil)
		case err != nil:
			return writeFrame(in, frameAbsent, nil)
		}
	}
}
