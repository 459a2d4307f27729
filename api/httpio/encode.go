package httpio

import (
	"encoding/json"
	"io"
)

// EncodeJSON writes an answer. The text of JSON values is kept, apart from
// white space between their parts.
func EncodeJSON(w io.Writer, answer any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(answer)
}
