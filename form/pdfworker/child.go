package pdfworker

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
	"github.com/procession-dev/procession/form/pdf"
)

// TaskName is the name of Task in package sandbox.
const TaskName = "form"

// outcome is the last message of a child.
type outcome struct {
	Name        string           `json:"name,omitempty"`
	ContentType string           `json:"contentType,omitempty"`
	NoForm      bool             `json:"noForm,omitempty"`
	Limit       *form.LimitError `json:"limit,omitempty"`
}

func (e outcome) toError() error {
	switch {
	case e.NoForm:
		return form.ErrNoForm
	case e.Limit != nil:
		return e.Limit
	}
	return nil
}

// Task renders the forms of one job in a child.
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
	c.content = bufio.NewWriterSize(frameWriter{out}, contentSize)
	last, err := job.renderTo(ctx, c)
	if err == nil {
		err = c.content.Flush()
	}
	if err != nil && !errors.As(err, &last.Limit) {
		if last.NoForm = errors.Is(err, form.ErrNoForm); !last.NoForm {
			return err
		}
	}
	return writeJSON(out, frameDone, last)
}

func (j *Job) renderTo(ctx context.Context, c *child) (outcome, error) {
	inputs, err := j.formInputs(ctx)
	if err != nil {
		return outcome{}, err
	}
	renderer, err := pdf.NewRenderer(pdf.DefaultLimits())
	if err != nil {
		return outcome{}, err
	}
	result := outcome{Name: pdf.Filenames(inputs[:1])[0], ContentType: pdf.ContentType}
	options := pdf.Options{Created: j.Created, Open: c.requestImage}
	if len(inputs) == 1 {
		return result, renderer.RenderInput(ctx, c, inputs[0], options)
	}
	result.Name, result.ContentType = strings.TrimSuffix(result.Name, ".pdf")+".zip", pdf.ArchiveType
	return result, renderer.RenderAll(ctx, c, inputs, options)
}

// formInputs returns the forms of the job, at least one.
func (j *Job) formInputs(ctx context.Context) ([]form.Input, error) {
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

// child is the child's end of the connection. Its output is written as frames.
type child struct {
	in      io.Reader
	out     io.Writer
	content *bufio.Writer
	// written counts bytes of output.
	written int
}

// Write sends output to the parent. It returns a *form.LimitError beyond MaxSize.
func (c *child) Write(data []byte) (int, error) {
	if c.written += len(data); c.written > MaxSize {
		return 0, &form.LimitError{What: "bytes", Max: MaxSize}
	}
	return c.content.Write(data)
}

// contentSize is the maximum payload of an output frame in bytes.
const contentSize = 64 << 10

// frameWriter writes output as frames.
type frameWriter struct{ out io.Writer }

// Write writes frames of at most contentSize bytes.
func (w frameWriter) Write(data []byte) (int, error) {
	for left := data; len(left) > 0; {
		part := left[:min(len(left), contentSize)]
		if err := writeFrame(w.out, frameContent, part); err != nil {
			return 0, err
		}
		left = left[len(part):]
	}
	return len(data), nil
}

// requestImage requests an image from the parent.
func (c *child) requestImage(_ context.Context, file kuflowref.File) (io.ReadCloser, error) {
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
