package press

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
	"github.com/procession-dev/procession/form/paper"
	"github.com/procession-dev/procession/internal/sandbox"
)

const (
	// memory is how much one child may have, in bytes; atOnce is how many of them
	// there may be.
	memory = 256 << 20
	atOnce = 4
	// processorTime bounds one child.
	processorTime = 20 * time.Second
	// DefaultTime is how long a job may take, waiting for its turn included.
	DefaultTime = 30 * time.Second
	// MaxForms is how many forms one ZIP holds.
	MaxForms = 500
	// MaxPaper is how large a PDF or a ZIP may be, in bytes.
	MaxPaper = 64 << 20
)

// ErrTime is returned when a job was not done in time.
var ErrTime = errors.New("the form could not be put on paper in time")

// Job is the input of Print.
type Job struct {
	// Title, Subject, Schema and UISchema are those of form.Input.
	Title    string          `json:"title"`
	Subject  string          `json:"subject"`
	Schema   json.RawMessage `json:"schema,omitempty"`
	UISchema json.RawMessage `json:"uiSchema,omitempty"`
	// Values are forms as they are or, where there is a Pointer, one value within
	// which it leads to the forms.
	Values  []json.RawMessage `json:"values"`
	Pointer *string           `json:"pointer,omitempty"`
	// Created stands on the paper.
	Created time.Time `json:"created"`
}

// Paper is a PDF or, of several forms, a ZIP of PDFs.
type Paper struct {
	Name, ContentType string
	Content           []byte
}

// Press puts forms on paper. It is safe for concurrent use. Programs that use it
// have to call sandbox.Serve with Task.
type Press struct {
	pool  *sandbox.Pool
	turns turns
}

// New returns a Press.
func New() *Press {
	return &Press{pool: sandbox.NewPool(atOnce * memory), turns: turns{of: map[string]*turn{}}}
}

// Print executes a job in a child process. open opens the images that the forms refer
// to. It returns form.ErrNoForm, a *form.LimitError for what is too much, ErrTime, or
// the error of the context.
func (p *Press) Print(ctx context.Context, job Job, open paper.OpenFunc) (*Paper, error) {
	if len(job.Values) > MaxForms {
		return nil, &form.LimitError{What: "forms", Max: MaxForms}
	}
	var made Paper
	err := p.pool.Run(ctx, sandbox.Job{
		Task: TaskName,
		Limits: sandbox.Limits{
			// Each sheet has a head, and so has what is asked for.
			Memory: memory, CPU: processorTime, Time: DefaultTime, Output: MaxPaper + maxFrame,
		},
		Talk: func(in io.WriteCloser, out io.Reader) error {
			if err := writeJSON(in, frameJob, job); err != nil {
				return err
			}
			return made.receive(ctx, in, bufio.NewReader(out), open)
		},
	})
	switch {
	case errors.Is(err, sandbox.ErrTime):
		return nil, errors.Join(ErrTime, err)
	case errors.Is(err, sandbox.ErrMemory):
		return nil, &form.LimitError{What: "bytes to work with", Max: memory}
	case errors.Is(err, sandbox.ErrOutput):
		return nil, &form.LimitError{What: "bytes", Max: MaxPaper}
	case err != nil:
		return nil, err
	}
	return &made, nil
}

// receive takes what a child writes until it is done.
func (p *Paper) receive(ctx context.Context, in io.Writer, out io.Reader, open paper.OpenFunc) error {
	var sheets bytes.Buffer
	limits := paper.DefaultLimits()
	opened := 0
	for {
		kind, payload, err := readFrame(out, maxFrame)
		if err != nil {
			return err
		}
		switch kind {
		case frameSheet:
			sheets.Write(payload)
		case frameOpen:
			var file kuflowref.File
			if err := json.Unmarshal(payload, &file); err != nil {
				return fmt.Errorf("%w: %w", errFrame, err)
			}
			// Files that turn out to be no images do not count as placed.
			if opened++; opened > MaxForms*limits.Images {
				return errFrame
			}
			if err := send(ctx, in, file, open, limits.ImageBytes); err != nil {
				return err
			}
		case frameDone:
			var ended ending
			if err := json.Unmarshal(payload, &ended); err != nil {
				return fmt.Errorf("%w: %w", errFrame, err)
			}
			p.Name, p.ContentType, p.Content = ended.Name, ended.ContentType, sheets.Bytes()
			return ended.err()
		default:
			return errFrame
		}
	}
}

// send gives a child an image, as far as it may be large.
func send(ctx context.Context, in io.Writer, file kuflowref.File, open paper.OpenFunc, most int64) error {
	if open == nil {
		return writeFrame(in, frameAbsent, nil)
	}
	body, err := open(ctx, file)
	if err != nil || body == nil {
		return writeFrame(in, frameAbsent, nil)
	}
	defer func() { _ = body.Close() }()
	limited := io.LimitReader(body, most+1)
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
