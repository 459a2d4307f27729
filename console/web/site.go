package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"github.com/procession-dev/procession/api/chain"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/console/assets"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/domain"
)

// Options configure a Site. All fields are required unless their comment
// says otherwise.
type Options struct {
	Sessions *authn.Sessions
	Assets   *assets.Set
	Log      *slog.Logger
	Clock    func() time.Time
	// SignInMaxAge is the maximum age of a sign-in for routes that need a recent one; 0 for no maximum. Confirm
	// shows the page on which a user signs in again, and is required with it.
	SignInMaxAge time.Duration
	Confirm      Handler
	// CountAttention returns the counts in the navigation of the caller.
	CountAttention func(context.Context, domain.Call) (domain.AttentionCounts, error)
	// CountNotifications returns the number of unread notifications of the caller.
	CountNotifications func(context.Context, domain.Call) (int, error)
}

// Site answers requests with the pages of screens. It must be served behind a
// chain.Chain.
type Site struct {
	http.Handler

	o         Options
	engine    *gin.Engine
	attention attention
	origins   *http.CrossOriginProtection
}

// Routes returns the methods and the patterns of all routes.
func (s *Site) Routes() []string {
	var routes []string
	for _, route := range s.engine.Routes() {
		routes = append(routes, route.Method+" "+route.Path)
	}
	return routes
}

// NewSite returns the site with the routes.
func NewSite(o Options, routes []Route) (site *Site, err error) {
	gin.SetMode(gin.ReleaseMode)
	s := &Site{o: o, engine: gin.New(), attention: newAttention(o.CountAttention), origins: http.NewCrossOriginProtection()}
	s.engine.HandleMethodNotAllowed = true
	s.engine.RedirectTrailingSlash = false
	s.engine.Use(httpio.RecordRoute, s.setHeaders, s.addViewer, s.recoverPanic, s.sameOrigin)
	s.engine.NoRoute(s.screenHandler(Route{Open: true, Handler: func(*Visit) (*Answer, error) { return nil, domain.NotFound("page") }}))
	s.engine.NoMethod(s.screenHandler(Route{Open: true, Handler: func(*Visit) (*Answer, error) { return nil, domain.NotFound("page") }}))
	s.engine.GET(Root+"assets/*name", gin.WrapH(o.Assets))
	for _, route := range routes {
		s.engine.Handle(route.Method, Root+strings.TrimPrefix(route.Path, "/"), s.screenHandler(route))
	}
	s.Handler, err = httpio.Handler(s.engine)
	return s, err
}

// setHeaders keeps pages out of caches, frames and other sites.
func (s *Site) setHeaders(c *gin.Context) {
	c.Header("Cache-Control", "no-store")
	c.Header("X-Content-Type-Options", "nosniff")
	c.Header("Referrer-Policy", "same-origin")
	c.Header("Cross-Origin-Opener-Policy", "same-origin")
	c.Header("Cross-Origin-Resource-Policy", "same-origin")
}

// contentPolicy returns the Content-Security-Policy of a page. Its scripts and style sheets are
// those with the nonce: others of the same origin may have been uploaded by users.
func contentPolicy(nonce string) string {
	return "default-src 'none'; script-src 'nonce-" + nonce + "'; style-src 'nonce-" + nonce + "'; img-src 'self' data:; " +
		"font-src 'self'; connect-src 'self'; frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
}

// recoverPanic turns a panic into a page, or drops the connection where a part of the
// page is out already.
func (s *Site) recoverPanic(c *gin.Context) {
	defer func() {
		cause := recover()
		if cause == nil {
			return
		}
		if cause == http.ErrAbortHandler { //nolint:errorlint // as net/http compares it
			panic(cause)
		}
		s.o.Log.LogAttrs(c.Request.Context(), slog.LevelError, "panic in a screen",
			slog.String("route", c.FullPath()), slog.String("request_id", httpio.RequestIDFrom(c.Request.Context())),
			slog.String("stack", string(debug.Stack())))
		if c.Writer.Written() {
			panic(http.ErrAbortHandler)
		}
		s.writeFailure(c, &Visit{Request: c.Request}, fmt.Errorf("panic: %v", cause))
	}()
	c.Next()
}

// sameOrigin refuses requests from pages of other origins, except for safe methods.
func (s *Site) sameOrigin(c *gin.Context) {
	if err := s.origins.Check(c.Request); err != nil {
		s.writeFailure(c, &Visit{Request: c.Request}, &domain.Error{
			Kind: domain.KindDenied, Code: domain.CodeAccessDenied,
			Message: "the request comes from a page of another origin", Cause: err,
		})
	}
}

