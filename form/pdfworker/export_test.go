package pdfworker

import "context"

// RenderRaw returns the first form of a job as Typst writes it.
func (p *Pool) RenderRaw(ctx context.Context, job Job) ([]byte, error) {
	sheets, _, err := p.makeSheets(ctx, job, nil)
	if err != nil {
		return nil, err
	}
	sheets[0].complex = false
	documents, err := p.typeset(ctx, sheets[:1], job.Created)
	if err != nil {
		return nil, err
	}
	return documents[0], nil
}
