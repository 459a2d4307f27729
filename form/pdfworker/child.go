package pdfworker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	_ "time/tzdata" // The sandbox cannot read the database of the system.

	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/form"
	"github.com/procession-dev/procession/form/pdf"
)

// TaskName is the name of Task in package sandbox.
const TaskName = "form"

// outcome is the last message of a child.
type outcome struct {
	// Name is the file name of all layouts, Names are the file names of each.
	Name   string           `json:"name,omitempty"`
	Names  []string         `json:"names,omitempty"`
	NoForm bool             `json:"noForm,omitempty"`
	Limit  *form.LimitError `json:"limit,omitempty"`
	// Missing are the characters that no font has.
	Missing string `json:"missing,omitempty"`
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

// Task makes the layouts of one job in a child.
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
	last, err := job.composeLayouts(ctx, c)
	if err != nil && !errors.As(err, &last.Limit) {
		if last.NoForm = errors.Is(err, form.ErrNoForm); !last.NoForm {
			return err
		}
	}
	return writeJSON(out, frameDone, last)
}

func (j *Job) composeLayouts(ctx context.Context, c *child) (outcome, error) {
	inputs, err := j.formInputs(ctx)
	if err != nil {
		return outcome{}, err
	}
	options := pdf.Options{
		Created: j.Created, Labels: pdf.LabelsFor(j.Zone, j.Locale, j.Language), Sections: j.sectionInputs(), Open: c.requestImage, Find: c.requestMissing,
	}
	var missing []rune
	for _, input := range inputs {
		s, err := pdf.Compose(ctx, input, pdf.DefaultLimits(), options)
		if err != nil {
			return outcome{}, err
		}
		missing = append(missing, s.Missing...)
		for _, image := range s.Images {
			if err := c.send(frameImage, image); err != nil {
				return outcome{}, err
			}
		}
		data, err := json.Marshal(s)
		if err != nil {
			return outcome{}, fmt.Errorf("writing a layout: %w", err)
		}
		if err := c.send(frameSheet, data); err != nil {
			return outcome{}, err
		}
	}
	slices.Sort(missing)
	return outcome{Name: pdf.Filenames(inputs[:1])[0], Names: pdf.Filenames(inputs), Missing: string(slices.Compact(missing))}, nil
}

// formInputs returns the forms of the job, at least one.
func (j *Job) formInputs(ctx context.Context) ([]form.Input, error) {
	inputs := make([]form.Input, len(j.Values))
	texts := j.findTexts(j.Within...)
	for i, value := range j.Values {
		inputs[i] = form.Input{
			Title: j.Title, Subject: j.Subject, Schema: j.Schema, UISchema: j.UISchema, Value: value, Texts: form.TextsOf(texts),
		}
	}
	switch {
	case len(inputs) == 0 && len(j.Sections) > 0:
		return []form.Input{{Title: j.Title, Subject: j.Subject}}, nil
	case len(inputs) == 0:
		return nil, form.ErrNoForm
	case j.Pointer == nil:
		return inputs, nil
	}
	inputs, _, err := form.Select(ctx, inputs[0], *j.Pointer, MaxForms)
	return inputs, err
}

func (j *Job) sectionInputs() []form.Input {
	inputs := make([]form.Input, len(j.Sections))
	for i, section := range j.Sections {
		inputs[i] = form.Input{
			Title: section.Title, Schema: section.Schema, UISchema: section.UISchema, Value: section.Value,
			Texts: form.TextsOf(j.findTexts(section.Within...)),
		}
	}
	return inputs
}

// findTexts returns the translations for the reader, of the value within the names.
func (j *Job) findTexts(within ...string) *translation.Texts {
	catalogues := make([]*translation.Catalogue, len(j.I18n))
	for i, source := range j.I18n {
		catalogues[i] = translation.ParseCached(source)
	}
	return translation.New(pdf.ReaderOf(j.Locale, j.Language), catalogues...).Within(within...)
}

// child is the child's end of the connection.
type child struct {
	in  io.Reader
	out io.Writer
	// written counts bytes of output.
	written int
}

// send sends a part of a layout. It returns a *form.LimitError beyond MaxSize.
func (c *child) send(kind byte, payload []byte) error {
	if c.written += len(payload); c.written > MaxSize {
		return &form.LimitError{What: "bytes", Max: MaxSize}
	}
	return writeFrame(c.out, kind, payload)
}

// requestMissing requests the clusters that no font has from the parent.
func (c *child) requestMissing(clusters []string) (missing []string, err error) {
	if err := writeJSON(c.out, frameClusters, clusters); err != nil {
		return nil, err
	}
	kind, payload, err := readFrame(c.in, maxJob)
	if err != nil {
		return nil, err
	}
	if kind != frameMissing {
		return nil, errFrame
	}
	return missing, json.Unmarshal(payload, &missing)
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
