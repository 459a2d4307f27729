package paper

import (
	"context"
	"io"
	"time"

	"github.com/procession-dev/procession/form"
)

// ContentType is the media type of what Render writes, ArchiveType of what
// RenderAll writes.
const (
	ContentType = "application/pdf"
	ArchiveType = "application/zip"
)

// Renderer puts models on paper. It is safe for concurrent use.
type Renderer struct {
	regular *face
	bold    *face
	limits  Limits
}

// NewRenderer reads the embedded fonts, which takes tens of milliseconds: a
// program needs one renderer.
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

// Options are the inputs of a document besides its model.
type Options struct {
	// Created stands in the footer and in the metadata, in UTC.
	Created time.Time
	// Open opens the images to be placed. Without it all files are only listed.
	Open OpenFunc
}

// Render writes a model as a PDF. The same model and options give the same
// bytes. It writes nothing when it returns a *form.LimitError or the error of the
// context.
func (r *Renderer) Render(ctx context.Context, w io.Writer, m *form.Model, o Options) error {
	c := &composer{
		ctx: ctx, regular: r.regular, bold: r.bold, limits: r.limits, open: o.Open,
		pictures: map[string]*picture{},
	}
	if err := c.model(m); err != nil {
		return err
	}
	return c.paint(w, m, o.Created)
}

// RenderInput is NewModel and Render.
func (r *Renderer) RenderInput(ctx context.Context, w io.Writer, in form.Input, o Options) error {
	m, err := form.NewModel(ctx, in, r.limits.Limits)
	if err != nil {
		return err
	}
	return r.Render(ctx, w, m, o)
}
