package pdf

import (
	"context"
	"io"
	"time"

	"github.com/procession-dev/procession/form"
)

// ContentType is the media type of the output of Render, ArchiveType of RenderAll.
const (
	ContentType = "application/pdf"
	ArchiveType = "application/zip"
)

// Renderer renders models as PDF. It is safe for concurrent use.
type Renderer struct {
	regular *face
	bold    *face
	limits  Limits
}

// NewRenderer parses the embedded fonts, which takes tens of milliseconds: a program needs one renderer.
func NewRenderer(limits Limits) (*Renderer, error) {
	regular, err := newFace(regularFont)
	if err != nil {
		return nil, err
	}
	bold, err := newFace(boldFont)
	if err != nil {
		return nil, err
	}
	return &Renderer{regular: regular, bold: bold, limits: limits}, nil
}

// Options are the inputs of a document in addition to its model.
type Options struct {
	// Created is printed in the footer and stored in the metadata, in UTC.
	Created time.Time
	// Open opens images. If it is nil, all files are only listed.
	Open OpenFunc
}

// Render writes a model as a PDF. The same model and options give the same bytes. If it returns a *form.LimitError or
// the error of the context, it has written no bytes.
func (r *Renderer) Render(ctx context.Context, w io.Writer, m *form.Model, o Options) error {
	c := &composer{
		ctx: ctx, regular: r.regular, bold: r.bold, limits: r.limits, open: o.Open,
		pictures: map[string]*picture{},
	}
	if err := c.composeModel(m); err != nil {
		return err
	}
	return c.writePDF(w, m, o.Created)
}

// RenderInput builds the model of an input and renders it.
func (r *Renderer) RenderInput(ctx context.Context, w io.Writer, in form.Input, o Options) error {
	m, err := form.NewModel(ctx, in, r.limits.Limits)
	if err != nil {
		return err
	}
	return r.Render(ctx, w, m, o)
}
