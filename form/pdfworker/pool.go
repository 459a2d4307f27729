package pdfworker

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/form"
	"github.com/procession-dev/procession/form/pdf"
	"github.com/procession-dev/procession/internal/sandbox"
)

const (
	// childMemory is the memory of a child in bytes, concurrentChildren the number of concurrent children.
	childMemory        = 256 << 20
	concurrentChildren = 4
	// childCPU is the maximum processor time of a child.
	childCPU = 20 * time.Second
	// DefaultTime is the maximum time of a job, including the wait for other jobs.
	DefaultTime = 30 * time.Second
	// MaxForms is the maximum number of forms of a ZIP.
	MaxForms = 500
	// MaxSize is the maximum size of a PDF or ZIP in bytes.
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
	// Values are forms, or one value that contains forms at Pointer.
	Values  []json.RawMessage `json:"values"`
	Pointer *string           `json:"pointer,omitempty"`
	// Created is printed in the footer.
	Created time.Time `json:"created"`
}

// Result is a PDF, or a ZIP of PDFs for several forms.
type Result struct {
	Name, ContentType string
	Content           []byte
}

// Pool renders forms as PDF. It is safe for concurrent use. Programs that use it must call sandbox.Serve with Task.
type Pool struct {
	pool   *sandbox.Pool
	queues queues
}

// New returns a Pool.
func New() *Pool {
	return &Pool{pool: sandbox.NewPool(concurrentChildren * childMemory), queues: queues{byPrincipal: map[string]*queue{}}}
}

// Render executes a job in a child process. open opens referenced images. It returns form.ErrNoForm, a
// *form.LimitError, ErrTime, or the error of the context.
func (p *Pool) Render(ctx context.Context, job Job, open pdf.OpenFunc) (*Result, error) {
	if len(job.Values) > MaxForms {
		return nil, &form.LimitError{What: "forms", Max: MaxForms}
	}
	var result Result
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
			return result.receiveFrames(ctx, in, bufio.NewReader(out), open)
		},
	})
	switch {
	case errors.Is(err, sandbox.ErrTime):
		return nil, errors.Join(ErrTime, err)
	case errors.Is(err, sandbox.ErrMemory):
		return nil, &form.LimitError{What: "bytes of memory", Max: childMemory}
	case errors.Is(err, sandbox.ErrOutput):
		return nil, &form.LimitError{What: "bytes", Max: MaxSize}
	case err != nil:
		return nil, err
	}
	return &result, nil
}

// receiveFrames reads frames of a child until its outcome.
func (r *Result) receiveFrames(ctx context.Context, in io.Writer, out io.Reader, open pdf.OpenFunc) error {
	var content bytes.Buffer
	limits := pdf.DefaultLimits()
	opened := 0
	for {
		kind, payload, err := readFrame(out, maxFrame)
		if err != nil {
			return err
		}
		switch kind {
		case frameContent:
			content.Write(payload)
		case frameOpen:
			var file kuflowref.File
			if err := json.Unmarshal(payload, &file); err != nil {
				return fmt.Errorf("%w: %w", errFrame, err)
			}
			// Files that are not images do not count as placed.
			if opened++; opened > MaxForms*limits.Images {
				return errFrame
			}
			if err := sendImage(ctx, in, file, open, limits.ImageBytes); err != nil {
				return err
			}
		case frameDone:
			var last outcome
			if err := json.Unmarshal(payload, &last); err != nil {
				return fmt.Errorf("%w: %w", errFrame, err)
			}
			r.Name, r.ContentType, r.Content = last.Name, last.ContentType, content.Bytes()
			return last.toError()
		default:
			return errFrame
		}
	}
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
