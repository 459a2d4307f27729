package oasa

import (
	"io"

	"github.com/procession-dev/procession/api/httpio"
)

func encodeJSON(w io.Writer, answer any) error { return httpio.EncodeJSON(w, answer) }
