package pdfworker

import "context"

// LimitMemory sets the memory of a typesetter in bytes.
func (p *Pool) LimitMemory(most int64) { p.memory, p.largeMemory = most, most }

// RenderRaw returns the first form of a job as Typst writes it.
func (p *Pool) RenderRaw(ctx context.Context, job Job) ([]byte, error) {
	layouts, _, err := p.composeLayouts(ctx, job, nil)
	if err != nil {
		return nil, err
	}
	layouts[0].complex = false
	documents, err := p.typeset(ctx, layouts[:1], job.Created)
	if err != nil {
		return nil, err
	}
	return documents[0], nil
}
