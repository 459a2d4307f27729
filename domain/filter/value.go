package filter

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Type is the type as which the values of a field are compared.
type Type string

// The types of field.
const (
	String Type = "STRING"
	Number Type = "NUMBER"
	Date   Type = "DATE"
)

const (
	// maxNumber limits a number, in characters, and maxExponent its exponent. They are the limits of numbers in
	// documents that have a schema.
	maxNumber   = 1000
	maxExponent = 400
)

// Normalize returns a value in the form in which values of its type are stored
// and compared. Both writing and searching the index must use it. The message of
// an error continues a sentence that begins with the value.
//
//   - A STRING stays as it is. It cannot have a NUL character.
//   - A NUMBER stays as it is, digit for digit, as PostgreSQL's numeric reads it.
//     It is written as in JSON, in at most 1000 characters and with an exponent
//     within ±400.
//   - A DATE is a day, 2006-01-02, or a date and time of RFC 3339, from year 1 on.
//     It stays as it is except that letters become capitals.
func Normalize(t Type, value string) (string, error) {
	switch t {
	case String:
		if strings.ContainsRune(value, 0) {
			return "", errors.New("has a NUL character")
		}
		return value, nil
	case Number:
		return value, checkNumber(value)
	case Date:
		return dateOf(value)
	}
	return "", fmt.Errorf("has no known type, but %s", strconv.Quote(string(t)))
}

func dateOf(value string) (string, error) {
	// The T and the Z may be in lower case.
	normal := strings.ToUpper(value)
	layout := time.RFC3339
	if len(value) == len(time.DateOnly) {
		layout = time.DateOnly
	}
	parsed, err := time.Parse(layout, normal)
	if err != nil || parsed.Year() == 0 {
		return "", errors.New("is neither a date such as 2006-01-02 nor a date and time such as 2006-01-02T15:04:05Z")
	}
	return normal, nil
}

// Moment splits a DATE in its normal form into the day as written, whatever the offset, and the time in UTC to
// the microsecond, which is the beginning of the day if the value has no time.
//
// If one of two values is a day they are compared by their days: le a day includes all of it. Two dates with
// times are compared by these, and so is a day with an operand that has a time.
func Moment(normal string) (day string, at time.Time, timed bool) {
	day = normal[:min(len(normal), len(time.DateOnly))]
	timed = len(normal) > len(day)
	layout := time.DateOnly
	if timed {
		layout = time.RFC3339
	}
	parsed, err := time.Parse(layout, normal)
	if err != nil {
		return day, time.Time{}, false
	}
	return day, parsed.UTC().Truncate(time.Microsecond), timed
}

// checkNumber checks a number against the grammar of JSON (RFC 8259, section 6) and the limits.
func checkNumber(value string) error {
	if len(value) > maxNumber {
		return fmt.Errorf("is a number of more than %d characters", maxNumber)
	}
	mantissa, exponent, hasExponent := strings.Cut(strings.ToLower(value), "e")
	whole, fraction, hasFraction := strings.Cut(strings.TrimPrefix(mantissa, "-"), ".")
	sign := strings.TrimLeft(exponent, "+-")
	switch {
	case !isDigits(whole), len(whole) > 1 && whole[0] == '0', hasFraction && !isDigits(fraction),
		hasExponent && (!isDigits(sign) || len(exponent)-len(sign) > 1):
		return errors.New("is not a number such as -12.5 or 1e3")
	}
	if hasExponent {
		n, err := strconv.Atoi(exponent)
		if err != nil || n < -maxExponent || n > maxExponent {
			return fmt.Errorf("is a number with an exponent beyond ±%d", maxExponent)
		}
	}
	return nil
}

func isDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}
