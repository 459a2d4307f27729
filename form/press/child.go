package press

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/form"
	"github.com/procession-dev/procession/form/paper"
)

// TaskName is the name of Task for package confine.
const TaskName = "form"

// ending is the last message of a child.
type ending struct {
	Name        string           `json:"name,omitempty"`
	ContentType string           `json:"contentType,omitempty"`
	NoForm      bool             `json:"noForm,omitempty"`
	Limit       *form.LimitError `json:"limit,omitempty"`
}

func (e ending) err() error {
	switch {
	case e.NoForm:
		return form.ErrNoForm
	case e.Limit != nil:
		return e.Limit
	}
	return nil
}

// Task returns what a child does: it puts the forms of one job on paper.
func Task(ctx context.Context, in io.Reader, out io.Writer) error {
	kind, payload, err := readFrame(in, maxJob)
	if err != nil {
		return err
	}
	var job Job
	if err := json.Unmarshal(payload, &job); err != nil || kind != frameJob {
		return errors.Join(errFrame, err)
	}
	c := &child{in: in, out: out}
	c.sheets = bufio.NewWriterSize(sheetWriter{out}, sheetSize)
	ended, err := job.print(ctx, c)
	if err == nil {
		err = c.sheets.Flush()
	}
	if err != nil && !errors.As(err, &ended.Limit) {
		if ended.NoForm = errors.Is(err, form.ErrNoForm); !ended.NoForm {
			return err
		}
	}
	return writeJSON(out, frameDone, ended)
}

func (j *Job) print(ctx context.Context, c *child) (ending, error) {
	inputs, err := j.inputs(ctx)
	if err != nil {
		return ending{}, err
	}
	renderer, err := paper.NewRenderer(paper.DefaultLimits())
	if err != nil {
		return ending{}, err
	}
	made := ending{Name: paper.Filenames(inputs[:1])[0], ContentType: paper.ContentType}
	options := paper.Options{Created: j.Created, Open: c.open}
	if len(inputs) == 1 {
		return made, renderer.RenderInput(ctx, c, inputs[0], options)
	}
	made.Name, made.ContentType = strings.TrimSuffix(made.Name, ".pdf")+".zip", paper.ArchiveType
	return made, renderer.RenderAll(ctx, c, inputs, options)
}

// inputs returns the forms of the job, at least one.
func (j *Job) inputs(ctx context.Context) ([]form.Input, error) {
	inputs := make([]form.Input, len(j.Values))
	for i, value := range j.Values {
		inputs[i] = form.Input{Title: j.Title, Subject: j.Subject, Schema: j.Schema, UISchema: j.UISchema, Value: value}
	}
	switch {
	case len(inputs) == 0:
		return nil, form.ErrNoForm
	case j.Pointer == nil:
		return inputs, nil
	}
	inputs, _, err := form.Select(ctx, inputs[0], *j.Pointer, MaxForms)
	return inputs, err
}

// child is the side of a child: what it writes is paper.
type child struct {
	in     io.Reader
	out    io.Writer
	sheets *bufio.Writer
	// written is how much paper there is.
	written int
}

// Write hands paper to the parent. It returns a *form.LimitError when there is too
// much.
func (c *child) Write(data []byte) (int, error) {
	if c.written += len(data); c.written > MaxPaper {
		return 0, &form.LimitError{What: "bytes", Max: MaxPaper}
	}
	return c.sheets.Write(data)
}

// sheetSize is how much paper goes into a frame, in bytes.
const sheetSize = 64 << 10

// sheetWriter writes paper in frames.
type sheetWriter struct{ out io.Writer }

// Write writes frames of at most sheetSize bytes.
func (w sheetWriter) Write(data []byte) (int, error) {
	for left := data; len(left) > 0; {
		part := left[:min(len(left), sheetSize)]
		if err := writeFrame(w.out, frameSheet, part); err != nil {
			return 0, err
		}
		left = left[len(part):]
	}
	return len(data), nil
}

// open asks the parent for an image.
func (c *child) open(_ context.Context, file kuflowref.File) (io.ReadCloser, error) {
	if err := writeJSON(c.out, frameOpen, file); err != nil {
		return nil, err
	}
	var body bytes.Buffer
	for {
		kind, payload, err := readFrame(c.in, maxFrame)
		if err != nil {
			return nil, err
		}
		switch kind {
		case framePart:
			body.Write(payload)
		case frameEnd:
			return io.NopCloser(&body), nil
		case frameAbsent:
			return nil, fmt.Errorf("document %s is not available", file.Name)
		default:
			return nil, errFrame
		}
	}
}
