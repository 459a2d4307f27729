package shapea

import (
	"errors"

	"github.com/procession-dev/procession/domain"
)

// asNotFound returns an error about a task. Items of other types do not exist here.
func asNotFound(err error) error {
	if errors.Is(err, domain.ErrNotTask) {
		return domain.NotFound("process item")
	}
	return err
}
