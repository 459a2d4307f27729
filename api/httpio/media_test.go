package httpio_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
)

const authentications = "/v2024-06-14/authentications"

func TestContentTypesOfJSON(t *testing.T) {
	t.Parallel()
	accepted := []string{
		"application/json", "Application/JSON", "application/json;", "application/json ; ", "application/json;;charset=utf-8",
		"application/json; foo=bar", `application/json; foo="a;b\"c"; charset=utf-8`, "application/json;odata=verbose;q=1",
	}
	for _, charset := range []string{"utf-8", "UTF-8", "utf8", "Utf8", `"utf-8"`, `"UTF8"`, `"u\tf-8"`, "us-ascii"} {
		accepted = append(accepted, "application/json;charset="+charset, "application/json ;\t Charset="+charset+" ; a=b",
			"application/json; charset="+charset+";charset="+charset)
	}
	for _, media := range accepted {
		answer := do(t, stub{}, call(http.MethodPost, authentications, media, `{"type":"ENGINE"}`))
		require.NotEqual(t, http.StatusUnsupportedMediaType, answer.Code, media)
	}
	for _, media := range []string{
		"", "json", "application", "application/", "/json", "application/json/x", "application /json", "text/json", "*/*",
		"application/json charset=utf-8", "application/json; charset", "application/json; charset=", "application/json; charset =utf-8",
		"application/json; charset= utf-8", `application/json; charset="utf-8`, `application/json; a="b"c`, "application/json, application/json",
		"application/json; charset=latin1", "application/json; charset=utf-16", "application/json; charset=utf-8; charset=utf-16",
		"application/jsonx", "é/x", "application/json;=x",
	} {
		answer := do(t, stub{}, call(http.MethodPost, authentications, media, `{"type":"ENGINE"}`))
		require.Equal(t, http.StatusUnsupportedMediaType, answer.Code, media)
		require.Equal(t, []string{"header Content-Type"}, locations(t, answer), media)
		require.Equal(t, "application/json", answer.Header().Get("Accept"), media)
		require.Empty(t, answer.Header().Get("Accept-Encoding"), media)
	}
	twice := call(http.MethodPost, authentications, "application/json", `{"type":"ENGINE"}`)
	twice.Header.Add("Content-Type", "text/plain")
	require.Equal(t, http.StatusUnsupportedMediaType, do(t, stub{}, twice).Code)
}

func TestCompressedBodiesAreRefusedAtTheirEncoding(t *testing.T) {
	t.Parallel()
	paths := map[string]string{
		authentications: "application/json",
		"/v2024-06-14/processes/" + id + "/~actions/upload-document?fileContentType=text/plain&fileName=a.txt": "",
	}
	for path, media := range paths {
		for _, codings := range [][]string{{"gzip"}, {"GZIP"}, {"identity, br"}, {"identity", "deflate"}, {"x-unknown"}, {"gzip,"}} {
			r := call(http.MethodPost, path, media, `{"type":"ENGINE"}`)
			r.Header["Content-Encoding"] = codings
			answer := do(t, stub{}, r)
			require.Equal(t, http.StatusUnsupportedMediaType, answer.Code, codings)
			require.Equal(t, []string{"header Content-Encoding"}, locations(t, answer), codings)
			require.Equal(t, "identity", answer.Header().Get("Accept-Encoding"), codings)
			require.Empty(t, answer.Header().Get("Accept"), codings)
		}
	}
	server := stub{start: func(*oasb.ProcessCreateParams) {}}
	for _, coding := range []string{"", "identity", "Identity", " , identity,identity"} {
		r := call(http.MethodPost, "/v2024-06-14/processes", "application/json", `{"processDefinitionId":"`+id+`"}`)
		r.Header.Set("Content-Encoding", coding)
		answer := do(t, server, r)
		require.Less(t, answer.Code, 300, strings.TrimSpace(answer.Body.String()))
	}
}
