package jsontext

import (
	"strconv"
	"strings"
)

// SplitPointer returns the reference tokens of a JSON Pointer, with their escapes resolved. It returns false for
// a text that is not a JSON Pointer. The pointer to the whole document has no tokens.
func SplitPointer(pointer string) ([]string, bool) {
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

// JoinPointer returns the JSON Pointer of the tokens.
func JoinPointer(tokens ...string) string {
	var pointer strings.Builder
	for _, token := range tokens {
		pointer.WriteByte('/')
		pointer.WriteString(EscapeToken(token))
	}
	return pointer.String()
}

// EscapeToken returns a member name as a reference token of a JSON Pointer.
func EscapeToken(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// Index parses a reference token as the index of an array: decimal digits without leading zeros. It returns
// false for every other token.
func Index(token string) (int, bool) {
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
