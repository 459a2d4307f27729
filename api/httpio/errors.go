package httpio

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
)

// statusClientClosed is logged if the client disconnected before the response. It is
// never sent.
const statusClientClosed = 499

// RetryAfterUnavailable is the Retry-After of answers 503, in seconds.
const RetryAfterUnavailable = "5"

// retryAfterRateLimited is the Retry-After of answers 429, in seconds.
const retryAfterRateLimited = 1

// StatusOf returns the HTTP status for a kind of error, from the only table of them. ok is false
// for a kind that must not be shown to clients.
func StatusOf(kind domain.Kind) (status int, ok bool) {
	switch kind {
	case domain.KindInvalid:
		return http.StatusBadRequest, true
	case domain.KindUnauthenticated:
		return http.StatusUnauthorized, true
	case domain.KindDenied:
		return http.StatusForbidden, true
	case domain.KindNotFound:
		return http.StatusNotFound, true
	case domain.KindConflict:
		return http.StatusConflict, true
	case domain.KindPrecondition:
		return http.StatusPreconditionFailed, true
	case domain.KindTooLarge:
		return http.StatusRequestEntityTooLarge, true
	case domain.KindOutOfRange:
		return http.StatusRequestedRangeNotSatisfiable, true
	case domain.KindUnsupportedMedia:
		return http.StatusUnsupportedMediaType, true
	case domain.KindRateLimited:
		return http.StatusTooManyRequests, true
	case domain.KindUnavailable:
		return http.StatusServiceUnavailable, true
	case domain.KindInternal:
	}
	return http.StatusInternalServerError, false
}

// ErrorWriter answers failed requests with the error body of the contract. It
// is safe for concurrent use.
type ErrorWriter struct {
	log    *slog.Logger
	clock  func() time.Time
	fields Fields
}

// NewErrorWriter returns an ErrorWriter that stamps responses with clock and logs hidden
// causes to log.
func NewErrorWriter(log *slog.Logger, clock func() time.Time) *ErrorWriter {
	return &ErrorWriter{log: log, clock: clock}
}

type errorBody struct {
	Timestamp time.Time   `json:"timestamp"`
	Status    int         `json:"status"`
	Message   string      `json:"message"`
	Errors    []errorInfo `json:"errors"`
}

type errorInfo struct {
	Code         domain.Code         `json:"code"`
	Message      string              `json:"message"`
	Location     *string             `json:"location,omitempty"`
	LocationType domain.LocationType `json:"locationType,omitempty"`
}

// Write answers the request with err and stops its handlers. A *domain.Error
// anywhere in err's chain decides status and text; every other error is
// answered with 500 and a general text, and logged with the request id. It fits
// the HandlerErrorFunc and ResponseErrorHandlerFunc of the generated servers.
func (w *ErrorWriter) Write(c *gin.Context, err error) {
	ctx := c.Request.Context()
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		c.AbortWithStatus(statusClientClosed)
		return
	}
	if c.Writer.Written() {
		w.logFailure(c, "answer cut off", err)
		c.Abort()
		if part := (cutOffError{}); errors.As(err, &part) {
			panic(http.ErrAbortHandler)
		}
		return
	}
	public, status := w.Refuse(c, err)
	w.writeBody(c, status, public.Message, infosOf(public, w.fields))
}

// Refuse returns the public part of an error and its status, records it, and sets the header fields that belong to it. It is for
// answers in another form than Write's.
func (w *ErrorWriter) Refuse(c *gin.Context, err error) (*domain.Error, int) {
	public := w.publicError(c, err)
	RecordOf(c.Request.Context()).Refuse(public)
	status, _ := StatusOf(public.Kind)
	switch status {
	case http.StatusPreconditionFailed:
		public = withCurrentTag(c, public)
	case http.StatusUnauthorized:
		for _, challenge := range authn.Challenges() {
			c.Writer.Header().Add("WWW-Authenticate", challenge)
		}
	case http.StatusServiceUnavailable:
		c.Header("Retry-After", RetryAfterUnavailable)
	case http.StatusTooManyRequests:
		if c.Writer.Header().Get("Retry-After") == "" {
			c.Header("Retry-After", strconv.Itoa(retryAfterRateLimited))
		}
	}
	return public, status
}

// withCurrentTag adds the tag of the resource as it is now to a failed precondition
// of a write, in the header and in words.
func withCurrentTag(c *gin.Context, failed *domain.Error) *domain.Error {
	find, ok := c.Value(currentKey).(func() string)
	if !ok || failed.Current == nil {
		return failed
	}
	tag := find()
	if tag == "" {
		tag = versionTag(*failed.Current)
	}
	c.Header("ETag", tag)
	public := *failed
	public.Details = slices.Clone(failed.Details)
	for i := range public.Details {
		public.Details[i].Message = "the current version is " + tag
	}
	return &public
}

