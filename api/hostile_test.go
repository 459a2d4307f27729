package api_test

import (
	"encoding/base64"
	"flag"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

// hostileValues returns values that no parameter expects.
func hostileValues() []string {
	return []string{
		"\x00", "a\x00b", "\xff", "\xc3\x28", "\xed\xa0\x80", "\u202e\ufeff", strings.Repeat("x", 64<<10), strings.Repeat("9", 400),
		"-1", "9223372036854775808", "1e999", "NaN", "' OR 1=1 --", "%00", "%", "..", "../..", "a/b", `"`, `*`, `\`, "{}", "[]", "null",
		"${ error }", "0001-01-01T00:00:00Z", "99999-01-01T00:00:00Z", "2026-01-01T00:00:00+99:99",
		"00000000-0000-0000-0000-000000000000", "ku:process/x/document/y", "kuflow-file:uri=\x00;",
	}
}

// hostile is a service of both shapes and the administration with a valid request
// for every operation.
type hostile struct {
	*apitest.Administered
	operations map[string]operation
}

func newHostile(t *testing.T) *hostile {
	t.Helper()
	h := &hostile{Administered: apitest.NewAdministered(t), operations: map[string]operation{}}
	maps.Copy(h.operations, newFixture(h.Service).operations())
	for id, op := range makeThings(h.Administered, "north", "hostile").operations() {
		if slices.Contains(apitest.Contracts["admin"].Operations(), id) {
			h.operations["admin."+id] = op
		}
	}
	return h
}

func (h *hostile) account(name string) demo.Account {
	if strings.HasPrefix(name, "admin.") {
		return h.As("owner")
	}
	return demo.LoanWorker()
}

// requireRefusedAtMost requires that a request is not answered with a failure of
// the service. It goes to the handler directly: a client would refuse to send it.
func (h *hostile) requireRefusedAtMost(r *http.Request, what ...any) {
	h.T.Helper()
	answer := httptest.NewRecorder()
	h.Handler.ServeHTTP(answer, r)
	require.Less(h.T, answer.Code, 500, append([]any{"%s %s %s %.80q: %s"}, append(what, answer.Body.String())...)...)
}

// eachParameter visits the parameters of an operation in its contract, and the headers
// that all operations read.
func (h *hostile) eachParameter(name string, visit func(in, parameter string)) {
	h.T.Helper()
	contract, id := contractOf(name)
	for in, parameters := range contract.Describe(h.T, id).Parameters {
		for _, parameter := range parameters {
			visit(in, parameter)
		}
	}
	for _, header := range []string{"X-Request-Id", "Range", "Last-Event-ID", "Content-Type", "Accept-Encoding", "X-Forwarded-For"} {
		visit("header", header)
	}
}

// sendRequest sends the valid request of an operation with another value of a parameter.
func (h *hostile) sendRequest(name, in, parameter, value string) {
	h.T.Helper()
	contract, id := contractOf(name)
	op := h.operations[name]
	r := apitest.Request(h.T, h.account(name), op.method, op.path, op.body)
	contract.WithParameter(h.T, id, r, in, parameter, value)
	h.requireRefusedAtMost(r, name, in, parameter, value)
}

// hostileRounds is how often every parameter gets every value, and as many random
// ones. make fuzz asks for more than none.
var hostileRounds = flag.Int("hostile-rounds", 0, "how often every parameter gets every hostile value")

// No value of a parameter makes the service fail. Without -hostile-rounds the worst
// values are for all parameters in paths and queries, and the others for one each; to
// headers, which are read in one place, goes one by turns.
func TestNoParameterMakesTheServiceFail(t *testing.T) {
	t.Parallel()
	h := newHostile(t)
	values := hostileValues()
	turn := 0
	for _, name := range slices.Sorted(maps.Keys(h.operations)) {
		h.eachParameter(name, func(in, parameter string) {
			turn++
			if in == "header" {
				h.sendRequest(name, in, parameter, values[turn%len(values)])
				return
			}
			for _, value := range values[:7] {
				h.sendRequest(name, in, parameter, value)
			}
			h.sendRequest(name, in, parameter, values[7+turn%(len(values)-7)])
		})
		for range *hostileRounds {
			h.eachParameter(name, func(in, parameter string) {
				for _, value := range values {
					h.sendRequest(name, in, parameter, value)
					h.sendRequest(name, in, parameter, mutateValue(value))
				}
			})
		}
	}
	for _, value := range append(values, "x:\x00", "\x00:x") {
		for _, header := range []string{"Bearer " + value, "Basic " + base64.StdEncoding.EncodeToString([]byte(value))} {
			r := apitest.Request(t, demo.LoanWorker(), "GET", "/processes", "")
			r.Header.Set("Authorization", header)
			h.requireRefusedAtMost(r, "B.findProcesses", "header", "Authorization", value)
		}
	}
	for _, path := range []string{"/openapi/%00", "/schemas/procession/v1/%ff.json", "/%00", "/.well-known/%ff"} {
		h.requireRefusedAtMost(httptest.NewRequest(http.MethodGet, path, nil), "GET", "path", path, "")
	}
	r := apitest.Request(t, demo.LoanWorker(), "GET", "/kms/keys/%00", "")
	answer := httptest.NewRecorder()
	h.Handler.ServeHTTP(answer, r)
	require.Equal(t, 404, answer.Code, answer.Body.String())
}

// mutateValue returns the value with a few bytes that are not its own.
func mutateValue(value string) string {
	bytes := []byte(value + "?")
	for range 1 + rand.IntN(4) {
		bytes[rand.IntN(len(bytes))] = byte(rand.IntN(256))
	}
	return string(bytes)
}

// A fixed path takes precedence over paths with parameters that match it.
func TestAFixedPathHasItsOwnMethods(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	got := s.Send(contracttest.Invalid(apitest.Request(t, s.NewOperator(), http.MethodGet, apitest.ApplyPath, "")))
	require.Equal(t, 405, got.Status, got.Body)
	require.Equal(t, "POST", got.Header.Get("Allow"))
}

// A caller without credentials does not learn how large a body may be.
func TestCredentialsComeBeforeTheSizeOfTheBody(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t, func(o *api.Options) { o.BodyLimit = 100 })
	large := func() *http.Request {
		return contracttest.Invalid(apitest.Request(t, demo.LoanWorker(), "POST", "/processes", `{"id":"`+strings.Repeat("x", 200)+`"}`))
	}
	require.Equal(t, 413, s.Send(large()).Status)
	anonymous := large()
	anonymous.Header.Del("Authorization")
	require.Equal(t, 401, s.Send(anonymous).Status)
}
