package scim

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/app/administration"
)

const (
	// maxPage bounds a page, and defaultPage is the number of resources on a page without count.
	maxPage, defaultPage = 200, 100
	// maxStart bounds the place of the first resource of a page.
	maxStart = 1_000_000_000
	// maxText bounds the texts of attributes in characters.
	maxText = 255
)

// checkText refuses a text that cannot be stored.
func checkText(field, value string) error {
	if utf8.RuneCountInString(value) > maxText || strings.ContainsFunc(value, unicode.IsControl) {
		return refuseAs(errInvalidValue, fmt.Sprintf("%s must be text on one line with at most %d characters", field, maxText))
	}
	return nil
}

// representResource returns the representation of a resource.
func (s *Server) representResource(k kind, r *administration.DirectoryResource) object {
	o := k.attributesOf(r)
	o["schemas"] = []string{k.schema}
	o["id"] = r.ID.String()
	links := make([]any, len(r.Links))
	for i, link := range r.Links {
		value := object{"value": link.ID.String(), "$ref": s.base + k.linked + "/" + link.ID.String()}
		if k.links == "members" {
			value["type"] = "User"
		} else {
			value["display"] = link.Name
		}
		links[i] = value
	}
	setValues(o, k.links, links)
	o["meta"] = object{
		"resourceType": string(k.kind), "location": s.locationOf(k, r), "version": tagOf(r),
		"created": r.CreatedAt.UTC().Format(time.RFC3339Nano), "lastModified": r.LastModifiedAt.UTC().Format(time.RFC3339Nano),
	}
	return o
}

func (s *Server) locationOf(k kind, r *administration.DirectoryResource) string {
	return s.base + k.endpoint + "/" + r.ID.String()
}

func tagOf(r *administration.DirectoryResource) string { return `"` + string(r.Version()) + `"` }

// selection is the choice of attributes in answers (RFC 7644, section 3.9).
type selection struct{ only, without []string }

func selectionOf(c *gin.Context) selection {
	return selection{
		only:    attributeNames(strings.Split(c.Query("attributes"), ",")),
		without: attributeNames(strings.Split(c.Query("excludedAttributes"), ",")),
	}
}

