package oasb

import (
	"encoding/json"
	"io"
)

// encodeJSON writes an answer. The text of JSON values is kept, apart from
// white space between their parts.
func encodeJSON(w io.Writer, answer any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(answer)
}