// publicError returns the public part of err and logs the rest.
func (w *ErrorWriter) publicError(c *gin.Context, err error) *domain.Error {
	if domainErr, ok := errors.AsType[*domain.Error](err); ok {
		if _, ok := StatusOf(domainErr.Kind); ok {
			if domainErr.Kind == domain.KindUnavailable {
				w.logFailure(c, "dependency unavailable", err)
			}
			return domainErr
		}
	}
	w.logFailure(c, "request failed", err)
	if errors.Is(err, context.DeadlineExceeded) {
		return &domain.Error{Kind: domain.KindUnavailable, Code: domain.CodeUnavailable, Message: "the service is busy"}
	}
	return &domain.Error{Kind: domain.KindInternal, Code: domain.CodeInternal, Message: "internal error"}
}

// logFailure logs an error that the client is not shown. event is a fixed sentence.
func (w *ErrorWriter) logFailure(c *gin.Context, event string, err error) {
	ctx := c.Request.Context()
	w.log.LogAttrs(ctx, slog.LevelError, event, //nolint:sloglint // the callers give constants
		slog.String("route", routeName(c)),
		slog.String("request_id", RequestIDFrom(ctx)),
		slog.Any("error", err),
	)
}

// WriteUnreadable answers 400 to a body that the generated code could not
// decode. It fits RequestErrorHandlerFunc; such a body passes the validator
// only if contract and types disagree, so the cause is logged.
func (w *ErrorWriter) WriteUnreadable(c *gin.Context, err error) {
	w.logFailure(c, "validated body not decodable", err)
	w.Write(c, domain.InvalidBody("", "does not have the documented form"))
}

// WriteUnbound answers 400 to a parameter that the generated code could not
// parse. It fits the ErrorHandler of GinServerOptions; see WriteUnreadable.
func (w *ErrorWriter) WriteUnbound(c *gin.Context, err error, _ int) {
	w.logFailure(c, "validated parameter not parsable", err)
	w.Write(c, domain.Invalid(domain.LocationQuery, "", "a parameter does not have the documented form"))
}

// NotFound answers a path that no route matches.
func (w *ErrorWriter) NotFound(c *gin.Context) {
	w.Write(c, domain.NotFound("resource"))
}

// MethodNotAllowed answers 405 with the Allow header that Gin has prepared,
// completed by HEAD.
func (w *ErrorWriter) MethodNotAllowed(c *gin.Context) {
	allow := c.Writer.Header().Get("Allow")
	for method := range strings.SplitSeq(allow, ", ") {
		if method == http.MethodGet {
			allow += ", " + http.MethodHead
		}
	}
	c.Header("Allow", allow)
	w.writeStatus(c, http.StatusMethodNotAllowed, "method not allowed: the path has "+allow)
}

// writeStatus answers a request that no operation takes, with a status that StatusOf does not have.
func (w *ErrorWriter) writeStatus(c *gin.Context, status int, message string) {
	w.writeBody(c, status, message, []errorInfo{{Code: domain.CodeValidation, Message: message}})
}

// WriteError answers a request in front of all routes with an error of a client or of the service's load, which must
// be of a kind that StatusOf knows.
func WriteError(w http.ResponseWriter, now time.Time, err *domain.Error) {
	status, _ := StatusOf(err.Kind)
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", RetryAfterUnavailable)
	}
	writePlain(w, now, status, err.Message, err.Code)
}

// WriteMisdirected answers 421 to a request for a host that is not served here.
func WriteMisdirected(w http.ResponseWriter, now time.Time) {
	writePlain(w, now, http.StatusMisdirectedRequest, "this host is not served here", domain.CodeValidation)
}

func writePlain(w http.ResponseWriter, now time.Time, status int, message string, code domain.Code) {
	body, err := json.Marshal(errorBody{
		Timestamp: now.UTC(), Status: status, Message: message, Errors: []errorInfo{{Code: code, Message: message}},
	})
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if err == nil {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(status)
	// A client that has gone away is not an error of the service.
	_, _ = w.Write(body)
}

func (w *ErrorWriter) writeBody(c *gin.Context, status int, message string, infos []errorInfo) {
	c.Abort()
	body, err := json.Marshal(errorBody{Timestamp: w.clock().UTC(), Status: status, Message: message, Errors: infos})
	if err != nil {
		w.logFailure(c, "encoding error body", err)
		c.Status(http.StatusInternalServerError)
		return
	}
	c.Data(status, "application/json", body)
}

// infosOf lists the details of an error, or the error itself when it has none,
// so that clients always find a code.
func infosOf(e *domain.Error, fields Fields) []errorInfo {
	if len(e.Details) == 0 {
		return []errorInfo{{Code: e.Code, Message: e.Message}}
	}
	infos := make([]errorInfo, 0, len(e.Details))
	for _, detail := range e.Details {
		detail = fields.Locate(detail)
		info := errorInfo{Code: detail.Code, Message: detail.Message, LocationType: detail.LocationType}
		if detail.LocationType != "" || detail.Location != "" {
			info.Location = &detail.Location
		}
		infos = append(infos, info)
	}
	return infos
}
