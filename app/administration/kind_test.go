package administration

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/resource"
)

func TestEveryKindHasAHandler(t *testing.T) {
	t.Parallel()
	handlers := kindHandlers()
	for _, kind := range resource.Kinds() {
		require.Contains(t, handlers, kind, "app/administration/kind.go")
		delete(handlers, kind)
	}
	require.Empty(t, handlers)
}
