package httpio

import (
	"log/slog"
	"time"

	"github.com/gin-gonic/gin"
)

// AccessLog writes one line per request: method, route, status, duration and
// request id. The route is the pattern, never the path, so neither ids nor
// query values nor headers are logged.
func AccessLog(log *slog.Logger, clock func() time.Time) gin.HandlerFunc {
	return func(c *gin.Context) {
		start := clock()
		c.Next()
		level := slog.LevelInfo
		if c.Writer.Status() >= 500 {
			level = slog.LevelWarn
		}
		ctx := c.Request.Context()
		log.LogAttrs(ctx, level, "request",
			slog.String("method", MethodLabel(c.Request)),
			slog.String("route", routeName(c)),
			slog.Int("status", c.Writer.Status()),
			slog.Duration("duration", clock().Sub(start)),
			slog.String("request_id", RequestIDFrom(ctx)),
		)
	}
}

func routeName(c *gin.Context) string {
	if route := c.FullPath(); route != "" {
		return route
	}
	return "unmatched"
}
