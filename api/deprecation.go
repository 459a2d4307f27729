package api

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
)

// Deprecation is the time since which a contract is deprecated, and the time
// until which it is served at least. A zero time is undecided.
type Deprecation struct {
	Since  time.Time
	Sunset time.Time
}

var errSunset = errors.New("a contract cannot end before it is deprecated")

// checkDates refuses values that RFC 9745 section 4 forbids.
func (d Deprecation) checkDates() error {
	if !d.Sunset.IsZero() && d.Sunset.Before(d.Since) {
		return errSunset
	}
	return nil
}

// newDeprecation adds to every answer, refusals included, the dates of the
// deprecation and a link to the document of the successor: Deprecation (RFC
// 9745), Sunset (RFC 8594) and Link (RFC 8288).
func newDeprecation(d Deprecation, successor string) gin.HandlerFunc {
	link := `</openapi/` + successor + `>; rel="successor-version"`
	return func(c *gin.Context) {
		if !d.Since.IsZero() {
			c.Header("Deprecation", "@"+strconv.FormatInt(d.Since.Unix(), 10))
		}
		if !d.Sunset.IsZero() {
			c.Header("Sunset", d.Sunset.UTC().Format(http.TimeFormat))
		}
		c.Header("Link", link)
	}
}
