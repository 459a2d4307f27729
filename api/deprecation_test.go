package api_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

const successor = `</openapi/shape_b.yaml>; rel="successor-version"`

// deprecationHeaders returns the headers of an answer about the deprecation of its contract.
func deprecationHeaders(a apitest.Answer) [3][]string {
	return [3][]string{a.Header.Values("Deprecation"), a.Header.Values("Sunset"), a.Header.Values("Link")}
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
			s := apitest.NewService(t, func(o *api.Options) { o.Deprecation = c.deprecation })
			anonymous := apitest.Request(t, demo.Bob(), http.MethodGet, apitest.ShapeA+"/principals", "")
			anonymous.Header.Del("Authorization")
			for status, got := range map[int]apitest.Answer{
				200: s.Get(200, demo.Bob(), apitest.ShapeA+"/principals"),
				400: s.Send(contracttest.Invalid(apitest.Request(t, demo.Bob(), http.MethodGet, apitest.ShapeA+"/principals?size=-1", ""))),
				401: s.Send(anonymous),
				404: s.Get(404, demo.OtherWorker(), apitest.ShapeA+"/principals/"+demo.Bob().ID.String()),
			} {
				require.Equal(t, status, got.Status)
				require.Equal(t, c.want, deprecationHeaders(got), status)
			}
			head := s.Call(200, demo.Bob(), http.MethodHead, apitest.ShapeA+"/tenant-users", "")
			require.Equal(t, c.want, deprecationHeaders(head))
			require.Equal(t, [3][]string{}, deprecationHeaders(s.Get(200, demo.Bob(), apitest.ShapeB+"/principals")))
			require.Equal(t, [3][]string{}, deprecationHeaders(public(s, http.MethodGet, "/openapi/shape_a.yaml")))
			require.Equal(t, 200, public(s, http.MethodGet, "/openapi/shape_b.yaml").Status, "where Link leads")
		})
	}
}

func TestNoContractEndsBeforeItIsDeprecated(t *testing.T) {
	t.Parallel()
	since := time.Date(2026, time.July, 1, 0, 0, 0, 0, time.UTC)
	_, err := api.NewRouter(api.Options{Deprecation: api.Deprecation{Since: since, Sunset: since.Add(-time.Second)}})
	require.ErrorContains(t, err, "cannot end before it is deprecated")
}
