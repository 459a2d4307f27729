package persistence

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/resource"
)

func TestKindOrderIsThatOfTheDefinitions(t *testing.T) {
	t.Parallel()
	var names []string
	for _, kind := range resource.Kinds() {
		names = append(names, "'"+string(kind)+"'")
	}
	require.Equal(t, "array_position(ARRAY["+strings.Join(names, ", ")+"], r.kind)", strings.Join(strings.Fields(kindOrder), " "))
}
