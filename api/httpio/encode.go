package httpio

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
)

// EncodeJSON writes an answer. The text of JSON values is unchanged, apart from
// white space between tokens.
func EncodeJSON(w io.Writer, answer any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(answer)
}

// WriteJSON encodes a response and writes it with its header. If encoding fails, it
// returns the error without writing.
func WriteJSON(w http.ResponseWriter, status int, answer any) error {
	var body bytes.Buffer
	if err := EncodeJSON(&body, answer); err != nil {
		return err
	}
	w.Header().Set("Content-Type", mediaJSON)
	w.WriteHeader(status)
	_, err := body.WriteTo(w)
	return err
}
