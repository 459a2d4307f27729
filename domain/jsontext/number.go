package jsontext

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	// maxNumber and maxExponent limit the numbers used in arithmetic, in characters and in their exponent:
	// beyond them arbitrary-precision arithmetic takes seconds or panics.
	maxNumber   = 1000
	maxExponent = 400
)

// ErrNumber is the reason for a number that Computable refuses.
var ErrNumber = fmt.Errorf("is a number of more than %d characters or with an exponent beyond ±%d", maxNumber, maxExponent)

// Computable reports whether arithmetic on a number is safe.
func Computable(number string) bool {
	_, exponent, found := strings.Cut(strings.ToLower(number), "e")
	if !found {
		exponent = "0"
	}
	n, err := strconv.Atoi(exponent)
	return err == nil && -maxExponent <= n && n <= maxExponent && len(number) <= maxNumber
}
