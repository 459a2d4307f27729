package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

func TestAdministrationApart(t *testing.T) {
	t.Parallel()
	main := apitest.NewService(t, func(o *api.Options) { o.Part = api.WithoutAdministration })
	apart := apitest.NewService(t, func(o *api.Options) { o.Part = api.Administration })
	for path, served := range map[string]struct{ main, apart int }{
		apitest.AdminAPI + "/identity":         {404, 200},
		"/openapi/admin.yaml":                  {404, 200},
		apitest.ShapeB + "/tenants":            {200, 404},
		apitest.ShapeA + "/processes":          {200, 404},
		"/openapi/shape_a.yaml":                {200, 404},
		"/openapi/shape_b.yaml":                {200, 404},
		"/openapi/admin.json":                  {404, 200},
		"/openapi/shape_a.json":                {200, 404},
		"/openapi/shape_b.json":                {200, 404},
		"/openapi":                             {200, 200},
		"/.well-known/jwks.json":               {200, 404},
		"/schemas/procession/v1/resource.json": {200, 200},
	} {
		for s, want := range map[*apitest.Service]int{main: served.main, apart: served.apart} {
			r := apitest.Request(t, demo.Alice(), http.MethodGet, "/", "")
			r.URL.Path = path
			require.Equal(t, want, s.Send(r).Status, path)
		}
	}
}
