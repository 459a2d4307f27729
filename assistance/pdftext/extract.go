package pdftext

import (
	"bytes"
	"context"
	"errors"
)

var (
	// ErrBroken says that a file is no PDF, or too damaged to find a page in.
	ErrBroken = errors.New("the PDF is damaged")
	// ErrEncrypted says that a file needs a password, or is kept from being read
	// without one.
	ErrEncrypted = errors.New("the PDF is encrypted")
	// ErrTooMuch says that a file exceeds a limit.
	ErrTooMuch = errors.New("the PDF takes too much work to be read")
)

// Limits bound the reading of one file.
type Limits struct {
	// Unpacked is how many bytes all streams together may unpack to.
	Unpacked int64
	// Steps is how many tokens are read: a page of text has some thousands.
	Steps int
}

const (
	// maxNodes bounds the values of a file that are kept while it is read.
	maxNodes = 2_000_000
	// maxElements bounds a single array or dictionary.
	maxElements = 100_000
	// maxNesting bounds arrays and dictionaries within each other, the tree of
	// pages, and forms that draw forms.
	maxNesting = 64
)

// A meter counts what reading a file takes. Its error stays: once it is there,
// every reader comes to its end.
type meter struct {
	ctx      context.Context //nolint:containedctx // A meter lives for one call.
	steps    int
	nodes    int
	unpacked int64
	err      error
}

// step counts one token. It reports whether reading goes on.
func (m *meter) step() bool {
	if m.err != nil {
		return false
	}
	m.steps--
	if m.steps < 0 {
		m.err = ErrTooMuch
	} else if m.steps%4096 == 0 {
		m.err = m.ctx.Err()
	}
	return m.err == nil
}

// Extract gives the text of each page to emit, in the order of the pages. It
// returns an error of this package, the error of the context, or what emit
// returned; pages may have been emitted before.
func Extract(ctx context.Context, data []byte, limits Limits, emit func(page string) error) error {
	head := data[:min(len(data), 1024)]
	if !bytes.Contains(head, []byte("%PDF-")) {
		return ErrBroken
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	d := &document{
		meter: &meter{ctx: ctx, steps: limits.Steps, nodes: maxNodes, unpacked: limits.Unpacked},
		data:  data,
		found: map[int]place{},
		cache: map[int]any{},
		fonts: map[int]*textFont{},
	}
	d.scan()
	if d.meter.err == nil && d.trailer["Encrypt"] != nil {
		return ErrEncrypted
	}
	d.unpack()
	pages := 0
	d.pages(func(page, resources dict) bool {
		pages++
		text := d.pageText(page, resources)
		if d.meter.err != nil {
			return false
		}
		d.meter.err = emit(text)
		return d.meter.err == nil
	})
	if d.meter.err != nil {
		return d.meter.err
	}
	if pages == 0 {
		return ErrBroken
	}
	return nil
}
