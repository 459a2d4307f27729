package api_test

import (
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/test/kit/apitest"
)

var (
	scimPython = flag.String("scim-python", "", "Python with scim2-tester")
	scimScript = flag.String("scim-script", "", "script that tests a server with scim2-tester")
)

// directory is a directory of the tenant north.
type directory struct {
	*apitest.Administered

	server *httptest.Server
	token  string
}

func newDirectory(t *testing.T) *directory {
	t.Helper()
	s := apitest.NewAdministered(t)
	d := &directory{Administered: s, server: httptest.NewServer(s.Handler), token: issueDirectoryToken(s, "north")}
	t.Cleanup(d.server.Close)
	return d
}

func issueDirectoryToken(s *apitest.Administered, tenant string) string {
	issued := s.Post(201, s.Of(tenant, "owner"), apitest.AdminAPI+"/directory-tokens?tenant="+tenant, `{"name":"directory"}`)
	return apitest.Decode[oasadmin.IssuedSecret](s.T, issued).Value
}

// scim is a resource, a list or an error.
type scim map[string]any

func (r scim) text(name string) string {
	text, _ := r[name].(string)
	return text
}

// send makes a request with an Authorization header.
func (d *directory) send(method, path, authorization, body string, header ...string) (int, http.Header, scim) {
	d.T.Helper()
	r, err := http.NewRequestWithContext(d.T.Context(), method, d.server.URL+"/scim/v2"+path, strings.NewReader(body))
	require.NoError(d.T, err)
	r.Header.Set("Authorization", authorization)
	r.Header.Set("Content-Type", "application/scim+json")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := d.server.Client().Do(r)
	require.NoError(d.T, err)
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	require.NoError(d.T, err)
	var answer scim
	if len(text) > 0 {
		require.NoError(d.T, json.Unmarshal(text, &answer), string(text))
	}
	return resp.StatusCode, resp.Header, answer
}

// do makes a request of the directory and requires the status of the answer.
func (d *directory) do(status int, method, path, body string) scim {
	d.T.Helper()
	got, _, answer := d.send(method, path, "Bearer "+d.token, body)
	require.Equal(d.T, status, got, "%s %s: %v", method, path, answer)
	return answer
}

// requireRefusal requires an error of a type.
func (d *directory) requireRefusal(status int, scimType, method, path, body string) {
	d.T.Helper()
	answer := d.do(status, method, path, body)
	require.Equal(d.T, scimType, answer.text("scimType"), "%s %s: %v", method, path, answer)
	require.Equal(d.T, []any{"urn:ietf:params:scim:api:messages:2.0:Error"}, answer["schemas"])
}

const (
	scimUser  = `"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"]`
	scimGroup = `"schemas":["urn:ietf:params:scim:schemas:core:2.0:Group"]`
)

func (d *directory) newUser(name string) string {
	d.T.Helper()
	return d.do(201, http.MethodPost, "/Users", `{`+scimUser+`,"userName":"`+name+`@corp.example","externalId":"x-`+name+`",
		"name":{"givenName":"`+name+`","familyName":"Doe"},"active":true}`).text("id")
}

func patchBody(operations string) string {
	return `{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[` + operations + `]}`
}

func (d *directory) spec(kind, code string) map[string]any {
	d.T.Helper()
	found := d.Get(200, d.As("owner"), apitest.ResourcePath("north", kind, code, ""))
	return apitest.Decode[struct{ Spec map[string]any }](d.T, found).Spec
}

func TestDirectoryProvisionsUsersAndGroups(t *testing.T) {
	t.Parallel()
	d := newDirectory(t)
	ana := d.newUser("ana")
	require.Equal(t, map[string]any{"name": "ana Doe", "email": "ana@corp.example", "role": "MEMBER"}, d.spec("User", "ana"))

	list := d.do(200, http.MethodGet, "/Users?filter="+url.QueryEscape(`userName eq "ANA@corp.example" and active eq true`), "")
	require.InDelta(t, 1, list["totalResults"], 0)
	list = d.do(200, http.MethodGet, "/Users?count=2&startIndex=2", "")
	require.InDelta(t, 8, list["totalResults"], 0)
	require.Len(t, list["Resources"], 2)

	group := d.do(201, http.MethodPost, "/Groups", `{`+scimGroup+`,"displayName":"Clerks of Doe","externalId":"g1","members":[{"value":"`+ana+`"}]}`)
	require.Equal(t, []any{map[string]any{"user": "ana"}}, d.spec("Group", "Clerks-of-Doe")["members"])
	bo := d.newUser("bo")
	path := "/Groups/" + group.text("id")
	d.do(200, http.MethodPatch, path, patchBody(`{"op":"Add","path":"members","value":[{"value":"`+bo+`"}]}`))
	changed := d.do(200, http.MethodPatch, path, patchBody(`{"op":"remove","path":"members[value eq \"`+ana+`\"]"}`))
	require.Len(t, changed["members"], 1)
	require.Equal(t, []any{map[string]any{"user": "bo"}}, d.spec("Group", "Clerks-of-Doe")["members"])
	require.Len(t, d.do(200, http.MethodGet, "/Users/"+bo, "")["groups"], 1)

	d.do(200, http.MethodPatch, "/Users/"+bo, patchBody(`{"op":"Replace","path":"active","value":"False"},{"op":"replace","value":{"name.givenName":"Bo"}}`))
	require.Equal(t, true, d.spec("User", "bo")["disabled"])
	d.do(204, http.MethodDelete, "/Users/"+bo, "")
	d.do(404, http.MethodGet, "/Users/"+bo, "")
	require.Empty(t, d.spec("Group", "Clerks-of-Doe")["members"])
	d.do(204, http.MethodDelete, path, "")
	require.Positive(t, d.Count(`SELECT count(*) FROM events WHERE type = 'RESOURCE.CREATED' AND actor_id = '01970000-0000-7000-8000-000000000002'`))
}

