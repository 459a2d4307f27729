package domain

import "strconv"

// CountText returns a number with its English noun: one for 1, many for other numbers.
func CountText(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
