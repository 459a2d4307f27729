package httpio_test

import (
	"net/http/httptest"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api/httpio"
)

func TestBindingReportsTheFirstInvalidParameterOnly(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"path": "/x?n=1", "query": "/0190163d-8694-739b-aea5-966c26f8ad91?n=x"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reports, bound := bind(t, path, "1")
			require.Len(t, reports, 1)
			require.ErrorContains(t, reports[0], "invalid format of parameter")
			require.False(t, bound)
		})
	}
	t.Run("header", func(t *testing.T) {
		t.Parallel()
		reports, bound := bind(t, "/0190163d-8694-739b-aea5-966c26f8ad91?n=1", "1", "2")
		require.Len(t, reports, 1)
		require.EqualError(t, reports[0], "X-Mark must be sent once, got 2 values")
		require.False(t, bound)
	})
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		reports, bound := bind(t, "/0190163d-8694-739b-aea5-966c26f8ad91?n=1", "1")
		require.Empty(t, reports)
		require.True(t, bound)
	})
}

// bind binds the path, a query parameter and a header of a request.
func bind(t *testing.T, target string, marks ...string) (reports []error, bound bool) {
	t.Helper()
	engine := gin.New()
	engine.GET("/:id", func(c *gin.Context) {
		b := httpio.Bind(c, func(_ *gin.Context, err error, _ int) { reports = append(reports, err) })
		var id uuid.UUID
		var n int
		var mark string
		b.Path("id", &id, "string", "uuid")
		b.Query("n", true, &n, "integer", "")
		b.Header("X-Mark", &mark, "string", "")
		bound = b.Bound()
	})
	r := httptest.NewRequestWithContext(t.Context(), "GET", target, nil)
	for _, mark := range marks {
		r.Header.Add("X-Mark", mark)
	}
	engine.ServeHTTP(httptest.NewRecorder(), r)
	return reports, bound
}
