package ui_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/domain/resource"
)

func TestEveryKindHasAnIconAndAName(t *testing.T) {
	t.Parallel()
	for _, kind := range resource.Kinds() {
		require.NotEmpty(t, ui.KindIcon(kind), "console/ui/kind.go: %s", kind)
		require.NotEmpty(t, ui.KindName(t.Context(), kind), "console/ui/kind.go: %s", kind)
	}
}
