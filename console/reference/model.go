package reference

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/yuin/goldmark"

	"github.com/procession-dev/procession/api/openapi"
)

// contract is an API as pages show it. Fields called About hold HTML.
type contract struct {
	// Code names the contract in paths, Document is the name of its source.
	Code, Document string
	Title, About   string
	Groups         []group
	// Ways are the supported ways of authentication.
	Ways []way
	// Failures are the codes of errors.
	Failures   []string
	operations map[string]*operation
	document   *openapi3.T
}

// group is the operations with a tag.
type group struct {
	Name, About string
	Operations  []*operation
}

// way is one in which callers prove who they are.
type way struct{ Name, About string }

// operation is a method at a path, or a request that the service sends to subscribers.
type operation struct {
	ID, Method, Path, Tag, Summary, About string
	// Permitted are the callers who may, as x-permitted names them.
	Permitted    []string
	Parameters   []member
	BodyRequired bool
	Bodies       []content
	Answers      []answer
	// Delivery is an example of a request that the service sends, "" for operations of the service.
	Delivery string

	// curl is the example of a call, without the address of the service.
	curl string
	// words is the searched text in lower case.
	words string
}

// content is a body in one media type.
type content struct {
	MediaType string
	Schema    *schema
}

// answer is an answer of an operation. The status "default" stands for all statuses without an answer.
type answer struct {
	Status, About string
	Headers       []member
	Contents      []content
}

// isError reports whether the answer reports a failure.
func (a answer) isError() bool { return a.Status == "default" || a.Status >= "400" }

// cover contains the summary of a contract.
type cover struct {
	Code, Title, About string
	Operations         int
}

// source creates the model of a contract at its first use.
type source struct {
	code, document string
	model          func() (*contract, error)
}

// readCover needs no model: making all of them takes as long as a person notices.
func (s source) readCover() (cover, error) {
	doc, err := openapi.Load(s.document)
	if err != nil {
		return cover{}, fmt.Errorf("reading contract: %w", err)
	}
	operations := 0
	for _, item := range doc.Paths.Map() {
		operations += len(item.Operations())
	}
	return cover{s.code, doc.Info.Title, renderMarkdown(doc.Info.Description), operations}, nil
}

//nolint:gochecknoglobals // made once, from documents that are part of the program
var sources = []source{
	sourceOf("2024-06-14", openapi.ShapeB), sourceOf("2022-10-08", openapi.ShapeA), sourceOf("admin", openapi.Admin),
}

func sourceOf(code, document string) source {
	return source{code: code, document: document, model: sync.OnceValues(func() (*contract, error) { return readContract(code, document) })}
}

// readContract creates the model of a contract.
func readContract(code, name string) (*contract, error) {
	doc, err := openapi.Load(name)
	if err != nil {
		return nil, fmt.Errorf("reading contract: %w", err)
	}
	c := &contract{
		Code: code, Document: name, Title: doc.Info.Title, About: renderMarkdown(doc.Info.Description),
		operations: map[string]*operation{}, document: doc,
	}
	for _, requirement := range doc.Security {
		for scheme := range requirement {
			c.Ways = append(c.Ways, way{Name: scheme, About: renderMarkdown(doc.Components.SecuritySchemes[scheme].Value.Description)})
		}
	}
	if codes, ok := doc.Components.Schemas["ErrorCode"]; ok {
		c.Failures = enumTexts(codes.Value.Enum)
	}
	byTag := map[string][]*operation{}
	for path, item := range doc.Paths.Map() {
		for method, o := range item.Operations() {
			op := readOperation(doc.Servers[0].URL+path, method, item.Parameters, o)
			if op.Permitted, err = openapi.Permitted(o); err != nil {
				return nil, fmt.Errorf("reading contract: %w", err)
			}
			c.operations[op.ID] = op
			byTag[op.Tag] = append(byTag[op.Tag], op)
		}
	}
	c.addWebhooks(byTag)
	for _, tag := range doc.Tags {
		slices.SortFunc(byTag[tag.Name], func(a, b *operation) int {
			return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(methodRank(a.Method), methodRank(b.Method)))
		})
		c.Groups = append(c.Groups, group{Name: tag.Name, About: renderMarkdown(tag.Description), Operations: byTag[tag.Name]})
	}
	return c, nil
}

