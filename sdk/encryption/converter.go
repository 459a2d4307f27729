package encryption

import (
	"context"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"
)

// dataConverter encrypts payloads of workflows with a key. The embedded converter, which is used without a context, only
// decrypts.
type dataConverter struct {
	converter.DataConverter
	keys *Keys
}

var _ workflow.ContextAware = (*dataConverter)(nil)

// NewDataConverter returns the converter for a client with the Propagator, which passes the key to workers. It suspends
// the deadlock detector of workflows while it fetches a key.
func NewDataConverter(keys *Keys) converter.DataConverter {
	return workflow.DataConverterWithoutDeadlockDetection(&dataConverter{newConverter(keys, ""), keys})
}

// WithWorkflowContext implements workflow.ContextAware.
func (c *dataConverter) WithWorkflowContext(ctx workflow.Context) converter.DataConverter {
	return newConverter(c.keys, keyIDIn(ctx.Value(contextKey{})))
}

// WithContext implements workflow.ContextAware; activities have such contexts.
func (c *dataConverter) WithContext(ctx context.Context) converter.DataConverter {
	return newConverter(c.keys, keyIDIn(ctx.Value(contextKey{})))
}

func newConverter(keys *Keys, keyID string) converter.DataConverter {
	return converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), &codec{keys: keys, keyID: keyID})
}
