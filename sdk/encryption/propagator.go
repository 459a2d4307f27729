package encryption

import (
	"context"
	"errors"
	"fmt"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"
)

// Headers of encrypted workflows and activities. Each contains a JSON string.
const (
	headerEncoding = "x-kuflow-encoding"
	headerKeyID    = "x-kuflow-encoding-encrypted-key-id"
)

// contextKey is the key of the key id in contexts.
type contextKey struct{}

func keyIDIn(value any) string {
	keyID, _ := value.(string)
	return keyID
}

// Propagator carries the id of the key from the header of a workflow to the headers of its activities, children and
// later runs.
type Propagator struct{}

var _ workflow.ContextPropagator = Propagator{}

// Inject implements workflow.ContextPropagator.
func (Propagator) Inject(ctx context.Context, to workflow.HeaderWriter) error {
	return writeKeyID(to, keyIDIn(ctx.Value(contextKey{})))
}

// InjectFromWorkflow implements workflow.ContextPropagator.
func (Propagator) InjectFromWorkflow(ctx workflow.Context, to workflow.HeaderWriter) error {
	return writeKeyID(to, keyIDIn(ctx.Value(contextKey{})))
}

// Extract implements workflow.ContextPropagator.
func (Propagator) Extract(ctx context.Context, from workflow.HeaderReader) (context.Context, error) {
	keyID, err := readKeyID(from)
	if err != nil || keyID == "" {
		return ctx, err
	}
	return context.WithValue(ctx, contextKey{}, keyID), nil
}

// ExtractToWorkflow implements workflow.ContextPropagator.
func (Propagator) ExtractToWorkflow(ctx workflow.Context, from workflow.HeaderReader) (workflow.Context, error) {
	keyID, err := readKeyID(from)
	if err != nil || keyID == "" {
		return ctx, err
	}
	return workflow.WithValue(ctx, contextKey{}, keyID), nil
}

func writeKeyID(to workflow.HeaderWriter, keyID string) error {
	if keyID == "" {
		return nil
	}
	for _, header := range [][2]string{{headerEncoding, encoding}, {headerKeyID, keyID}} {
		payload, err := converter.GetDefaultDataConverter().ToPayload(header[1])
		if err != nil {
			return fmt.Errorf("writing the header %s: %w", header[0], err)
		}
		to.Set(header[0], payload)
	}
	return nil
}

// readKeyID returns the id of the key, or "" without encryption. An unknown encoding is an error, because payloads would then
// be written unencrypted.
func readKeyID(from workflow.HeaderReader) (string, error) {
	values := map[string]string{}
	for _, name := range []string{headerEncoding, headerKeyID} {
		payload, ok := from.Get(name)
		if !ok {
			continue
		}
		var value string
		if err := converter.GetDefaultDataConverter().FromPayload(payload, &value); err != nil {
			return "", fmt.Errorf("reading the header %s: %w", name, err)
		}
		values[name] = value
	}
	switch values[headerEncoding] {
	case "":
		return "", nil
	case encoding:
		if values[headerKeyID] == "" {
			return "", errors.New("the header " + headerKeyID + " is missing")
		}
		return values[headerKeyID], nil
	default:
		return "", fmt.Errorf("the header %s names the unknown encoding %q", headerEncoding, values[headerEncoding])
	}
}
