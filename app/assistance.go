package app

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/procession-dev/procession/assistance"
	"github.com/procession-dev/procession/assistance/extract"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// DefaultAssistanceTime is the default time limit of a run of AI assistance.
const DefaultAssistanceTime = 10 * time.Minute

const (
	// maxAssistedDocuments is how many documents a run reads, maxPassages how many
	// passages of each.
	maxAssistedDocuments = 10
	maxPassages          = 400
	// maxExcerpts is how many passages a model is shown.
	maxExcerpts = 8
	// maxQuery is how much of a prompt passages are chosen by, in bytes.
	maxQuery = 4000
)

// ErrAssistanceOver is returned when a run has ended or was replaced, so that
// its steps must stop.
var ErrAssistanceOver = errors.New("the run of assistance is over")

// assistant contains the dependencies of runs of assistance.
type assistant struct {
	provider assistance.Provider
	texts    *extract.Reader
}

func newAssistant(provider assistance.Provider, texts *extract.Reader) *assistant {
	if provider == nil {
		return nil
	}
	if texts == nil {
		texts = extract.NewReader(extract.Options{})
	}
	return &assistant{provider: provider, texts: texts}
}

func assistanceDisabled() error {
	return domain.Conflict(domain.CodeFeatureDisabled, "AI assistance is not available for this process item")
}

// embeddingSpace returns where the embeddings of a run can be compared.
func (s *Service) embeddingSpace(run *domain.AssistanceRun) persistence.EmbeddingSpace {
	return persistence.EmbeddingSpace{TenantID: run.TenantID, Model: s.assistant.provider.EmbeddingModel()}
}

// pendingRun returns an unfinished run, or ErrAssistanceOver.
func (s *Service) pendingRun(ctx context.Context, key domain.AssistanceKey) (*domain.AssistanceRun, error) {
	if s.assistant == nil {
		return nil, assistanceDisabled()
	}
	run, err := s.store.Reader.GetAssistanceRun(ctx, key)
	if err != nil {
		return nil, overIfGone(err)
	}
	if run.State != domain.AssistancePending {
		return nil, ErrAssistanceOver
	}
	return run, nil
}

// assisted is the item of an unfinished run, and its definition.
type assisted struct {
	*persistence.AssistedItem
	spec *domain.Assistance
}

// assistedItem returns the item of an unfinished run, or ErrAssistanceOver.
func (s *Service) assistedItem(ctx context.Context, key domain.AssistanceKey) (*assisted, error) {
	if s.assistant == nil {
		return nil, assistanceDisabled()
	}
	var found assisted
	err := s.write(ctx, domain.Call{}, func(tx *persistence.Tx) (domain.Events, error) {
		var err error
		if found.AssistedItem, err = tx.GetAssistedItem(ctx, key); err != nil {
			return nil, overIfGone(err)
		}
		if found.Run.State != domain.AssistancePending {
			return nil, ErrAssistanceOver
		}
		d, err := s.definitions.get(ctx, tx, found.ProcessVersion)
		if err != nil {
			return nil, err
		}
		if item, ok := d.items[found.Item.DefinitionCode()]; ok {
			found.spec = item.Spec.Assistance
		}
		return nil, nil
	})
	if err == nil && found.spec == nil {
		err = assistanceDisabled()
	}
	return &found, err
}

func overIfGone(err error) error {
	if domain.HasCode(err, domain.CodeNotFound) {
		return ErrAssistanceOver
	}
	return err
}

// contentsOf returns the contents that a run chooses passages from.
func contentsOf(run *domain.AssistanceRun) [][]byte {
	var contents [][]byte
	for _, d := range run.Documents {
		if d.Problem == "" {
			contents = append(contents, d.SHA256)
		}
	}
	return contents
}

// storableText returns a text as the database takes it.
func storableText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", " ")
}

// AssistanceFault returns the code and the message of a failure that the
// provider or the configuration caused. The code is "" for every other error.
func AssistanceFault(err error) (code, message string) {
	var fault *assistance.Error
	switch {
	case errors.As(err, &fault):
		return string(fault.Code), storableText(fault.Message)
	case domain.HasCode(err, domain.CodeFeatureDisabled):
		return domain.AssistanceDisabled, "AI assistance is not available any more"
	}
	return "", ""
}

// NoteAssistanceFault stores the fault of an attempt at a step, which is shown
// if the run fails for that reason.
func (s *Service) NoteAssistanceFault(ctx context.Context, key domain.AssistanceKey, code, message string) error {
	return s.writeInternal(ctx, func(tx *persistence.Tx) error {
		tx.NoteAssistanceFault(key, code, message)
		return nil
	})
}
