package httpio_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api/chain"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/domain"
)

func fixedClock() time.Time { return time.Date(2024, 6, 14, 10, 0, 0, 0, time.UTC) }

// answerTo answers err on a route and returns the answer and the log.
func answerTo(t *testing.T, err error) (*httptest.ResponseRecorder, string) {
	t.Helper()
	var logged bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&logged, nil))
	errs := httpio.NewErrorWriter(log, fixedClock)
	engine := httpio.NewEngine(errs)
	engine.GET("/fail", func(c *gin.Context) { errs.Write(c, err) })
	recorder := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/fail?secret=hunter2", nil)
	r.Header.Set(httpio.RequestIDHeader, "req-1")
	chain.New(chain.Options{Log: log, Clock: fixedClock}).Handler(engine).ServeHTTP(recorder, r)
	return recorder, logged.String()
}

func TestEveryKindHasItsStatus(t *testing.T) {
	t.Parallel()
	for kind, status := range map[domain.Kind]int{
		domain.KindInvalid: 400, domain.KindUnauthenticated: 401, domain.KindDenied: 403, domain.KindNotFound: 404,
		domain.KindConflict: 409, domain.KindPrecondition: 412, domain.KindTooLarge: 413, domain.KindUnsupportedMedia: 415,
		domain.KindRateLimited: 429, domain.KindUnavailable: 503, domain.KindInternal: 500,
	} {
		failure := &domain.Error{Kind: kind, Code: domain.CodeConflict, Message: "message", Cause: errors.New("cause")}
		answer, _ := answerTo(t, fmt.Errorf("doing something: %w", failure))
		require.Equal(t, status, answer.Code, kind)
		require.NotContains(t, answer.Body.String(), "cause")
		var body struct {
			Timestamp time.Time
			Status    int
			Message   string
			Errors    []struct{ Code string }
		}
		require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &body))
		require.Equal(t, status, body.Status)
		require.Equal(t, fixedClock(), body.Timestamp)
		require.Len(t, body.Errors, 1)
		require.Equal(t, status == 401, len(answer.Header().Values("WWW-Authenticate")) == 2)
		require.Equal(t, status == 429 || status == 503, answer.Header().Get("Retry-After") != "")
	}
}

func TestUnknownErrorIsHiddenAndLogged(t *testing.T) {
	t.Parallel()
	answer, logged := answerTo(t, errors.New("relation process_x does not exist"))
	require.Equal(t, http.StatusInternalServerError, answer.Code)
	require.NotContains(t, answer.Body.String(), "process_x")
	require.Contains(t, logged, "process_x")
	require.Contains(t, logged, "req-1")
	require.NotContains(t, logged, "hunter2")
	require.Equal(t, "no-store", answer.Header().Get("Cache-Control"))
	require.Equal(t, "nosniff", answer.Header().Get("X-Content-Type-Options"))
}

func TestTimeoutIsUnavailable(t *testing.T) {
	t.Parallel()
	answer, _ := answerTo(t, fmt.Errorf("asking: %w", context.DeadlineExceeded))
	require.Equal(t, http.StatusServiceUnavailable, answer.Code)
}

func TestDetailsAreListed(t *testing.T) {
	t.Parallel()
	answer, _ := answerTo(t, domain.InvalidBody("/a/b", "is wrong"))
	require.JSONEq(t, `{"timestamp":"2024-06-14T10:00:00Z","status":400,"message":"the request is not valid","errors":[
		{"code":"VALIDATION","message":"is wrong","location":"/a/b","locationType":"body"}]}`, answer.Body.String())
}
