package processiontest

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/encryption"
	"github.com/procession-dev/procession/sdk/rest"
)

// useEncryption configures a run to encrypt its payloads, as for a definition with an encryptionKey.
func (s *Service) useEncryption(e *engine, w *procession.Worker) {
	key := s.options.EncryptionKey
	keys := encryption.NewKeys(time.Now, w.Client().EncryptionKey) //nolint:forbidigo // keys are kept for an hour
	e.SetDataConverter(recording{encryption.NewDataConverter(keys), &s.payloads})
	e.SetContextPropagators([]workflow.ContextPropagator{encryption.Propagator{}})
	header := &commonpb.Header{Fields: map[string]*commonpb.Payload{}}
	for name, value := range map[string]string{
		"x-kuflow-encoding": "binary/encrypted?vendor=KuFlow", "x-kuflow-encoding-encrypted-key-id": key,
	} {
		payload, err := converter.GetDefaultDataConverter().ToPayload(value)
		if err != nil {
			panic(err)
		}
		header.Fields[name] = payload
	}
	e.SetHeader(header)
}

func (s *Service) retrieveKey(r *http.Request) answer {
	if r.PathValue("id") != s.options.EncryptionKey {
		return notFound()
	}
	return okAnswer(rest.KmsKey{ID: s.options.EncryptionKey, Value: bytes.Repeat([]byte{7}, 32)})
}

// payloads collects the payloads that Temporal would store.
type payloads struct {
	mu  sync.Mutex
	all []string
}

// Payloads returns the payloads that Temporal would store of workflows with an EncryptionKey: arguments and results of
// workflows and activities.
func (s *Service) Payloads() []string {
	s.payloads.mu.Lock()
	defer s.payloads.mu.Unlock()
	return slices.Clone(s.payloads.all)
}

// recording is a converter that records encoded payloads.
type recording struct {
	converter.DataConverter

	seen *payloads
}

// ToPayload implements converter.DataConverter.
func (r recording) ToPayload(value any) (*commonpb.Payload, error) {
	payload, err := r.DataConverter.ToPayload(value)
	r.recordPayloads(payload)
	return payload, err
}

// ToPayloads implements converter.DataConverter.
func (r recording) ToPayloads(values ...any) (*commonpb.Payloads, error) {
	encoded, err := r.DataConverter.ToPayloads(values...)
	r.recordPayloads(encoded.GetPayloads()...)
	return encoded, err
}

func (r recording) recordPayloads(encoded ...*commonpb.Payload) {
	r.seen.mu.Lock()
	defer r.seen.mu.Unlock()
	for _, payload := range encoded {
		r.seen.all = append(r.seen.all, string(payload.GetData()))
	}
}

// WithWorkflowContext implements workflow.ContextAware.
func (r recording) WithWorkflowContext(ctx workflow.Context) converter.DataConverter {
	return recording{r.contextConverter().WithWorkflowContext(ctx), r.seen}
}

// WithContext implements workflow.ContextAware.
func (r recording) WithContext(ctx context.Context) converter.DataConverter {
	return recording{r.contextConverter().WithContext(ctx), r.seen}
}

func (r recording) contextConverter() workflow.ContextAware {
	return r.DataConverter.(workflow.ContextAware) //nolint:forcetypeassert,errcheck // that of package encryption is
}
