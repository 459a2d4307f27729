package contracttest

import (
	"net/http"

	"github.com/stretchr/testify/require"
)

// Description describes an operation of a contract for tests.
type Description struct {
	Method string
	// Parameters are the names of all parameters, by where they are: path, query or
	// header.
	Parameters map[string][]string
	// Tagged reports whether its answers are documented to have an entity tag.
	Tagged bool
}

// Describe describes the operation with the id.
func (c *Contract) Describe(t require.TestingT, id string) Description {
	op, err := c.byID(id)
	require.NoError(t, err)
	d := Description{Method: op.method, Parameters: map[string][]string{}}
	for _, param := range op.params {
		d.Parameters[param.In] = append(d.Parameters[param.In], param.Name)
	}
	if success := op.route.Operation.Responses.Status(http.StatusOK); success != nil {
		_, d.Tagged = success.Value.Headers["ETag"]
	}
	return d
}

// WithParameter changes a request for the operation with the id: the parameter of
// the path, the query or the header gets the value, whatever that holds.
func (c *Contract) WithParameter(t require.TestingT, id string, r *http.Request, in, name, value string) {
	op, err := c.byID(id)
	require.NoError(t, err)
	switch in {
	case "path":
		_, params := c.findOperation(r)
		params[name] = value
		r.URL.RawPath = op.requestPath(c.base, params)
		r.URL.Path = c.base + op.fillPath(params)
	case "query":
		query := r.URL.Query()
		query.Set(name, value)
		r.URL.RawQuery = query.Encode()
	case "header":
		r.Header.Set(name, value)
	}
}
