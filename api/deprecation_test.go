package api_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/internal/testkit/contracttest"
)

const successor = `</openapi/shape_b.yaml>; rel="successor-version"`

// fate returns the headers of an answer about the deprecation of its contract.
func (a answer) fate() [3][]string {
	return [3][]string{a.header.Values("Deprecation"), a.header.Values("Sunset"), a.header.Values("Link")}
}

func TestShapeAIsDeprecated(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", 2*60*60)
	since := time.Date(2026, time.July, 1, 2, 0, 0, 0, zone)
	sunset := time.Date(2027, time.July, 1, 2, 0, 0, 0, zone)
	for name, c := range map[string]struct {
		deprecation api.Deprecation
		want        [3][]string
	}{
		"undecided": {api.Deprecation{}, [3][]string{nil, nil, {successor}}},
		"no end":    {api.Deprecation{Since: since}, [3][]string{{"@1782864000"}, nil, {successor}}},
		"only end":  {api.Deprecation{Sunset: sunset}, [3][]string{nil, {"Thu, 01 Jul 2027 00:00:00 GMT"}, {successor}}},
		"decided": {
			api.Deprecation{Since: since, Sunset: sunset},
			[3][]string{{"@1782864000"}, {"Thu, 01 Jul 2027 00:00:00 GMT"}, {successor}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newService(t, func(o *api.Options) { o.Deprecation = c.deprecation })
			anonymous := request(t, demo.Bob(), http.MethodGet, shapeA+"/principals", "")
			anonymous.Header.Del("Authorization")
			for status, got := range map[int]answer{
				200: s.get(200, demo.Bob(), shapeA+"/principals"),
				400: s.send(contracttest.Invalid(request(t, demo.Bob(), http.MethodGet, shapeA+"/principals?size=-1", ""))),
				401: s.send(anonymous),
				404: s.get(404, demo.OtherWorker(), shapeA+"/principals/"+demo.Bob().ID.String()),
			} {
				require.Equal(t, status, got.status)
				require.Equal(t, c.want, got.fate(), status)
			}
			head := s.call(200, demo.Bob(), http.MethodHead, shapeA+"/tenant-users", "")
			require.Equal(t, c.want, head.fate())
			require.Equal(t, [3][]string{}, s.get(200, demo.Bob(), shapeB+"/principals").fate())
			require.Equal(t, [3][]string{}, s.public(http.MethodGet, "/openapi/shape_a.yaml").fate())
			require.Equal(t, 200, s.public(http.MethodGet, "/openapi/shape_b.yaml").status, "where Link leads")
		})
	}
}

func TestNoContractEndsBeforeItIsDeprecated(t *testing.T) {
	t.Parallel()
	since := time.Date(2026, time.July, 1, 0, 0, 0, 0, time.UTC)
	_, err := api.NewRouter(api.Options{Deprecation: api.Deprecation{Since: since, Sunset: since.Add(-time.Second)}})
	require.ErrorContains(t, err, "cannot end before it is deprecated")
}
