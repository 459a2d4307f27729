package httpio

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
)

// EntityTag is the strong entity tag of an answer with the body: equal bodies have
// equal tags.
func EntityTag(body any) (string, error) {
	var text bytes.Buffer
	if err := EncodeJSON(&text, body); err != nil {
		return "", fmt.Errorf("making an entity tag: %w", err)
	}
	return fmt.Sprintf(`"%x"`, sha256.Sum256(text.Bytes())), nil
}

// NoneMatch reports whether a client that sent the If-None-Match header, nil for
// none, needs the answer that the tag is of. The comparison is the weak one, as RFC
// 9110 has it for this header.
func NoneMatch(header *string, tag string) bool {
	if header == nil {
		return true
	}
	for one := range strings.SplitSeq(*header, ",") {
		if one = strings.TrimSpace(one); one == "*" || strings.TrimPrefix(one, "W/") == tag {
			return false
		}
	}
	return true
}
