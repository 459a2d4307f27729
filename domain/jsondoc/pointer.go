package jsondoc

import (
	"slices"
	"strconv"
	"strings"
)

// tokens takes a JSON Pointer apart (RFC 6901, sections 3 and 4). It reports
// false for a text that is none. The whole document has no tokens.
func tokens(pointer string) ([]string, bool) {
	if pointer == "" {
		return nil, true
	}
	if pointer[0] != '/' {
		return nil, false
	}
	for i := range len(pointer) {
		if pointer[i] == '~' && (i+1 == len(pointer) || pointer[i+1] != '0' && pointer[i+1] != '1') {
			return nil, false
		}
	}
	found := strings.Split(pointer[1:], "/")
	for i, token := range found {
		// In this order: ~01 stands for ~1, not for a slash.
		found[i] = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
	}
	return found, true
}

// token writes a member name as a token of a JSON Pointer.
func token(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// index reads a token as the index of an array: decimal digits without leading
// zeros (RFC 6901, section 4). It reports false for every other token.
func index(token string) (int, bool) {
	if token == "" || len(token) > 1 && token[0] == '0' {
		return 0, false
	}
	for i := range len(token) {
		if token[i] < '0' || token[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.Atoi(token)
	return n, err == nil
}

// within reports whether path leads to a place inside from.
func within(path, from []string) bool {
	return len(path) > len(from) && slices.Equal(path[:len(from)], from)
}
