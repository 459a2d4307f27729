package domain_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

func TestCountText(t *testing.T) {
	t.Parallel()
	for n, want := range []string{"0 processes", "1 process", "2 processes"} {
		require.Equal(t, want, domain.CountText(n, "process", "processes"))
	}
}
