package audit

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

func TestEveryEventHasASentence(t *testing.T) {
	t.Parallel()
	texts := sentenceTexts()
	for _, eventType := range domain.EventTypes() {
		require.Contains(t, texts, eventType, "console/audit/sentence.go")
		delete(texts, eventType)
	}
	require.Empty(t, texts)
}
