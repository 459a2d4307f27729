package assistance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// maxRetryAfter limits the Retry-After of a provider.
const maxRetryAfter = 24 * time.Hour

// statusOverloaded is the status of some providers that are overloaded.
const statusOverloaded = 529

// statusError returns the error of an answer with a status other than 200.
func (c *Client) statusError(response *http.Response, body []byte) error {
	e := &Error{Status: response.StatusCode}
	text := c.providerText(body)
	switch status := response.StatusCode; {
	case status == http.StatusTooManyRequests:
		e.Code, e.Message = CodeRateLimited, "the provider was too many requests"
	case status == http.StatusRequestTimeout || status == http.StatusGatewayTimeout:
		e.Code, e.Message = CodeTimeout, "the provider did not answer in time"
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		// The text of the provider may quote the key.
		e.Code, e.Message, text = CodeUnauthorized, "the provider does not accept the key", ""
	case status >= http.StatusInternalServerError && status != http.StatusNotImplemented || status == statusOverloaded:
		e.Code, e.Message = CodeUnavailable, fmt.Sprintf("the provider answered with status %d", status)
	case status >= 300 && status < 400:
		e.Code, e.Message, text = CodeRefused, "the provider redirects, which is not followed", ""
	default:
		e.Code, e.Message = CodeRefused, fmt.Sprintf("the provider refused the request with status %d", status)
	}
	if e.Retryable() {
		e.RetryAfter = c.retryAfter(response.Header)
	}
	if text != "" {
		e.Message += ": " + text
	}
	return e
}

// retryAfter parses Retry-After: seconds or a date (RFC 9110), or milliseconds in the header of some providers.
func (c *Client) retryAfter(header http.Header) time.Duration {
	if n, err := strconv.ParseFloat(header.Get("Retry-After-Ms"), 64); err == nil {
		return atMost(n / 1000)
	}
	text := strings.TrimSpace(header.Get("Retry-After"))
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return atMost(n)
	}
	if at, err := http.ParseTime(text); err == nil {
		return atMost(at.Sub(c.config.Clock()).Seconds())
	}
	return 0
}

func atMost(seconds float64) time.Duration {
	if !(seconds > 0) {
		return 0
	}
	return time.Duration(min(seconds, maxRetryAfter.Seconds()) * float64(time.Second))
}

// providerText returns the error text of a provider, in any of the common
// forms, shortened and without the key.
func (c *Client) providerText(body []byte) string {
	var object map[string]json.RawMessage
	if json.Unmarshal(body, &object) != nil {
		return ""
	}
	for _, name := range []string{"error", "message", "detail", "errors"} {
		if text := errorText(object[name], 4); text != "" {
			return c.sanitizeText(text)
		}
	}
	return ""
}

// errorText returns the text of an error: a string, the message of an object, or the first entry of a list.
func errorText(value json.RawMessage, depth int) string {
	var text string
	var object map[string]json.RawMessage
	var list []json.RawMessage
	switch {
	case len(value) == 0 || depth == 0:
	case json.Unmarshal(value, &text) == nil:
		return text
	case json.Unmarshal(value, &object) == nil:
		for _, name := range []string{"message", "msg", "detail", "error"} {
			if text := errorText(object[name], depth-1); text != "" {
				return text
			}
		}
	case json.Unmarshal(value, &list) == nil && len(list) > 0:
		return errorText(list[0], depth-1)
	}
	return ""
}

// sanitizeText returns a provider's text shortened and without the key.
func (c *Client) sanitizeText(text string) string {
	if key := c.config.Key.Reveal(); key != "" {
		text = strings.ReplaceAll(text, key, "[redacted]")
	}
	text = oneLine(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text))
	if runes := []rune(text); len(runes) > maxProviderText {
		text = string(runes[:maxProviderText]) + "…"
	}
	return text
}
