package contracttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api/httpio"
)

// badWord is no UUID, e-mail address, number, sort order or enum value.
const badWord = "no-such-thing"

// BadInput is a request that breaks the contract in one way, with the expected
// message.
type BadInput struct {
	Name         string
	Request      *http.Request
	Status       int
	LocationType string
	Location     string
	Beneath      bool // the location may also be beneath Location
}

// BadInputs derives from a valid request for an operation every way to break
// it that the contract knows: parameters, media type, and body. valid makes a
// new request each time, complete with credentials.
func (c *Contract) BadInputs(operationID string, valid func() *http.Request) ([]BadInput, error) {
	op, err := c.byID(operationID)
	if err != nil {
		return nil, err
	}
	sample := valid()
	found, params := c.findOperation(sample)
	if found != op {
		return nil, fmt.Errorf("sample request %s %s is not for %s", sample.Method, sample.URL.Path, operationID)
	}
	bad := op.badPaths(c.base, params, valid)
	bad = append(bad, op.badQueries(valid)...)
	bodies, err := op.badBodies(sample, valid, c.BodyLimit)
	if err != nil {
		return nil, fmt.Errorf("breaking body of %s: %w", operationID, err)
	}
	return append(bad, bodies...), nil
}

// RunBadInputs sends every BadInput of an operation and requires the right
// status and an entry that names the location.
func (c *Contract) RunBadInputs(t *testing.T, client *http.Client, operationID string, valid func() *http.Request) {
	t.Helper()
	inputs, err := c.BadInputs(operationID, valid)
	require.NoError(t, err)
	for _, input := range inputs {
		t.Run(operationID+"/"+input.Name, func(t *testing.T) {
			resp, err := client.Do(Invalid(input.Request))
			require.NoError(t, err)
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			require.Equal(t, input.Status, resp.StatusCode, "%s", body)
			var answer ErrorBody
			require.NoError(t, json.Unmarshal(body, &answer))
			require.True(t, input.namedBy(answer.Errors), "no entry for %s %q in %s", input.LocationType, input.Location, body)
		})
	}
}

func (b BadInput) namedBy(infos []ErrorInfo) bool {
	for _, info := range infos {
		if info.LocationType != b.LocationType || info.Code != "VALIDATION" {
			continue
		}
		if info.Location == b.Location || b.Beneath && strings.HasPrefix(info.Location, b.Location) {
			return true
		}
	}
	return false
}

func (op *operation) badPaths(base string, params map[string]string, valid func() *http.Request) []BadInput {
	var bad []BadInput
	for _, param := range op.params {
		if param.In != openapi3.ParameterInPath || param.Schema.Value.Format != "uuid" {
			continue
		}
		broken := maps.Clone(params)
		broken[param.Name] = badWord
		request := valid()
		request.URL.Path, request.URL.RawPath = op.requestPath(base, broken), ""
		bad = append(bad, BadInput{
			Name: "path " + param.Name, Request: request,
			Status: http.StatusBadRequest, LocationType: "path", Location: param.Name,
		})
	}
	return bad
}

func (op *operation) badQueries(valid func() *http.Request) []BadInput {
	var bad []BadInput
	for _, param := range op.params {
		if param.In != openapi3.ParameterInQuery {
			continue
		}
		for _, value := range badQueryValues(param.Schema.Value) {
			request := valid()
			query := request.URL.Query()
			query.Set(param.Name, value)
			request.URL.RawQuery = query.Encode()
			bad = append(bad, BadInput{
				Name: "query " + param.Name + "=" + strconv.Quote(value), Request: request,
				Status: http.StatusBadRequest, LocationType: "query", Location: param.Name,
			})
		}
	}
	return bad
}

func badQueryValues(schema *openapi3.Schema) []string {
	if schema.Type.Is(openapi3.TypeArray) {
		schema = schema.Items.Value
	}
	if schema.Type.Is(openapi3.TypeInteger) {
		values := []string{badWord, "1.5", ""}
		if schema.Max != nil {
			values = append(values, strconv.FormatInt(int64(*schema.Max)+1, 10), "99999999999999999999")
		}
		if schema.Min != nil {
			values = append(values, strconv.FormatInt(int64(*schema.Min)-1, 10))
		}
		return values
	}
	values := []string{"\x00", "\xff"}
	if schema.MinLength > 0 {
		values = append(values, "")
	}
	if schema.VisitJSON(badWord, httpio.StringFormats()) != nil {
		values = append(values, badWord)
	}
	return values
}

func (op *operation) badBodies(sample *http.Request, valid func() *http.Request, limit int) ([]BadInput, error) {
	described := op.route.Operation.RequestBody
	if described == nil || described.Value.Content["application/octet-stream"] != nil {
		return nil, nil
	}
	data, err := io.ReadAll(sample.Body)
	if err != nil {
		return nil, fmt.Errorf("reading sample body: %w", err)
	}
	with := func(name, body, location string) BadInput {
		request := valid()
		request.Body = io.NopCloser(strings.NewReader(body))
		request.ContentLength = int64(len(body))
		return BadInput{
			Name: "body " + name, Request: request,
			Status: http.StatusBadRequest, LocationType: "body", Location: location,
		}
	}
	text := strings.TrimSpace(string(data))
	open := strings.IndexByte(text, '{')
	if open < 0 {
		return nil, fmt.Errorf("sample body holds no object: %.40s", text)
	}
	inside, depth := "", 127
	if text[0] == '[' {
		inside, depth = "/0", 126
	}
	inject := func(members string) string { return text[:open+1] + members + "," + text[open+1:] }
	deep := with("129 deep", inject(`"deep":`+strings.Repeat("[", depth+1)+strings.Repeat("]", depth+1)), inside+"/deep")
	deep.Beneath = true
	tooLarge := with("too large", text+strings.Repeat(" ", limit), "")
	tooLarge.Status = http.StatusRequestEntityTooLarge
	media := with("as text/plain", text, "Content-Type")
	media.Request.Header.Set("Content-Type", "text/plain")
	media.Status, media.LocationType = http.StatusUnsupportedMediaType, "header"
	bad := []BadInput{
		deep, tooLarge, media,
		with("cut off", text[:len(text)-1], ""),
		with("followed by text", text+"x", ""),
		with("not UTF-8", strings.Replace(text, "{", "{\"\xff\":1,", 1), ""),
		with("duplicate member", inject(`"twice":1,"twice":2`), inside+"/twice"),
		with("duplicate escaped member", inject(`"twice":1,"tw\u0069ce":2`), inside+"/twice"),
		with("empty", "", ""),
		with("null", "null", ""),
		with("of wrong type", `"text"`, ""),
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		return nil, fmt.Errorf("decoding sample body: %w", err)
	}
	for _, media := range described.Value.Content {
		for _, change := range changesOf("", value, media.Schema.Value) {
			var buffer bytes.Buffer
			if err := json.NewEncoder(&buffer).Encode(change.applyTo(value)); err != nil {
				return nil, fmt.Errorf("encoding %s: %w", change.name, err)
			}
			bad = append(bad, with(change.name, buffer.String(), change.location))
		}
		break // all media types of an operation share one schema
	}
	return bad, nil
}