// addViewer reads how the visitor wants pages to be.
func (s *Site) addViewer(c *gin.Context) {
	viewer := &ui.Viewer{
		Assets: s.o.Assets, Now: s.o.Clock(), Path: pagePath(c.Request),
		RequestID: httpio.RequestIDFrom(c.Request.Context()), Nonce: rand.Text(),
	}
	c.Header("Content-Security-Policy", contentPolicy(viewer.Nonce))
	viewer.Read(c.Request)
	c.Request = c.Request.WithContext(ui.WithViewer(c.Request.Context(), viewer))
}

// pagePath returns the path at which a visitor may see the page of a request again: for a form, the page that
// contains it.
func pagePath(r *http.Request) string {
	if r.Method == http.MethodGet {
		return r.URL.RequestURI()
	}
	from, err := url.Parse(r.Referer())
	if err != nil {
		return Root
	}
	return LocalPath(from.RequestURI())
}

// screenHandler returns the gin handler of a route.
func (s *Site) screenHandler(route Route) gin.HandlerFunc {
	return func(c *gin.Context) {
		visit := &Visit{Request: c.Request, Param: c.Param, writer: c.Writer}
		if err := s.signedIn(visit); err != nil && !route.Open {
			if domain.HasCode(err, domain.CodeUnauthenticated) {
				s.sendToSignIn(c, visit)
				return
			}
			s.writeFailure(c, visit, err)
			return
		}
		if err := chain.Enter(visit.Context()); err != nil {
			s.writeFailure(c, visit, err)
			return
		}
		if !route.isOpenTo(visit.Call.Caller) {
			s.writeFailure(c, visit, domain.Denied("only administrators may use this page"))
			return
		}
		answer, err := s.handleVisit(route, visit)
		if err != nil {
			s.writeFailure(c, visit, err)
			return
		}
		s.writeAnswer(c, visit, answer)
	}
}

// handleVisit calls the handler of a route. A visit that needs a fresh sign-in gets the page for that instead.
func (s *Site) handleVisit(route Route, visit *Visit) (answer *Answer, err error) {
	if route.Fresh {
		err = visit.RequireFresh()
	}
	if err == nil {
		answer, err = route.Handler(visit)
	}
	if errors.Is(err, errStale) {
		return s.o.Confirm(visit)
	}
	return answer, err
}

// signedIn finds the user of the request's session. The browser forgets a cookie that
// opens none, so that it is presented only once.
func (s *Site) signedIn(visit *Visit) error {
	secret := sessionSecret(visit.Request)
	if secret == "" {
		return domain.Unauthenticated()
	}
	ctx := visit.Context()
	_, err := chain.SignIn(ctx, secret, func() (caller domain.Caller, err error) {
		visit.Session, visit.Call.Caller, err = s.o.Sessions.Find(ctx, secret)
		return visit.Call.Caller, err
	})
	if err != nil {
		if domain.HasCode(err, domain.CodeUnauthenticated) {
			http.SetCookie(visit.writer, EndSessionCookie(visit.Request))
		}
		return err
	}
	viewer := ui.ViewerOf(ctx)
	viewer.User, viewer.Name = visit.Call.PrincipalID.String(), visit.Session.Name
	viewer.Administers, viewer.AdministersDefinitions = visit.Call.Administers(), len(visit.Call.DefinitionTenants()) > 0
	viewer.Apply(visit.Session.Profile)
	visit.StillSignedIn = func() error {
		_, _, err := s.o.Sessions.Find(ctx, secret)
		return err
	}
	visit.lastSignIn = func() (time.Time, error) {
		session, _, err := s.o.Sessions.FindAgain(ctx, secret)
		return session.AuthenticatedAt, err
	}
	if s.o.SignInMaxAge > 0 {
		visit.freshFrom = s.o.Clock().Add(-s.o.SignInMaxAge)
	}
	return nil
}

// sendToSignIn sends a visitor to the sign-in page, and back afterwards where the
// request is one that can be repeated.
func (s *Site) sendToSignIn(c *gin.Context, visit *Visit) {
	to := Root + "sign-in"
	if visit.Scripted() {
		// The page says where the user is, which may not be where the request goes.
		if current, err := url.Parse(c.GetHeader("HX-Current-URL")); err == nil {
			to += "?return=" + queryEscape(current.RequestURI())
		}
		c.Header("HX-Redirect", to)
		s.writeFailure(c, visit, domain.Unauthenticated())
		return
	}
	if c.Request.Method == http.MethodGet && c.Request.URL.Path != Root {
		to += "?return=" + queryEscape(c.Request.URL.RequestURI())
	}
	c.Redirect(http.StatusSeeOther, to)
}

