package audit

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

func TestEveryEventHasASentence(t *testing.T) {
	t.Parallel()
	texts := sentences()
	for _, eventType := range domain.EventTypes() {
		require.Contains(t, texts, eventType, "console/audit/sentence.go")
		delete(texts, eventType)
	}
	require.Empty(t, texts)
	for _, kind := range resource.Kinds() {
		require.Contains(t, resourceTexts(), kind, "console/audit/sentence.go")
	}
}
