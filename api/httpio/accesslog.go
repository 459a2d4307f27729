package httpio

import (
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
)

// polledPrefix is where documents are published that other programs fetch again and again.
const polledPrefix = "/.well-known/"

// AccessLog writes one line per request: method, route, status, duration in milliseconds, request id, and who asked,
// which callerAttrs adds once the request has been handled. The
// route is the pattern, never the path, so neither ids of resources nor query
// values nor headers are logged. Polls of published documents that succeed are logged at DEBUG.
func AccessLog(log *slog.Logger, clock func() time.Time, callerAttrs func(*http.Request) []slog.Attr) gin.HandlerFunc {
	if callerAttrs == nil {
		callerAttrs = func(*http.Request) []slog.Attr { return nil }
	}
	return func(c *gin.Context) {
		start := clock()
		c.Next()
		level := slog.LevelInfo
		switch status := c.Writer.Status(); {
		case status >= 500:
			level = slog.LevelWarn
		case status < 400 && strings.HasPrefix(c.FullPath(), polledPrefix):
			level = slog.LevelDebug
		}
		ctx := c.Request.Context()
		log.LogAttrs(ctx, level, "request", append([]slog.Attr{
			slog.String("method", MethodLabel(c.Request)),
			slog.String("route", routeName(c)),
			slog.Int("status", c.Writer.Status()),
			slog.Float64("duration_ms", float64(clock().Sub(start).Microseconds())/1000),
			slog.String("request_id", RequestIDFrom(ctx)),
		}, callerAttrs(c.Request)...)...)
	}
}

func routeName(c *gin.Context) string {
	if route := c.FullPath(); route != "" {
		return route
	}
	return "unmatched"
}
