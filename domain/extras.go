package domain

import (
	"encoding/json"
	"fmt"
)

// maxExtras is the maximum size of the extras of a process, in bytes.
const maxExtras = 65_536

// CheckExtras refuses extras, a JSON object or nil, that are too large, or for which there is no workflow.
func CheckExtras(extras json.RawMessage, workflow bool) error {
	switch {
	case len(extras) == 0:
		return nil
	case !workflow:
		return InvalidField(FieldExtras, "cannot be given: no workflow runs processes of this definition")
	case len(extras) > maxExtras:
		return InvalidField(FieldExtras, fmt.Sprintf("must have at most %d bytes", maxExtras))
	}
	return nil
}
