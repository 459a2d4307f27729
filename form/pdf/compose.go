package pdf

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/procession-dev/procession/form"
)

// FindFunc returns the clusters of characters that no font has.
type FindFunc func(clusters []string) (missing []string, err error)

// Options are the inputs of a layout in addition to its model.
type Options struct {
	// Created is printed in the footer, in the zone of the reader or UTC.
	Created time.Time
	// Labels are the texts of the document in the language of the reader.
	Labels Labels
	// Sections are printed before the value of the input, under their titles.
	Sections []form.Input
	// Open opens images. If it is nil, all files are only listed.
	Open OpenFunc
	// Find finds missing characters.
	Find FindFunc
}

// A composer makes the layout of a model.
type composer struct {
	ctx      context.Context //nolint:containedctx // A composer lives for one call.
	limits   Limits
	labels   Labels
	open     OpenFunc
	layout   *Layout
	splitter splitter
	texts    []*text
	// height counts lines, estimated from the lengths of texts.
	height   int
	missing  map[string]bool
	absent   map[rune]bool
	pictures map[string]*picture
	placed   int
}

// Compose makes the layout of an input. It returns a *form.LimitError, the error of the context, or an error of Find.
func Compose(ctx context.Context, in form.Input, limits Limits, o Options) (*Layout, error) {
	c := &composer{
		ctx: ctx, limits: limits, labels: o.Labels, open: o.Open, missing: map[string]bool{}, absent: map[rune]bool{},
		pictures: map[string]*picture{},
		layout: &Layout{
			Name: cmpOr(cleanLine(in.Title), o.Labels.Form), Lang: o.Labels.Lang, RTL: o.Labels.RTL,
			Created: o.Labels.formatTime(o.Created.UTC()), Page: o.Labels.Page, Pages: limits.Pages, Blocks: []block{},
		},
	}
	c.layout.Title, c.layout.Subject = c.newText(cleanLine(in.Title)), c.newText(cleanLine(in.Subject))
	for _, section := range o.Sections {
		if err := c.addInput(section, section.Title); err != nil {
			return nil, err
		}
	}
	if in.Value != nil || len(o.Sections) == 0 {
		if err := c.addInput(in, ""); err != nil {
			return nil, err
		}
	}
	if err := c.splitTexts(o.Find); err != nil {
		return nil, err
	}
	return c.layout, nil
}

// addInput adds the value of an input, under a heading unless it is "".
func (c *composer) addInput(in form.Input, heading string) error {
	in.Reader = c.labels.Reader
	m, err := form.NewModel(c.ctx, in, c.limits.Limits)
	if err != nil {
		return err
	}
	depth := 0
	if heading != "" {
		c.addHeading(heading, 0)
		depth = 1
	}
	if err := c.addFields(m.Fields, depth); err != nil || len(m.Other) == 0 {
		return err
	}
	return c.addGroup(c.labels.Other, m.Other, depth)
}