// attributeNames returns names of attributes in lower case and without the schema.
func attributeNames(texts []string) []string {
	var names []string
	for _, name := range texts {
		if i := strings.LastIndexByte(name, ':'); i >= 0 {
			name = name[i+1:]
		}
		if name = strings.ToLower(strings.TrimSpace(name)); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// leavesOut reports whether an attribute is not part of the answer.
func (x selection) leavesOut(name string) bool {
	name = strings.ToLower(name)
	for _, other := range x.without {
		if other == name {
			return true
		}
	}
	for _, other := range x.only {
		if other == name || strings.HasPrefix(other, name+".") {
			return false
		}
	}
	return len(x.only) > 0
}

// selectFrom returns the selected attributes of a representation. The id and the schemas are always part of it.
func (x selection) selectFrom(o object) object {
	for name, value := range o {
		if name == "id" || name == "schemas" {
			continue
		}
		if x.leavesOut(name) {
			delete(o, name)
			continue
		}
		values, ok := value.([]any)
		if !ok {
			values = []any{value}
		}
		for _, v := range values {
			members, _ := v.(object)
			for member := range members {
				if x.leavesOutPart(strings.ToLower(name), strings.ToLower(member)) {
					delete(members, member)
				}
			}
		}
	}
	return o
}

func (x selection) leavesOutPart(name, member string) bool {
	path := name + "." + member
	for _, other := range x.without {
		if other == path {
			return true
		}
	}
	parts := false
	for _, other := range x.only {
		if other == name || other == path {
			return false
		}
		parts = parts || strings.HasPrefix(other, name+".")
	}
	return parts
}

// listKind answers with a page of resources.
func (s *Server) listKind(k kind) gin.HandlerFunc {
	return func(c *gin.Context) {
		start, count, err := pageOf(c)
		if err != nil {
			s.writeFailure(c, err)
			return
		}
		s.findPage(c, k, selectionOf(c), c.Query("filter"), start, count)
	}
}

// searchBody is the body of a search (RFC 7644, section 3.4.3).
type searchBody struct {
	Attributes         []string `json:"attributes"`
	ExcludedAttributes []string `json:"excludedAttributes"`
	Filter             string   `json:"filter"`
	StartIndex         *int     `json:"startIndex"`
	Count              *int     `json:"count"`
}

// searchKind answers as list, with the parameters in a body.
func (s *Server) searchKind(k kind) gin.HandlerFunc {
	return func(c *gin.Context) {
		var body searchBody
		if err := readBody(c, &body); err != nil {
			s.writeFailure(c, err)
			return
		}
		start, count := 1, defaultPage
		if body.StartIndex != nil {
			start = min(max(*body.StartIndex, 1), maxStart)
		}
		if body.Count != nil {
			count = min(max(*body.Count, 0), maxPage)
		}
		s.findPage(c, k, selection{only: attributeNames(body.Attributes), without: attributeNames(body.ExcludedAttributes)}, body.Filter, start, count)
	}
}

// findPage answers with a page of the resources that match a filter.
func (s *Server) findPage(c *gin.Context, k kind, chosen selection, text string, start, count int) {
	filter, err := parseFilter(k.kind, text)
	if err != nil {
		s.writeFailure(c, err)
		return
	}
	found, total, err := s.o.Administration.FindDirectoryResources(c.Request.Context(), s.callOf(c), administration.DirectoryQuery{
		Kind: k.kind, Filter: filter, Skip: start - 1, Count: count, WithoutLinks: chosen.leavesOut(k.links),
	})
	if err != nil {
		s.writeFailure(c, err)
		return
	}
	resources := make([]object, len(found))
	for i := range found {
		resources[i] = chosen.selectFrom(s.representResource(k, &found[i]))
	}
	writeJSON(c, http.StatusOK, object{
		"schemas": []string{listMessage}, "totalResults": total, "itemsPerPage": len(resources), "startIndex": start, "Resources": resources,
	})
}

// pageOf returns the page that a request asks for (RFC 7644, section 3.4.2.4).
func pageOf(c *gin.Context) (start, count int, err error) {
	number := func(name string, standard, least, most int) int {
		text, given := c.GetQuery(name)
		if !given {
			return standard
		}
		n, parseErr := strconv.Atoi(text)
		if parseErr != nil {
			err = refuseAs(errInvalidValue, name+" must be a number")
		}
		return min(max(n, least), most)
	}
	return number("startIndex", 1, 1, maxStart), number("count", defaultPage, 0, maxPage), err
}

func (s *Server) retrieveKind(k kind) gin.HandlerFunc {
	return func(c *gin.Context) {
		id, err := idOf(c, k)
		if err != nil {
			s.writeFailure(c, err)
			return
		}
		found, err := s.o.Administration.RetrieveDirectoryResource(c.Request.Context(), s.callOf(c), k.kind, id)
		if err != nil {
			s.writeFailure(c, err)
			return
		}
		if httpio.NotModified(c.Request.Header.Values("If-None-Match"), tagOf(found)) {
			c.Header("ETag", tagOf(found))
			c.Status(http.StatusNotModified)
			return
		}
		s.showResource(c, http.StatusOK, k, found)
	}
}

func (s *Server) showResource(c *gin.Context, status int, k kind, r *administration.DirectoryResource) {
	c.Header("ETag", tagOf(r))
	c.Header("Location", s.locationOf(k, r))
	writeJSON(c, status, selectionOf(c).selectFrom(s.representResource(k, r)))
}

func (s *Server) createKind(k kind) gin.HandlerFunc {
	return func(c *gin.Context) {
		attributes, err := readAttributes(c, k)
		if err != nil {
			s.writeFailure(c, err)
			return
		}
		created, err := k.create(c.Request.Context(), s.o.Administration, s.callOf(c), attributes)
		if err != nil {
			s.writeFailure(c, err)
			return
		}
		s.showResource(c, http.StatusCreated, k, created)
	}
}

// readAttributes reads the attributes of a resource from the body.
func readAttributes(c *gin.Context, k kind) (object, error) {
	var body object
	if err := readBody(c, &body); err != nil {
		return nil, err
	}
	if err := checkSchemas(body, k.schema); err != nil {
		return nil, err
	}
	return readResource(k.attributes, body)
}

// checkSchemas refuses a body of another schema.
func checkSchemas(body object, required string) error {
	schemas, _ := body["schemas"].([]any)
	for _, v := range schemas {
		if uri, ok := v.(string); ok && strings.EqualFold(uri, required) {
			return nil
		}
	}
	return refuseAs(errInvalidSyntax, "schemas must have "+required)
}

func (s *Server) replaceKind(k kind) gin.HandlerFunc {
	return func(c *gin.Context) {
		attributes, err := readAttributes(c, k)
		s.changeKind(c, k, err, func(object) (object, error) { return attributes, nil })
	}
}

func (s *Server) patchKind(k kind) gin.HandlerFunc {
	return func(c *gin.Context) {
		var body patchBody
		err := readBody(c, &body)
		if err == nil && len(body.Schemas) > 0 && !strings.EqualFold(body.Schemas[0], patchMessage) {
			err = refuseAs(errInvalidSyntax, "schemas must have "+patchMessage)
		}
		p := patcher{uri: k.schema, attributes: k.attributes}
		s.changeKind(c, k, err, func(current object) (object, error) { return p.applyAll(current, body.Operations) })
	}
}

// changeKind changes the resource that the path names, unless the request is refused already.
func (s *Server) changeKind(c *gin.Context, k kind, refusal error, attributes func(object) (object, error)) {
	id, err := idOf(c, k)
	if refusal != nil {
		err = refusal
	}
	if err != nil {
		s.writeFailure(c, err)
		return
	}
	changed, err := k.change(c.Request.Context(), s.o.Administration, s.callOf(c), id, attributes)
	if err != nil {
		s.writeFailure(c, err)
		return
	}
	s.showResource(c, http.StatusOK, k, changed)
}

func (s *Server) removeKind(k kind) gin.HandlerFunc {
	return func(c *gin.Context) {
		id, err := idOf(c, k)
		if err == nil {
			err = k.remove(c.Request.Context(), s.o.Administration, s.callOf(c), id)
		}
		if err != nil {
			s.writeFailure(c, err)
			return
		}
		c.Status(http.StatusNoContent)
	}
}
