package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/domain"
)

const (
	// maxForm bounds the body of a form without files, in bytes.
	maxForm = 3 << 20
	// maxVisitorForm and visitorFormTime bound the forms of visitors who are not signed
	// in.
	maxVisitorForm  = 64 << 10
	visitorFormTime = 10 * time.Second
)

// Visit is a request to a screen. Call and Session belong to the signed-in user; they are zero on pages for
// visitors.
type Visit struct {
	*http.Request

	Call    domain.Call
	Session domain.Session
	// Param returns a parameter of the path.
	Param func(name string) string
	// StillSignedIn returns an error once the session has ended.
	StillSignedIn func() error

	// writer writes the answer, nil in tests of handlers.
	writer http.ResponseWriter
	// lastSignIn returns the time at which the user last proved who they are.
	lastSignIn func() (time.Time, error)
	// freshFrom is the time since which that is recent enough for RequireFresh.
	freshFrom time.Time
}

// errStale makes the site ask for a fresh sign-in and repeat the form afterwards.
var errStale = errors.New("a fresh sign-in is required")

// RequireFresh returns an error, which a handler passes on before it changes anything, unless the user has
// signed in lately.
func (v *Visit) RequireFresh() error {
	if !v.Session.AuthenticatedAt.Before(v.freshFrom) {
		return nil
	}
	// The session may have been renewed at another replica.
	last, err := v.lastSignIn()
	if err == nil && last.Before(v.freshFrom) {
		return errStale
	}
	return err
}

// ID returns the parameter "id" of the path. An invalid id is NOT_FOUND.
func (v *Visit) ID() (uuid.UUID, error) { return v.IDIn("id") }

// IDIn returns a parameter of the path that is an id. One that is none is NOT_FOUND too.
func (v *Visit) IDIn(parameter string) (uuid.UUID, error) {
	id, err := uuid.Parse(v.Param(parameter))
	if err != nil {
		return uuid.UUID{}, domain.NotFound("page")
	}
	return id, nil
}

// Form returns the values of the posted form. One that cannot be read, or that is
// larger than 1 MiB, is a VALIDATION error. Visitors who are not signed in have 64 KiB
// and 10 seconds.
func (v *Visit) Form() (url.Values, error) {
	var err error
	if v.Session.ID == uuid.Nil {
		v.Body = http.MaxBytesReader(nil, v.Body, maxVisitorForm)
		err = httpio.ReadWithin(v.writer, visitorFormTime, v.ParseForm)
	} else {
		v.Body = http.MaxBytesReader(nil, v.Body, maxForm)
		err = v.ParseForm()
	}
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return nil, &domain.Error{Kind: domain.KindTooLarge, Code: domain.CodeValidation, Message: "the form is too large"}
		}
		return nil, domain.Invalid(domain.LocationBody, "", "the form cannot be read")
	}
	return v.PostForm, nil
}

// Refuse records an error that the answer explains. Denials of access are written to the
// event log.
func (v *Visit) Refuse(err *domain.Error) { httpio.RecordOf(v.Context()).Refuse(err) }

// PaperReader configures documents for the viewer, in the language of the page.
func (v *Visit) PaperReader() app.PaperReader {
	viewer := ui.ViewerOf(v.Context())
	locale := viewer.Language
	ofPage, _ := locale.Base()
	if base, _ := viewer.Locale.Base(); base == ofPage {
		locale = viewer.Locale
	}
	return app.PaperReader{Texts: viewer.Reader, Locale: locale.String(), Zone: viewer.Zone.String()}
}

// Scripted reports whether the request comes from the script of a page.
func (v *Visit) Scripted() bool { return v.Header.Get("HX-Request") == "true" }

// Address returns the address of the service, as base or else the one that the browser reached it at.
func (v *Visit) Address(base string) string {
	if base != "" {
		return base
	}
	u := url.URL{Scheme: "http", Host: v.Host}
	if Secure(v.Request) {
		u.Scheme = "https"
	}
	return u.String()
}

// PageNumber returns the number of the page of a list that a query asks for, 1 for the
// first and where it names none.
func PageNumber(query url.Values) int {
	number, _ := strconv.Atoi(query.Get("page"))
	return max(number, 1)
}

// pageSize returns the number of entries of a page of a list that a query asks for, normal where it names none of ui.PageSizes.
func pageSize(query url.Values, normal int) int {
	size, _ := strconv.Atoi(query.Get("size"))
	if !slices.Contains(ui.PageSizes(), size) {
		return normal
	}
	return size
}

// Page returns the requested page of a list, which has at most size entries if the user has not chosen another number.
func (v *Visit) Page(size int) domain.PageRequest {
	query := v.URL.Query()
	return domain.PageRequest{Number: PageNumber(query) - 1, Size: pageSize(query, size)}
}

// Partial reports whether the script of a page asks for a part of one, and not for
// the next page.
func (v *Visit) Partial() bool { return v.Scripted() && v.Header.Get("HX-Boosted") != "true" }