func cmpOr(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// newText adds a text to the layout.
func (c *composer) newText(raw string) *text {
	t := &text{raw: raw}
	c.texts = append(c.texts, t)
	c.height += 1 + strings.Count(raw, "\n") + len(raw)/maxLine
	return t
}

// splitTexts splits all texts into parts, when the missing characters are known.
func (c *composer) splitTexts(find FindFunc) error {
	if c.height > c.limits.Lines {
		return &form.LimitError{What: "lines", Max: c.limits.Lines}
	}
	seen := map[string]bool{}
	for _, t := range c.texts {
		if !isASCII(t.raw) || strings.ContainsFunc(t.raw, isControl) {
			c.splitter.visitClusters(t.raw, func(cluster string) {
				if len(cluster) > 1 || cluster[0] < ' ' || cluster[0] == 0x7f {
					seen[cluster] = true
				}
			})
		}
	}
	delete(seen, "\n")
	missing, err := find(slices.Sorted(maps.Keys(seen)))
	if err != nil {
		return err
	}
	for _, cluster := range missing {
		c.missing[cluster] = true
	}
	for i, t := range c.texts {
		if t.raw == "" {
			continue
		}
		if i%64 == 0 && c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		for raw := range strings.SplitSeq(t.raw, "\n") {
			t.lines = append(t.lines, c.splitLine(raw))
		}
	}
	c.layout.Missing = slices.Sorted(maps.Keys(c.absent))
	c.layout.Note = c.labels.describeMissing(c.layout.Missing)
	return nil
}

func isControl(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f }

func (c *composer) addBlock(b block) { c.layout.Blocks = append(c.layout.Blocks, b) }

func (c *composer) addFields(fields []form.Field, depth int) error {
	for i := range fields {
		if err := c.addField(&fields[i], depth); err != nil {
			return err
		}
	}
	return c.ctx.Err()
}

func (c *composer) addField(f *form.Field, depth int) error {
	switch content := f.Content.(type) {
	case form.Group:
		return c.addGroup(f.Label, content, depth)
	case form.Records:
		return c.addRecords(f.Label, content, depth)
	case form.Files:
		r := row{Label: c.newText(cleanLine(f.Label))}
		for i := range content {
			file, err := c.addFile(&content[i])
			if err != nil {
				return err
			}
			r.Files = append(r.Files, file)
		}
		c.addRow(depth, r)
		return nil
	case form.Note:
		c.addBlock(block{Kind: "note", Depth: depth, Label: c.newText(cleanText(f.Label))})
		return nil
	case form.Text:
		c.addRow(depth, row{Label: c.newText(cleanLine(f.Label)), Value: c.newText(cleanText(string(content)))})
		return nil
	}
	return fmt.Errorf("a field of a form has the content %T", f.Content)
}

// addRow adds a row to the last block, or to a new one.
func (c *composer) addRow(depth int, r row) {
	if n := len(c.layout.Blocks); n > 0 && c.layout.Blocks[n-1].Kind == "fields" && c.layout.Blocks[n-1].Depth == depth {
		c.layout.Blocks[n-1].Rows = append(c.layout.Blocks[n-1].Rows, r)
		return
	}
	c.addBlock(block{Kind: "fields", Depth: depth, Rows: []row{r}})
}

// addHeading adds a heading, a dash without visible characters (PDF/UA-1).
func (c *composer) addHeading(label string, depth int) {
	label = cleanLine(label)
	if !strings.ContainsFunc(label, unicode.IsGraphic) {
		label = "—"
	}
	c.addBlock(block{Kind: "heading", Depth: depth, Label: c.newText(label)})
}

func (c *composer) addGroup(label string, fields []form.Field, depth int) error {
	c.addHeading(label, depth)
	return c.addFields(fields, depth+1)
}

// addFile adds a file with its image.
func (c *composer) addFile(f *form.File) (fileRow, error) {
	p, missing, err := c.loadPicture(f)
	if err != nil {
		return fileRow{}, err
	}
	about := f.Describe()
	if missing {
		about += " – " + c.labels.NotAvailable
	}
	r := fileRow{Text: c.newText(cleanLine(about))}
	if p != nil {
		r.Image, r.Alt = p.name, cmpOr(cleanLine(f.Name), c.labels.Image)
		r.Width, r.Height = p.fitSize(valueWidth, maxImageHeight)
	}
	return r, nil
}

// addRecords adds objects as a table if they fit into one, or one after the other.
func (c *composer) addRecords(label string, records form.Records, depth int) error {
	if t := newTable(records, bodyWidth-indentStep*float64(depth+1)); t != nil {
		c.addHeading(label, depth)
		b := block{Kind: "records", Depth: depth + 1, Widths: t.widths}
		for _, name := range t.columns {
			b.Columns = append(b.Columns, c.newText(name))
		}
		for _, cells := range t.cells {
			for i := range t.columns {
				cell := ""
				if i < len(cells) {
					cell = cells[i]
				}
				b.Cells = append(b.Cells, c.newText(cell))
			}
		}
		c.addBlock(b)
		return nil
	}
	c.addHeading(label, depth)
	for i, fields := range records {
		title := strings.NewReplacer("{number}", strconv.Itoa(i+1), "{count}", strconv.Itoa(len(records))).Replace(c.labels.Record)
		if err := c.addGroup(title, fields, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// textUnits returns the width of a text in units of a narrow letter.
func textUnits(text string) int {
	if isASCII(text) {
		return len(text)
	}
	n := 0
	for _, r := range text {
		if n++; r >= 0x1100 && utf8.RuneLen(r) > 2 {
			n++
		}
	}
	return n
}
