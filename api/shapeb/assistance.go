package shapeb

import (
	"context"

	"github.com/procession-dev/procession/api/httpio"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/domain"
)

// RetrieveProcessItemAiAssistance implements operation B24.
func (s *Server) RetrieveProcessItemAiAssistance(
	ctx context.Context, request oasb.RetrieveProcessItemAiAssistanceRequestObject,
) (oasb.RetrieveProcessItemAiAssistanceResponseObject, error) {
	run, err := s.app.RetrieveProcessItemAIAssistance(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	return oasb.RetrieveProcessItemAiAssistance200JSONResponse(s.convertAssistance(run)), nil
}

// GenerateProcessItemAiAssistance implements operation B25.
func (s *Server) GenerateProcessItemAiAssistance(
	ctx context.Context, request oasb.GenerateProcessItemAiAssistanceRequestObject,
) (oasb.GenerateProcessItemAiAssistanceResponseObject, error) {
	run, begun, err := s.app.GenerateProcessItemAIAssistance(ctx, s.call(ctx), request.ID, request.Body.RequestID)
	switch {
	case err != nil:
		return nil, err
	case begun:
		return oasb.GenerateProcessItemAiAssistance202JSONResponse(s.convertAssistance(run)), nil
	default:
		return oasb.GenerateProcessItemAiAssistance200JSONResponse(s.convertAssistance(run)), nil
	}
}

// convertAssistance shows a run with the members of its state.
func (s *Server) convertAssistance(run *domain.AssistanceRun) oasb.ProcessItemAiAssistance {
	answer := oasb.ProcessItemAiAssistance{
		RequestID: run.RequestID, State: oasb.ProcessItemAiAssistanceState(run.State), StartedAt: run.StartedAt.UTC(),
	}
	if run.FinishedAt != nil {
		answer.FinishedAt = new(run.FinishedAt.UTC())
	}
	switch run.State {
	case domain.AssistancePending:
		answer.EmbeddingPending = new(int32(run.EmbeddingPending))             //nolint:gosec // it is some thousands at most
		answer.EmbeddingProcessing = new(int32(run.EmbeddingProcessing))       //nolint:gosec // as above
		answer.RetryAfterSeconds = new(int32(s.app.RetryAssistanceAfter(run))) //nolint:gosec // it is at most 30
	case domain.AssistanceCompleted:
		answer.Model, answer.FinishReason = &run.Model, &run.FinishReason
		answer.Answer = &oasb.ProcessItemAiAssistanceAnswer{
			Type: oasb.ProcessItemAiAssistanceAnswerType(run.Answer), Text: run.Text, Value: run.Value,
			DraftedFields: run.Drafted,
		}
	case domain.AssistanceFailed:
		answer.ErrorCode, answer.ErrorMessage = &run.ErrorCode, httpio.PtrOrNil(run.ErrorMessage)
	}
	for _, d := range run.Documents {
		answer.Documents = append(answer.Documents, assistedDocument(d))
	}
	return answer
}

func assistedDocument(d domain.AssistedDocument) oasb.ProcessItemAiAssistanceDocument {
	answer := oasb.ProcessItemAiAssistanceDocument{Name: d.Name}
	if d.Truncated {
		answer.Truncated = &d.Truncated
	}
	if d.Problem != "" {
		answer.Problem = new(oasb.ProcessItemAiAssistanceDocumentProblem(d.Problem))
	}
	return answer
}
