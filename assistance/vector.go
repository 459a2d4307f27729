package assistance

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// ErrVector is returned for a vector that cannot be compared or decoded.
var ErrVector = errors.New("the embedding is not a vector of the expected size")

// Match is a vector near a query.
type Match struct {
	// Index is its index in the list.
	Index int
	// Score is the cosine of the angle to the query, -1 to 1; 0 for a zero vector.
	Score float64
}

// Closest returns the vectors nearest to a query, the nearest first, equal ones in their order. It returns ErrVector
// if the lengths differ.
func Closest(query []float32, vectors [][]float32, most int) ([]Match, error) {
	length := math.Sqrt(float64(dotProduct(query, query)))
	matches := make([]Match, len(vectors))
	for i, vector := range vectors {
		if len(vector) != len(query) {
			return nil, fmt.Errorf("vector %d of %d: %w", i+1, len(vectors), ErrVector)
		}
		matches[i] = Match{Index: i}
		if product := length * math.Sqrt(float64(dotProduct(vector, vector))); product > 0 {
			matches[i].Score = float64(dotProduct(query, vector)) / product
		}
	}
	slices.SortStableFunc(matches, func(a, b Match) int { return cmp.Compare(b.Score, a.Score) })
	return matches[:min(max(most, 0), len(matches))], nil
}

// dotProduct multiplies vectors of equal length.
func dotProduct(a, b []float32) float32 {
	var sum float32
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

// EncodeVector encodes a vector for storage, four bytes for each number.
func EncodeVector(vector []float32) []byte {
	data := make([]byte, 0, 4*len(vector))
	for _, x := range vector {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	return data
}

// DecodeVector decodes the output of EncodeVector, or returns ErrVector.
func DecodeVector(data []byte) ([]float32, error) {
	if len(data)%4 != 0 {
		return nil, fmt.Errorf("reading %d bytes: %w", len(data), ErrVector)
	}
	vector := make([]float32, len(data)/4)
	for i := range vector {
		vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		if !isFinite(vector[i]) {
			return nil, fmt.Errorf("reading number %d: %w", i, ErrVector)
		}
	}
	return vector, nil
}

func isFinite(x float32) bool { return !math.IsNaN(float64(x)) && !math.IsInf(float64(x), 0) }
