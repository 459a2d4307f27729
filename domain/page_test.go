package domain_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

func TestTotalPages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		size  int
		total int64
		want  int
	}{
		{0, 0, 0},
		{0, 7, 0},
		{10, 0, 0},
		{10, 1, 1},
		{10, 10, 1},
		{10, 11, 2},
		{1, 3, 3},
		{1000, 2_000_000_001, 2_000_001},
		{1, math.MaxInt64, math.MaxInt64},
	} {
		page := domain.Page[string]{PageRequest: domain.PageRequest{Size: c.size}, Total: c.total}
		require.Equal(t, c.want, page.TotalPages(), "%d of %d", c.size, c.total)
	}
}