// Answer is a page, or where the browser is sent instead.
type Answer struct {
	// Title is the title of the page.
	Title string
	// Body is the content of the page.
	Body templ.Component
	// Area is the entry of the navigation that the page belongs to.
	Area string
	// Status is the status of the answer, 0 for 200.
	Status int
	// To is the path that the browser is sent to, "" for a page.
	To string
	// Address is the path that the script shows for the page of a refused form, "" for the path of the form.
	Address string
	// Repeat makes the browser send its form to the path again.
	Repeat bool
	// Onward is the address at an identity provider that the browser goes to after the page, "" for
	// none. A redirect of a form would have to pass the form-action of the content security policy,
	// and so would the provider's redirects.
	Onward string
	// Bare pages have no navigation.
	Bare bool
	// Editor pages have the editor of manifests.
	Editor bool
	// Raw sends Body without the frame of a page.
	Raw bool
	// Stream writes the whole answer, nil for a page.
	Stream func(http.ResponseWriter)
	// Cookies are set with the answer.
	Cookies []*http.Cookie
	// SignedOut is set once the session of the browser has ended: the browser deletes its
	// cached and stored data of the console.
	SignedOut bool

	// failure is the error that the page explains, nil for none.
	failure *domain.Error
	// serve writes an answer that is no page.
	serve func(*gin.Context) error
}

// Refused gives the answer the status of an error that its page explains, nil for none.
func (a *Answer) Refused(err *domain.Error) *Answer {
	if err != nil {
		a.Status, _ = httpio.StatusOf(err.Kind)
		a.failure = err
	}
	return a
}

// Refusal returns an error that the page of an action explains. It returns nil for other errors: missing objects
// and failures of the service.
func Refusal(err error) *domain.Error {
	rejection, is := errors.AsType[*domain.Error](err)
	if !is || rejection.Kind == domain.KindNotFound || rejection.Kind == domain.KindInternal {
		return nil
	}
	return rejection
}

// JSON answers a script.
func JSON(content any) *Answer {
	return &Answer{Stream: func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		// It fails when the browser is gone.
		_ = json.NewEncoder(w).Encode(content)
	}}
}

// NoContent answers a script without a body.
func NoContent() *Answer {
	return &Answer{Stream: func(w http.ResponseWriter) { w.WriteHeader(http.StatusNoContent) }}
}

// SeeOther sends the browser to a path after a form was posted.
func SeeOther(path string, cookies ...*http.Cookie) *Answer {
	return &Answer{To: path, Cookies: cookies}
}

// SignedOut sends the browser to the sign-in page without its session.
func SignedOut(r *http.Request) *Answer {
	return &Answer{To: Root + "sign-in", Cookies: []*http.Cookie{EndSessionCookie(r)}, SignedOut: true}
}

// Handler handles a page or a form.
type Handler func(*Visit) (*Answer, error)

// Route is a screen and where it is.
type Route struct {
	Method string
	// Path is relative to Root, in the form of gin.
	Path    string
	Handler Handler
	// Open routes answer visitors that are not signed in too.
	Open bool
	// Administrative routes answer administrators of a tenant and operators only; with OfDefinitions, also administrators of a
	// process definition.
	Administrative, OfDefinitions bool
	// Fresh routes answer users who have signed in lately only.
	Fresh bool
}

// Get returns the route of a page.
func Get(path string, handler Handler) Route {
	return Route{Method: http.MethodGet, Path: path, Handler: handler}
}

// Post returns the route of a form.
func Post(path string, handler Handler) Route {
	return Route{Method: http.MethodPost, Path: path, Handler: handler}
}

// ForVisitors returns the route open to visitors that are not signed in.
func (r Route) ForVisitors() Route {
	r.Open = true
	return r
}

// AfterFreshSignIn returns the route closed to users who have not signed in lately.
func (r Route) AfterFreshSignIn() Route {
	r.Fresh = true
	return r
}

// ForDefinitions returns the route open to administrators of a process definition too, who get only its resources.
func (r Route) ForDefinitions() Route {
	r.OfDefinitions = true
	return r
}

// isOpenTo reports whether the route answers the caller.
func (r Route) isOpenTo(caller domain.Caller) bool {
	return !r.Administrative || caller.Administers() || r.OfDefinitions && len(caller.DefinitionTenants()) > 0
}

// ForAdministrators returns the routes closed to all but administrators.
func ForAdministrators(routes []Route) []Route {
	for i := range routes {
		routes[i].Administrative = true
	}
	return routes
}

// maxLocalPath bounds a path that a browser is sent back to, in bytes. A longer one, with
// the rest of the state of a sign-in, may not fit into a cookie.
const maxLocalPath = 2000

// LocalPath returns a path of the console that a browser may be sent to, or the
// console's own where text is none: an absolute path below it, without a host.
func LocalPath(text string) string {
	u, err := url.Parse(text)
	switch {
	case err != nil, len(text) > maxLocalPath, u.Scheme != "", u.Host != "", u.User != nil, u.Opaque != "",
		!strings.HasPrefix(u.Path, Root), strings.Contains(u.Path, "//"), strings.Contains(u.Path, "/."), strings.Contains(text, `\`):
		return Root
	}
	return (&url.URL{Path: u.Path, RawQuery: u.RawQuery}).String()
}

// Root is the path of the console.
const Root = "/console/"
