package shapea

import (
	"errors"
	"slices"

	"github.com/procession-dev/procession/domain"
)

// relocated is an error whose details name members as version 2022-10-08 does:
// places says where in a body of that version is what operations call by the
// pointer.
func relocated(err error, places map[string]string) error {
	var known *domain.Error
	if !errors.As(err, &known) {
		return err
	}
	translated := *known
	translated.Details = slices.Clone(known.Details)
	for i, detail := range translated.Details {
		if place, ok := places[detail.Location]; ok && detail.LocationType == domain.LocationBody {
			translated.Details[i].Location = place
		}
	}
	return &translated
}

// asNotFound is an error about a task. Items of other types do not exist here.
func asNotFound(err error) error {
	if errors.Is(err, domain.ErrNotTask) {
		return domain.NotFound("process item")
	}
	return err
}
