package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api"
	"github.com/procession-dev/procession/devstack/demo"
)

func TestAdministrationApart(t *testing.T) {
	t.Parallel()
	main := newService(t, func(o *api.Options) { o.Part = api.WithoutAdministration })
	apart := newService(t, func(o *api.Options) { o.Part = api.Administration })
	for path, served := range map[string]struct{ main, apart int }{
		adminAPI + "/identity":                 {404, 200},
		"/openapi/admin.yaml":                  {404, 200},
		shapeB + "/tenants":                    {200, 404},
		shapeA + "/processes":                  {200, 404},
		"/openapi/shape_a.yaml":                {200, 404},
		"/openapi/shape_b.yaml":                {200, 404},
		"/.well-known/jwks.json":               {200, 404},
		"/schemas/procession/v1/resource.json": {200, 200},
	} {
		for s, want := range map[*service]int{main: served.main, apart: served.apart} {
			r := request(t, demo.Alice(), http.MethodGet, "/", "")
			r.URL.Path = path
			require.Equal(t, want, s.send(r).status, path)
		}
	}
}
