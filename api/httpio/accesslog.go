package httpio

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
)

// AccessLog writes one line per request: method, route, status, duration, request
// id, and who asked, which callerAttrs adds once the request has been handled. The
// route is the pattern, never the path, so neither ids of resources nor query
// values nor headers are logged.
func AccessLog(log *slog.Logger, clock func() time.Time, callerAttrs func(*http.Request) []slog.Attr) gin.HandlerFunc {
	if callerAttrs == nil {
		callerAttrs = func(*http.Request) []slog.Attr { return nil }
	}
	return func(c *gin.Context) {
		start := clock()
		c.Next()
		level := slog.LevelInfo
		if c.Writer.Status() >= 500 {
			level = slog.LevelWarn
		}
		ctx := c.Request.Context()
		log.LogAttrs(ctx, level, "request", append([]slog.Attr{
			slog.String("method", MethodLabel(c.Request)),
			slog.String("route", routeName(c)),
			slog.Int("status", c.Writer.Status()),
			slog.Duration("duration", clock().Sub(start)),
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
