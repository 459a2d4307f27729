package app

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/procession-dev/procession/assistance"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// answerTime bounds the storing of an answer.
const answerTime = 10 * time.Second

// AskAssistanceModel executes the fourth step of a run: it asks the model and stores
// the answer. A run that has its answer does not ask again.
func (s *Service) AskAssistanceModel(ctx context.Context, key domain.AssistanceKey) error {
	if _, err := s.pendingRun(ctx, key); err != nil {
		return err
	}
	call, err := s.store.Reader.GetAssistanceCall(ctx, key)
	switch {
	case err != nil:
		return err
	case call == nil:
		return fmt.Errorf("asking a model for run %s: nothing was prepared", key.WorkflowID())
	case call.Answered:
		return nil
	}
	var request preparedRequest
	if err := json.Unmarshal(call.Request, &request); err != nil {
		return fmt.Errorf("reading a prompt: %w", err)
	}
	answer, err := s.assistant.provider.Complete(ctx, assistance.Request(request))
	if err != nil {
		return fmt.Errorf("asking a model: %w", err)
	}
	call.Text, call.Value = storableText(answer.Text), answer.Value
	call.Model, call.FinishReason = storableText(answer.Model), storableText(answer.FinishReason)
	// An answer that has arrived is stored, even when this attempt was
	// abandoned.
	storing, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
	defer cancel()
	return s.writeInternal(storing, func(tx *persistence.Tx) error {
		tx.AnswerAssistanceCall(call, s.now())
		return nil
	})
}
