package console_test

import (
	"compress/gzip"
	"encoding/base64"
	"html"
	"io"
	"net/http"
	"strings"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api/openapi"
	"github.com/procession-dev/procession/devstack/demo"
)

// pageText returns a page of a user as text, which has at most 25 KB compressed.
func (s *site) pageText(client *http.Client, path string) string {
	s.t.Helper()
	answer := s.sendRequest(client, http.MethodGet, path, nil, "Accept-Encoding", "gzip")
	require.Equal(s.t, http.StatusOK, answer.status, path)
	require.LessOrEqual(s.t, len(answer.body), 25_000, path)
	plain, err := gzip.NewReader(strings.NewReader(string(answer.body)))
	require.NoError(s.t, err)
	page, err := io.ReadAll(plain)
	require.NoError(s.t, err)
	return html.UnescapeString(string(page))
}

func TestReferenceHasEveryOperationAndSchema(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	bob := s.clientWithToken(demo.Bob().Secret)
	apis := s.pageText(bob, "reference")
	for code, document := range map[string]string{"2024-06-14": openapi.ShapeB, "2022-10-08": openapi.ShapeA, "admin": openapi.Admin} {
		doc, err := openapi.Load(document)
		require.NoError(t, err)
		require.Contains(t, apis, doc.Info.Title)
		all := s.pageText(bob, "reference/"+code)
		require.Contains(t, all, `href="/openapi/`+document+`"`)
		for path, item := range doc.Paths.Map() {
			for method, op := range item.Operations() {
				require.Contains(t, all, "/console/reference/"+code+"/operations/"+op.OperationID+`"`)
				page := s.pageText(bob, "reference/"+code+"/operations/"+op.OperationID)
				require.Contains(t, page, method+" "+doc.Servers[0].URL+path)
				require.Contains(t, page, strings.TrimSuffix(s.url, "/console/")+doc.Servers[0].URL)
				for status := range op.Responses.Map() {
					if status != "default" {
						require.Contains(t, page, status, op.OperationID)
					}
				}
				for _, p := range op.Parameters {
					require.Contains(t, page, p.Value.Name, op.OperationID)
				}
			}
		}
		for name, schema := range doc.Components.Schemas {
			page := s.pageText(bob, "reference/"+code+"/schemas/"+name)
			for member := range schema.Value.Properties {
				require.Contains(t, page, ">"+member+"<", name)
			}
		}
	}
}

func TestReferenceIsSearched(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	bob := s.clientWithToken(demo.Bob().Secret)
	found := s.pageText(bob, "reference/2024-06-14?q=PROCESS-ITEMS+claim")
	require.Contains(t, found, "/operations/claimProcessItemTask\"")
	require.NotContains(t, found, "/operations/createProcess\"")
	require.Contains(t, s.pageText(bob, "reference/admin?q=no+such+words"), "No operation matches.")
	for _, path := range []string{"v1", "admin/operations/no-such", "admin/schemas/no-such", "2022-10-08/operations/applyResources"} {
		require.Equal(t, http.StatusNotFound, s.sendRequest(bob, http.MethodGet, "reference/"+path, nil).status, path)
	}
}

// Webhooks have pages with an example that is signed as described.
func TestReferenceHasWebhooks(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	bob := s.clientWithToken(demo.Bob().Secret)
	receiver, err := standardwebhooks.NewWebhook("whsec_" + base64.StdEncoding.EncodeToString([]byte("the secret of an example")))
	require.NoError(t, err)
	for _, code := range []string{"2024-06-14", "2022-10-08"} {
		require.Contains(t, s.pageText(bob, "reference/"+code), "/console/reference/"+code+`/operations/deliverEvent"`)
		page := s.pageText(bob, "reference/"+code+"/operations/deliverEvent")
		_, example, _ := strings.Cut(page, " /of-the-subscription HTTP/1.1\n")
		example, _, _ = strings.Cut(example, "</pre>")
		head, body, _ := strings.Cut(example, "\n\n")
		headers := http.Header{}
		for line := range strings.SplitSeq(head, "\n") {
			name, value, _ := strings.Cut(line, ": ")
			headers.Set(name, value)
		}
		require.NoError(t, receiver.VerifyIgnoringTimestamp([]byte(body), headers))
		require.Contains(t, body, `"PROCESS.`)
		require.Contains(t, page, "openssl dgst -sha256")
		require.NotContains(t, page, "Authorization: Bearer")
	}
}

// The pages of operations say who may.
func TestReferenceShowsPermittedCallers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	bob := s.clientWithToken(demo.Bob().Secret)
	claim := s.pageText(bob, "reference/2024-06-14/operations/claimProcessItemTask")
	require.Contains(t, claim, "<li>Candidates of the task</li>")
	require.NotContains(t, claim, "<li>Managers of the definition</li>")
	require.Contains(t, s.pageText(bob, "reference/admin/operations/examineHealth"), "<li>Operators of the installation</li>")
}

// The example is a valid shell command.
func TestReferenceHasExamples(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	bob := s.clientWithToken(demo.Bob().Secret)
	page := s.pageText(bob, "reference/2024-06-14/operations/createProcess")
	require.Contains(t, page, `curl "`+strings.TrimSuffix(s.url, "/console/")+`/v2024-06-14/processes" \
  --request POST \
  --header "Authorization: Bearer $TOKEN" \
  --header "Content-Type: application/json" \
  --data '{`)
	require.Contains(t, s.pageText(bob, "reference/2024-06-14/operations/retrieveProcess"), "/v2024-06-14/processes/${id}\" \\\n")
}