func TestDirectoryRefusesInvalidRequests(t *testing.T) {
	t.Parallel()
	d := newDirectory(t)
	ana := "/Users/" + d.newUser("ana")
	d.requireRefusal(409, "uniqueness", http.MethodPost, "/Users", `{`+scimUser+`,"userName":"ANA@corp.example"}`)
	d.requireRefusal(409, "uniqueness", http.MethodPost, "/Users", `{`+scimUser+`,"userName":"other","emails":[{"value":"owner@north.example"}]}`)
	d.requireRefusal(400, "invalidValue", http.MethodPost, "/Users", `{`+scimUser+`,"userName":"not an address"}`)
	d.requireRefusal(400, "invalidSyntax", http.MethodPost, "/Users", `{`)
	d.requireRefusal(400, "invalidSyntax", http.MethodPost, "/Users", `{"userName":"x@corp.example"}`)
	d.requireRefusal(400, "invalidValue", http.MethodPost, "/Groups", `{`+scimGroup+`,"displayName":"G","members":[{"value":"`+strings.Repeat("0", 8)+`-0000-0000-0000-000000000000"}]}`)
	d.requireRefusal(400, "invalidFilter", http.MethodGet, "/Users?filter="+url.QueryEscape(`password eq "x"`), "")
	d.requireRefusal(400, "invalidFilter", http.MethodGet, "/Users?filter="+url.QueryEscape(strings.Repeat("(", 9)+"id pr"+strings.Repeat(")", 9)), "")
	d.requireRefusal(400, "mutability", http.MethodPatch, ana, patchBody(`{"op":"replace","path":"emails[type eq \"work\"].value","value":"b@corp.example"}`))
	d.requireRefusal(400, "mutability", http.MethodPatch, ana, patchBody(`{"op":"add","path":"groups","value":[{"value":"x"}]}`))
	d.requireRefusal(400, "noTarget", http.MethodPatch, ana, patchBody(`{"op":"remove"}`))
	d.requireRefusal(400, "invalidPath", http.MethodPatch, ana, patchBody(`{"op":"add","path":"shoeSize","value":"x"}`))
	d.do(200, http.MethodPatch, ana, patchBody(`{"op":"add","path":"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department","value":"x"}`))

	_, header, _ := d.send(http.MethodGet, ana, "Bearer "+d.token, "")
	status, _, _ := d.send(http.MethodGet, ana, "Bearer "+d.token, "", "If-None-Match", header.Get("ETag"))
	require.Equal(t, 304, status)
	status, _, _ = d.send(http.MethodDelete, ana, "Bearer "+d.token, "", "If-Match", `"old"`)
	require.Equal(t, 412, status)
	d.do(200, http.MethodGet, ana, "")
}

