package encryption

import (
	"context"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"
)

// dataConverter encrypts what belongs to a workflow that has a key. The converter embedded in it, for whatever has no
// context, only decrypts.
type dataConverter struct {
	converter.DataConverter
	keys *Keys
}

var _ workflow.ContextAware = (*dataConverter)(nil)

// NewDataConverter returns the converter for a client whose workers get the key from the Propagator. Fetching a key
// may take longer than workflow code may, so the detector of stuck workflows does not look meanwhile.
func NewDataConverter(keys *Keys) converter.DataConverter {
	return workflow.DataConverterWithoutDeadlockDetection(&dataConverter{with(keys, ""), keys})
}

// WithWorkflowContext implements workflow.ContextAware.
func (c *dataConverter) WithWorkflowContext(ctx workflow.Context) converter.DataConverter {
	return with(c.keys, keyIDIn(ctx.Value(contextKey{})))
}

// WithContext implements workflow.ContextAware; activities have such contexts.
func (c *dataConverter) WithContext(ctx context.Context) converter.DataConverter {
	return with(c.keys, keyIDIn(ctx.Value(contextKey{})))
}

func with(keys *Keys, keyID string) converter.DataConverter {
	return converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), &codec{keys: keys, keyID: keyID})
}