// addWebhooks adds the requests that the service sends.
func (c *contract) addWebhooks(byTag map[string][]*operation) {
	for _, item := range c.document.Webhooks {
		for method, o := range item.Operations() {
			op := readOperation("{url}", method, item.Parameters, o)
			op.Delivery = deliveryRequest(method, o)
			c.operations[op.ID] = op
			byTag[op.Tag] = append(byTag[op.Tag], op)
		}
	}
}

// methodRank orders the methods of a path.
func methodRank(method string) int {
	return slices.Index([]string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}, method)
}

func readOperation(path, method string, shared openapi3.Parameters, o *openapi3.Operation) *operation {
	op := &operation{
		ID: o.OperationID, Method: method, Path: path, Tag: o.Tags[0], Summary: o.Summary, About: renderMarkdown(o.Description),
		words: strings.ToLower(strings.Join([]string{method, path, o.OperationID, o.Summary, o.Description, o.Tags[0]}, " ")),
	}
	parameters := slices.Concat(shared, o.Parameters)
	for _, p := range parameters {
		op.Parameters = append(op.Parameters, member{
			Name: p.Value.Name, In: p.Value.In, Required: p.Value.Required, About: renderMarkdown(p.Value.Description),
			Schema: reading{}.readSchema(p.Value.Schema),
		})
	}
	var body openapi3.Content
	if o.RequestBody != nil {
		body = o.RequestBody.Value.Content
		op.BodyRequired = o.RequestBody.Value.Required
		op.Bodies = mediaTypes(body, reading{})
	}
	for _, status := range o.Responses.Keys() {
		op.Answers = append(op.Answers, readAnswer(status, o.Responses.Value(status).Value))
	}
	op.curl = curlCommand(method, path, parameters, body)
	return op
}

func readAnswer(status string, response *openapi3.Response) answer {
	a := answer{Status: status, About: renderMarkdown(*response.Description)}
	for _, name := range slices.Sorted(maps.Keys(response.Headers)) {
		h := response.Headers[name].Value
		a.Headers = append(a.Headers, member{
			Name: name, Required: h.Required, About: renderMarkdown(h.Description), Schema: reading{}.readSchema(h.Schema),
		})
	}
	how := reading{}
	if a.isError() {
		how.linked = true
	}
	a.Contents = mediaTypes(response.Content, how)
	return a
}

func mediaTypes(all openapi3.Content, how reading) []content {
	var found []content
	for _, mediaType := range slices.Sorted(maps.Keys(all)) {
		found = append(found, content{MediaType: mediaType, Schema: how.readSchema(all[mediaType].Schema)})
	}
	return found
}

// findOperations returns the operations that have all words of a search, by their groups. Groups without any are left out.
func (c *contract) findOperations(search string) []group {
	words := strings.Fields(strings.ToLower(search))
	var found []group
	for _, g := range c.Groups {
		matching := slices.DeleteFunc(slices.Clone(g.Operations), func(o *operation) bool {
			return slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(o.words, word) })
		})
		if len(matching) > 0 {
			found = append(found, group{Name: g.Name, About: g.About, Operations: matching})
		}
	}
	return found
}

// renderMarkdown returns a description as HTML. Markup within it is left out.
func renderMarkdown(text string) string {
	var html strings.Builder
	// It fails only where it cannot write.
	_ = goldmark.Convert([]byte(text), &html)
	return strings.TrimSpace(html.String())
}

// enumTexts returns values as they are written in JSON, texts without quotes.
func enumTexts(values []any) []string {
	written := make([]string, 0, len(values))
	for _, v := range values {
		if text, ok := v.(string); ok {
			written = append(written, text)
			continue
		}
		written = append(written, fmt.Sprint(v))
	}
	return written
}

// formatNumber formats a bound as JSON.
func formatNumber(bound float64) string { return strconv.FormatFloat(bound, 'f', -1, 64) }