// A token of a directory is valid for the directory of its tenant only, and other credentials are not valid there.
func TestDirectoryCredentialsAreSeparate(t *testing.T) {
	t.Parallel()
	d := newDirectory(t)
	for _, authorization := range []string{"", "Bearer x", apitest.Authorization(d.As("owner")), apitest.Authorization(d.As("worker")), "Basic " + d.token} {
		status, header, answer := d.send(http.MethodGet, "/Users", authorization, "")
		require.Equal(t, 401, status, "%s: %v", authorization, answer)
		require.NotEmpty(t, header.Values("WWW-Authenticate"))
	}
	for _, path := range []string{"/admin/v1/resources", "/v2024-06-14/processes", "/v2022-10-08/processes"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.server.URL+path, http.NoBody)
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+d.token)
		resp, err := d.server.Client().Do(r)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, 401, resp.StatusCode, path)
	}
	ana := d.newUser("ana")
	north := d.token
	d.token = issueDirectoryToken(d.Administered, "south")
	d.do(404, http.MethodGet, "/Users/"+ana, "")
	d.do(404, http.MethodDelete, "/Users/"+ana, "")
	d.do(404, http.MethodPatch, "/Users/"+ana, patchBody(`{"op":"replace","path":"active","value":false}`))
	list := d.do(200, http.MethodGet, "/Users?filter="+url.QueryEscape(`userName eq "ana@corp.example"`), "")
	require.InDelta(t, 0, list["totalResults"], 0)
	d.requireRefusal(400, "invalidValue", http.MethodPost, "/Groups", `{`+scimGroup+`,"displayName":"G","members":[{"value":"`+ana+`"}]}`)
	// A person of several tenants is one principal.
	require.Equal(t, ana, d.newUser("ana"))
	d.do(204, http.MethodDelete, "/Users/"+ana, "")
	d.token = north
	d.do(200, http.MethodGet, "/Users/"+ana, "")
}

// Manifests and a directory do not change the same members of a resource.
func TestDirectoryAndManifestsDoNotCompete(t *testing.T) {
	t.Parallel()
	d := newDirectory(t)
	owner := d.As("owner")
	viewer := "/Users/" + d.As("viewer").ID.String()
	block := patchBody(`{"op":"replace","path":"active","value":false}`)
	d.do(403, http.MethodPatch, viewer, block)
	d.do(403, http.MethodDelete, viewer, "")

	ana := "/Users/" + d.newUser("ana")
	apply := func(status int, spec string) {
		d.Post(status, owner, apitest.ApplyPath, apitest.Applying("", apitest.Document("north", "User", "ana", spec)))
	}
	apply(400, `{"name":"Another","email":"ana@corp.example"}`)
	apply(200, `{"name":"ana Doe","email":"ana@corp.example","role":"ADMINISTRATOR","disabled":true}`)
	// The block of an administrator stays when the directory writes other attributes, or that the user is active.
	d.do(200, http.MethodPatch, ana, patchBody(`{"op":"replace","path":"displayName","value":"Ana"},{"op":"replace","path":"active","value":true}`))
	require.Equal(t, map[string]any{"name": "Ana", "email": "ana@corp.example", "role": "ADMINISTRATOR", "disabled": true}, d.spec("User", "ana"))
	d.do(200, http.MethodPatch, ana, block)
	apply(400, `{"name":"Ana","email":"ana@corp.example"}`)
	d.Call(409, owner, http.MethodDelete, apitest.ResourcePath("north", "User", "ana", ""), "")

	tenant := `{"apiVersion":"procession/v1","kind":"Tenant","metadata":{"code":"north"},"spec":{"name":"North","provisioning":{"adopt":true}}}`
	d.Post(200, owner, apitest.ApplyPath, apitest.Applying("", tenant))
	d.do(200, http.MethodPatch, viewer, block)
	require.Equal(t, true, d.spec("User", "viewer")["disabled"])
}

// A user who leaves with open work is deactivated all the same.
func TestDirectoryDeactivatesUsersWithOpenWork(t *testing.T) {
	t.Parallel()
	d := newDirectory(t)
	tenant := `{"apiVersion":"procession/v1","kind":"Tenant","metadata":{"code":"north"},"spec":{"name":"North","provisioning":{"adopt":true}}}`
	d.Post(200, d.As("owner"), apitest.ApplyPath, apitest.Applying("", tenant))
	candidate := "/Users/" + d.As("candidate").ID.String()
	d.do(200, http.MethodPatch, candidate, patchBody(`{"op":"replace","path":"active","value":false}`))
	require.Equal(t, 1, d.Count(`SELECT count(*) FROM events WHERE type = 'USER.LEFT_WORK'`))
	// The rights in manifests refer to the user, who departs with them.
	d.do(204, http.MethodDelete, candidate, "")
	d.do(404, http.MethodGet, candidate, "")
	require.Equal(t, true, d.spec("User", "candidate")["disabled"])
	back := d.do(201, http.MethodPost, "/Users", `{`+scimUser+`,"userName":"candidate@north.example"}`)
	require.Equal(t, d.As("candidate").ID.String(), back.text("id"))
	require.NotContains(t, d.spec("User", "candidate"), "disabled")
}

// It runs with the Python of `make compat`.
func TestForeignDirectory(t *testing.T) {
	t.Parallel()
	if *scimPython == "" {
		t.Skip("needs -scim-python")
	}
	d := newDirectory(t)
	cmd := exec.CommandContext(t.Context(), *scimPython, *scimScript, d.server.URL+"/scim/v2")
	cmd.Env = append(os.Environ(), "SCIM_TOKEN="+d.token)
	out, err := cmd.CombinedOutput()
	t.Log(string(out))
	require.NoError(t, err)
}
