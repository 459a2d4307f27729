package webhook

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// MaxAnswer is the size, in bytes, at which the body of an answer is cut off.
const MaxAnswer = 20_000

// maxRetryAfter bounds the Retry-After header. It is longer than any delay and
// cannot overflow a duration.
const maxRetryAfter = 30 * 24 * time.Hour

// readAnswer reads the beginning of a body. A longer body costs the connection. A
// read error does not fail the attempt: the status has been received.
func readAnswer(response *http.Response) string {
	// After this status the connection no longer speaks HTTP.
	if response.StatusCode == http.StatusSwitchingProtocols {
		return ""
	}
	text, _ := io.ReadAll(io.LimitReader(response.Body, MaxAnswer+1)) // with the bytes before the error
	return plainText(text)
}

// plainText converts any bytes to text that can be stored and shown: UTF-8
// without NUL, at most MaxAnswer bytes.
func plainText(data []byte) string {
	const replacement = string(utf8.RuneError)
	if len(data) > MaxAnswer {
		data = data[:MaxAnswer]
		// A character that the limit cuts in two is dropped, not replaced.
		for i := 1; i < utf8.UTFMax && i <= len(data); i++ {
			if tail := data[len(data)-i:]; utf8.RuneStart(tail[0]) {
				if !utf8.FullRune(tail) {
					data = data[:len(data)-i]
				}
				break
			}
		}
	}
	text := strings.ReplaceAll(strings.ToValidUTF8(string(data), replacement), "\x00", replacement)
	if len(text) <= MaxAnswer {
		return text
	}
	// Replacement characters are longer than the invalid bytes.
	end := MaxAnswer
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// retryAfter parses the header Retry-After (RFC 9110, section 10.2.3): seconds or
// a date. It returns 0 for an invalid value and for the past.
func retryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if value != "" && strings.Trim(value, "0123456789") == "" {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > int64(maxRetryAfter/time.Second) {
			return maxRetryAfter
		}
		return time.Duration(seconds) * time.Second
	}
	date, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return min(max(date.Sub(now), 0), maxRetryAfter)
}
