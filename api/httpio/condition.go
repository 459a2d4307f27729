package httpio

import (
	"context"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

const (
	// versionKey is the context key of the version of an operation's result.
	versionKey = "procession/version"
	// currentKey is the context key of the function that returns the current
	// tag.
	currentKey = "procession/current"
)

// VersionOf returns the version of the result of an operation, "" for none.
type VersionOf func(response any) domain.Version

// SetVersion stores the version of the operation's result, for its entity tag.
func SetVersion(c *gin.Context, version domain.Version) { c.Set(versionKey, version) }

// ModifiedVersion returns the version of a resource that shows when it was changed
// last, "" for others.
func ModifiedVersion(response any) domain.Version {
	value := reflect.ValueOf(response)
	if value.Kind() != reflect.Struct {
		return ""
	}
	if body := value.FieldByName("Body"); body.IsValid() && body.Kind() == reflect.Struct {
		value = body
	}
	field := value.FieldByName("LastModifiedAt")
	if !field.IsValid() {
		return ""
	}
	switch changed := field.Interface().(type) {
	case time.Time:
		return domain.VersionAt(changed)
	case *time.Time:
		if changed != nil {
			return domain.VersionAt(*changed)
		}
	}
	return ""
}

// Tag is the middleware that gives the representations of resources their entity
// tags and answers conditional reads. It follows Handle.
func (v *Validator) Tag(c *gin.Context) {
	r := v.routeOf(c)
	if r == nil || !r.tagged {
		return
	}
	answer := &taggedAnswer{ResponseWriter: c.Writer, gin: c, errs: v.errs}
	if c.Request.Method == http.MethodGet {
		var ok bool
		if answer.match, ok = parseEntityTags(c.Request.Header.Values("If-Match")); !ok {
			v.errs.Write(c, malformedTags("If-Match"))
			return
		}
		// A client that sends something else gets the whole answer.
		answer.noneMatch, _ = parseEntityTags(c.Request.Header.Values("If-None-Match"))
	}
	c.Writer = answer
}

// Require returns the middleware that passes the preconditions of writes to set. read answers the GET that returns the
// current tag when the precondition fails.
func (v *Validator) Require(set func(context.Context, domain.Precondition), read http.Handler) gin.HandlerFunc {
	return func(c *gin.Context) {
		r := v.routeOf(c)
		if r == nil || c.Request.Method == http.MethodGet {
			return
		}
		p, err := ParsePrecondition(c.Request.Header)
		if err != nil {
			v.errs.Write(c, err)
			return
		}
		if p.Match == nil && p.NoneMatch == nil {
			return
		}
		path, id := r.subjectOf(c)
		p.Resource = id
		set(c.Request.Context(), p)
		c.Set(currentKey, func() string { return currentTag(c, read, v.base+path) })
	}
}

// ParsePrecondition returns the precondition of a request's If-Match and If-None-Match.
func ParsePrecondition(header http.Header) (domain.Precondition, error) {
	match, ok := parseEntityTags(header.Values("If-Match"))
	if !ok {
		return domain.Precondition{}, malformedTags("If-Match")
	}
	noneMatch, ok := parseEntityTags(header.Values("If-None-Match"))
	if !ok {
		return domain.Precondition{}, malformedTags("If-None-Match")
	}
	return domain.Precondition{Match: match.listVersions(), NoneMatch: noneMatch.listVersions()}, nil
}

func malformedTags(header string) error {
	return domain.Invalid(domain.LocationHeader, header, `must be * or entity tags in double quotes, with commas between them`)
}

// subjectOf returns the resource that a write is about, as the path of the operation
// that shows it, and its id where the path has one.
func (r *route) subjectOf(c *gin.Context) (path string, id uuid.UUID) {
	path = r.subject
	for _, param := range c.Params {
		if placeholder := "{" + param.Key + "}"; strings.Contains(path, placeholder) {
			path = strings.ReplaceAll(path, placeholder, param.Value)
			id = idOf(param)
		}
	}
	return path, id
}

// currentTag returns the tag that a GET of the path has for the caller of the request,
// "" where there is none.
func currentTag(c *gin.Context, read http.Handler, path string) string {
	request := c.Request.Clone(c.Request.Context())
	request.Method, request.Body, request.Header = http.MethodGet, http.NoBody, http.Header{}
	request.URL = &url.URL{Path: path, RawQuery: c.Request.URL.RawQuery}
	discarded := &discardedAnswer{header: http.Header{}}
	read.ServeHTTP(discarded, request)
	return discarded.header.Get("ETag")
}

// discardedAnswer is a response writer that keeps the header only.
type discardedAnswer struct{ header http.Header }

func (a *discardedAnswer) Header() http.Header         { return a.header }
func (a *discardedAnswer) Write(p []byte) (int, error) { return len(p), nil }
func (a *discardedAnswer) WriteHeader(int)             {}

// taggedAnswer adds the entity tag to a representation, and leaves the
// representation out when the client has it.
type taggedAnswer struct {
	gin.ResponseWriter
	gin              *gin.Context
	errs             *ErrorWriter
	match, noneMatch *entityTags
	// decided is true once the tag is set; dropped, if the representation is
	// not sent.
	decided, dropped bool
}

// Write sends a representation, which comes in one piece.
func (a *taggedAnswer) Write(representation []byte) (int, error) {
	if !a.decided {
		a.decided = true
		if status := a.Status(); status == http.StatusOK || status == http.StatusCreated || status == http.StatusAccepted {
			a.decideStatus(representation)
		}
	}
	if a.dropped {
		return len(representation), nil
	}
	return a.ResponseWriter.Write(representation)
}

func (a *taggedAnswer) decideStatus(representation []byte) {
	version, _ := a.gin.Value(versionKey).(domain.Version)
	tag := entityTag(version, representation)
	a.Header().Set("ETag", tag)
	switch {
	case a.match != nil && !a.match.matchesStrongly(tag):
		a.errs.Write(a.gin, (&domain.Precondition{Match: &domain.Versions{}}).Check(&version))
		a.dropped = true
	case a.noneMatch.matchesWeakly(tag):
		a.Header().Del("Content-Type")
		a.WriteHeader(http.StatusNotModified)
		a.WriteHeaderNow()
		a.dropped = true
	}
}

// idOf returns the id that a path parameter holds, the zero id for other parameters.
func idOf(param gin.Param) uuid.UUID {
	if !strings.HasSuffix(strings.ToLower(param.Key), "id") {
		return uuid.Nil
	}
	id, _ := uuid.Parse(param.Value)
	return id
}
