package pdftext

import "math"

// A matrix maps points: a b, c d, e f as in a PDF.
type matrix [6]float64

func identity() matrix { return matrix{1, 0, 0, 1, 0, 0} }

// times is the mapping by m and then by n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

func shift(x, y float64) matrix { return matrix{1, 0, 0, 1, x, y} }

// direction is where text runs, as a vector of length 1, and how much it is
// enlarged.
func (m matrix) direction() (x, y, scale float64) {
	length := math.Hypot(m[0], m[1])
	height := math.Hypot(m[2], m[3])
	if length == 0 || math.IsNaN(length) || math.IsInf(length, 0) {
		return 1, 0, height
	}
	return m[0] / length, m[1] / length, height
}
