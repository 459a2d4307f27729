package assistance_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/assistance"
)

func TestClosest(t *testing.T) {
	t.Parallel()
	vectors := [][]float32{{0, 1, 0, 0, 0}, {2, 0, 0, 0, 2}, {0, 0, 0, 0, 0}, {1, 0, 0, 0, 1}, {-1, 0, 0, 0, -1}}
	matches, err := assistance.Closest([]float32{3, 0, 0, 0, 3}, vectors, 9)
	require.NoError(t, err)
	require.Len(t, matches, 5)
	order := []int{1, 3, 0, 2, 4}
	for i, match := range matches {
		require.Equal(t, order[i], match.Index)
		require.InDelta(t, []float64{1, 1, 0, 0, -1}[i], match.Score, 1e-6)
	}
	matches, err = assistance.Closest([]float32{1, 0, 0, 0, 0}, vectors, 1)
	require.NoError(t, err)
	require.Len(t, matches, 1)
	matches, err = assistance.Closest([]float32{1}, nil, -1)
	require.NoError(t, err)
	require.Empty(t, matches)
	_, err = assistance.Closest([]float32{1}, vectors, 1)
	require.ErrorIs(t, err, assistance.ErrVector)
}

func TestVectorsAreStored(t *testing.T) {
	t.Parallel()
	vector := []float32{0, -1.5, 3.25e-20, math.MaxFloat32}
	again, err := assistance.DecodeVector(assistance.EncodeVector(vector))
	require.NoError(t, err)
	require.Equal(t, vector, again)
	_, err = assistance.DecodeVector([]byte{1, 2, 3})
	require.ErrorIs(t, err, assistance.ErrVector)
	_, err = assistance.DecodeVector(assistance.EncodeVector([]float32{float32(math.NaN())}))
	require.ErrorIs(t, err, assistance.ErrVector)
}

func BenchmarkClosest(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	vector := func() []float32 {
		v := make([]float32, 1536)
		for i := range v {
			v[i] = random.Float32() - 0.5
		}
		return v
	}
	vectors := make([][]float32, 2000)
	for i := range vectors {
		vectors[i] = vector()
	}
	query := vector()
	for b.Loop() {
		_, err := assistance.Closest(query, vectors, 8)
		require.NoError(b, err)
	}
}