func (s *Site) writeAnswer(c *gin.Context, visit *Visit, writeAnswer *Answer) {
	if failure := writeAnswer.failure; failure != nil && failure.Kind == domain.KindUnavailable && visit.Header.Get("HX-Boosted") == "true" {
		// The script leaves the page as it is, with all input.
		s.writeFailure(c, visit, failure)
		return
	}
	visit.Refuse(writeAnswer.failure)
	for _, cookie := range writeAnswer.Cookies {
		http.SetCookie(c.Writer, cookie)
	}
	if writeAnswer.SignedOut {
		c.Header("Clear-Site-Data", `"cache", "storage"`)
	}
	if writeAnswer.To != "" {
		status := http.StatusSeeOther
		if writeAnswer.Repeat {
			status = http.StatusTemporaryRedirect
		}
		c.Redirect(status, writeAnswer.To)
		return
	}
	if writeAnswer.Stream != nil {
		writeAnswer.Stream(c.Writer)
		return
	}
	if writeAnswer.serve != nil {
		s.serveAnswer(c, visit, writeAnswer)
		return
	}
	if writeAnswer.Address != "" {
		c.Header("HX-Push-Url", writeAnswer.Address)
	}
	if writeAnswer.Onward != "" {
		c.Header("Refresh", "0; url="+writeAnswer.Onward)
	}
	body := writeAnswer.Body
	if !writeAnswer.Raw {
		if !writeAnswer.Bare {
			s.addAttention(visit)
			s.addUnread(visit)
		}
		body = ui.Layout(ui.Page{Title: writeAnswer.Title, Area: writeAnswer.Area, Bare: writeAnswer.Bare, Editor: writeAnswer.Editor}, writeAnswer.Body)
	}
	s.renderPage(c, visit, cmp.Or(writeAnswer.Status, http.StatusOK), body)
}

// writeFailure answers with a page about a failure and the id of the request. Causes are logged.
func (s *Site) writeFailure(c *gin.Context, visit *Visit, err error) {
	c.Abort()
	ctx := visit.Context()
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return
	}
	var domainErr *domain.Error
	if !errors.As(err, &domainErr) || domainErr.Kind == domain.KindInternal {
		s.logFailure(c, err)
		domainErr = &domain.Error{Kind: domain.KindInternal}
	}
	visit.Refuse(domainErr)
	failure := ui.Failure{Kind: domainErr.Kind, Message: ui.Reason(ctx, domainErr), SignedIn: visit.Call.PrincipalID != [16]byte{}}
	status, _ := httpio.StatusOf(domainErr.Kind)
	switch {
	case visit.Header.Get("Accept") == "application/json":
		c.JSON(status, gin.H{"status": "failed", "message": failure.Sentence(ctx)})
	case visit.Partial():
		s.renderPage(c, visit, status, ui.FailureNotice(failure))
	default:
		s.renderPage(c, visit, status, ui.Layout(ui.Page{Title: failure.Title(ctx), Bare: !failure.SignedIn}, ui.FailurePage(failure)))
	}
}

func (s *Site) logFailure(c *gin.Context, err error) {
	ctx := c.Request.Context()
	s.o.Log.LogAttrs(ctx, slog.LevelError, "a screen failed", slog.String("route", c.FullPath()),
		slog.String("request_id", httpio.RequestIDFrom(ctx)), slog.Any("error", err))
}

// renderPage sends a page in one piece, which costs less to compress and to send than the
// pieces that it is made in.
func (s *Site) renderPage(c *gin.Context, visit *Visit, status int, page templ.Component) {
	buffer := templ.GetBuffer()
	defer templ.ReleaseBuffer(buffer)
	if err := page.Render(visit.Context(), buffer); err != nil {
		s.logFailure(c, err)
		c.String(http.StatusInternalServerError, "Request %s failed.", httpio.RequestIDFrom(visit.Context()))
		return
	}
	c.Header("Content-Type", "text/html; charset=utf-8")
	c.Header("Content-Length", strconv.Itoa(buffer.Len()))
	if status == http.StatusServiceUnavailable {
		c.Header("Retry-After", httpio.RetryAfterUnavailable)
	}
	c.Status(status)
	if _, err := buffer.WriteTo(c.Writer); err != nil {
		s.o.Log.LogAttrs(visit.Context(), slog.LevelWarn, "a page was not sent", slog.Any("error", err))
	}
}
