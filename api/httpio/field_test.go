package httpio_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/domain"
)

func TestFieldsLocate(t *testing.T) {
	t.Parallel()
	fields := httpio.Fields{
		domain.FieldElements: httpio.Body("/elementValues"), domain.FieldSort: httpio.Query("sort"),
	}
	for name, c := range map[string]struct{ given, located domain.Detail }{
		"a place within the value of a field": {
			domain.Detail{Field: domain.FieldElements, Location: "/CODE/0"},
			domain.Detail{Field: domain.FieldElements, Location: "/elementValues/CODE/0", LocationType: domain.LocationBody},
		},
		"a query parameter": {
			domain.Detail{Field: domain.FieldSort},
			domain.Detail{Field: domain.FieldSort, Location: "sort", LocationType: domain.LocationQuery},
		},
		"a field that the contract does not have": {
			domain.Detail{Field: domain.FieldTarget, Location: "/a"}, domain.Detail{Field: domain.FieldTarget},
		},
		"a detail that has its place": {
			domain.Detail{Location: "/a", LocationType: domain.LocationBody},
			domain.Detail{Location: "/a", LocationType: domain.LocationBody},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.located, fields.Locate(c.given))
		})
	}
}
