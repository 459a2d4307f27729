package console_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/internal/manifest"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

// applyManifests applies manifests as Alice.
func (s *site) applyManifests(text string) {
	s.t.Helper()
	sources, err := manifest.Parse("test.yaml", []byte(text))
	require.NoError(s.t, err)
	var documents []json.RawMessage
	for _, source := range sources {
		documents = append(documents, source.JSON)
	}
	_, err = s.administration.ApplyResources(context.Background(), s.callerOf(demo.Alice()), administration.ApplyRequest{Documents: documents})
	require.NoError(s.t, err)
}

// manifestOf returns a resource of the tenant demo.
func (s *site) manifestOf(kind resource.Kind, code string) *resource.Stored {
	s.t.Helper()
	found, err := s.administration.RetrieveResource(s.t.Context(), s.callerOf(demo.Alice()), resource.Key{Tenant: "demo", Kind: kind, Code: code})
	require.NoError(s.t, err)
	return found
}

const hostileManifests = `
apiVersion: procession/v1
kind: ProcessDefinition
metadata: {code: HOSTILE, tenant: demo}
spec:
  name: <img src=x onerror=alert(1)>"'&
  metadataSchema:
    type: object
    title: <script>alert(2)</script>
    properties:
      A: {type: string, title: "<img src=x onerror=alert(3)>", description: "</textarea><script>alert(4)</script>"}
  items:
    - {code: T, type: TASK, name: "{{7*7}}<b>", dataSchema: {type: object, properties: {B: {enum: ["</option><script>"]}}}, candidates: [{user: bob}]}
  permissions: {initiators: [{user: alice}]}
---
apiVersion: procession/v1
kind: Group
metadata: {code: HOSTILES, tenant: demo}
spec: {name: "<img src=x onerror=alert(5)>", members: [{user: bob}]}
`

// Every screen of configuration, with texts that would be markup.
func TestConfigurationIsAccessibleAndFits(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	s.applyManifests(hostileManifests)
	s.applyManifests(strings.Replace(hostileManifests, "type: string, title", "type: number, title", 1))
	screens := map[string]string{
		"definitions": "definitions", "definition": "definitions/demo/ProcessDefinition/HOSTILE",
		"no-definitions": "definitions?q=nothing+at+all", "templates": "definitions/new",
		"compare": "definitions/demo/ProcessDefinition/HOSTILE/compare", "editor": "definitions/demo/ProcessDefinition/HOSTILE/edit",
		"past-rights": "definitions/demo/ProcessDefinition/HOSTILE/rights",
		"access":      "access", "no-access": "access?person=no-such-person", "access-then": "access?at=2001-01-01T00:00",
		"people": "people", "groups": "people?kind=Group", "person": "people/demo/User/bob", "group": "people/demo/Group/HOSTILES",
		"application": "people/demo/Application/loan-worker", "robot": "people/demo/Robot/KYC_BOT",
		"leave": "people/demo/User/bob/leave?do=delete", "unowned": "people/unowned",
		"new":        "definitions/new?template=process",
		"playground": "definitions/playground?expression=" + url.QueryEscape(`${ .process.stat == "<img src=x>" }`),
	}
	requireEveryScreen(t, slices.Collect(maps.Values(screens)), func(area string) bool { return area == "definitions" || area == "people" || area == "access" })
	alice := s.signIn("Alice")
	for name, path := range screens {
		alice.Size(1280, 900)
		alice.openPath(path)
		if strings.Contains(path, "edit") || strings.Contains(path, "template=") {
			alice.Await(`document.querySelector(".cm-editor")`)
		}
		s.requireAccessible(alice.Tab)
		alice.AwaitContent()
		require.Equal(t, 1, alice.Count(".side [aria-current]"), path)
		require.Zero(t, alice.Count("main img, main script, main [onerror]"), path)
		if *screenshots != "" {
			alice.takePicture(name, path)
		}
		alice.Size(320, 700)
		alice.RequireNoSidewaysScroll()
	}
}

func TestEditorIsOnItsPagesOnly(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	alice := s.clientWithToken(demo.Alice().Secret)
	answer := s.sendRequest(alice, http.MethodGet, "definitions/demo/ProcessDefinition/LOAN/edit", nil)
	require.Contains(t, string(answer.body), "editor.")
	require.Contains(t, string(answer.body), `hx-boost:inherited="false"`)
	answer = s.sendRequest(alice, http.MethodGet, "definitions", nil)
	require.NotContains(t, string(answer.body), "editor.")
}

func TestConfigurationOfOtherOriginsIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	alice := s.clientWithToken(demo.Alice().Secret)
	for _, row := range rowsOf(configurationMatrix) {
		if row.method != http.MethodPost {
			continue
		}
		path := strings.NewReplacer(":tenant", "demo", ":kind", row.variant, ":code", "LOAN").Replace(row.path)
		answer := s.sendRequest(alice, http.MethodPost, path, url.Values{}, "Origin", "https://attacker.example")
		require.Equal(t, http.StatusForbidden, answer.status, path)
	}
}

// A process is defined, started, worked on and completed without leaving the browser.
func TestEditorCreatesDefinition(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	alice := s.signIn("Alice")
	alice.Size(1400, 900)
	alice.Click("a[href='/console/definitions']")
	alice.Click("a[href='/console/definitions/new']")
	alice.Click("a[href$='template=process']")
	alice.AwaitText("What would change")
	alice.AwaitText("Created")
	require.Equal(t, "Title", browsertest.Eval[string](alice.Tab, `document.querySelector(".form-preview input[type=text]").value`))

	// A refused manifest is shown with the line of its error and is not applied.
	alice.Click(".cm-content")
	alice.Press("zz")
	alice.AwaitText("problem")
	alice.Await(`document.querySelector(".cm-lintRange-error, .cm-lint-marker-error")`)
	alice.Click("button[form=definition].btn-primary")
	alice.AwaitPath(web.Root + "definitions/apply")
	alice.AwaitText("problem")
	_, err := s.administration.RetrieveResource(t.Context(), s.callerOf(demo.Alice()),
		resource.Key{Tenant: "demo", Kind: resource.KindProcessDefinition, Code: "REQUEST"})
	require.Error(t, err)

	// The text is in the page only, which therefore asks before it is left.
	alice.Click(".cm-content")
	alice.Leave(s.url + "definitions/new?template=process")
	alice.AwaitText("Created")
	alice.Click("button[form=definition].btn-primary")
	alice.AwaitText("This is applied.")
	require.Contains(t, alice.Text("#definition"), "new processes start on it")

	alice.Click(".areas a[href='/console/start']")
	alice.openPath("start?q=REQUEST")
	alice.Click("main .tile .row-link")
	alice.AwaitText("Needed by")
	alice.fillIn("Title", "A new oven")
	alice.fillIn("Amount", "1200")
	alice.Click("main form .btn-primary")
	alice.AwaitText("Actions")
	alice.Click(".actions-menu > summary")
	alice.Click(".actions-menu form[action$=ASK_FOR_REVIEW] button")
	alice.AwaitText("Claim")
	task := alice.Path()
	alice.Click("form[action$='tasks/claim'] button")
	alice.Await(`[...document.querySelectorAll("main input[name$=APPROVED]")].some((input) => input.type !== "hidden" && input.value === "true")`)
	alice.Eval(`[...document.querySelectorAll("main input[name$=APPROVED]")].find((input) => input.type !== "hidden" && input.value === "true").click()`)
	alice.fillIn("Comment", "It is needed.")
	alice.Click("[data-complete]")
	alice.AwaitText("is completed.")
	require.Contains(t, task, "tasks/")
	alice.openPath("processes?q=oven")
	alice.Click("main .row-link")
	alice.Click("a[href$='finish/complete']")
	alice.Click("form[action$='finish/complete'] .btn-primary")
	alice.AwaitText("Completed")
	require.Contains(t, alice.Text(".page-head"), "A new oven")
}

// fillIn sets the control with a label.
func (p *person) fillIn(label, value string) {
	p.s.t.Helper()
	name, err := json.Marshal(label)
	require.NoError(p.s.t, err)
	text, err := json.Marshal(value)
	require.NoError(p.s.t, err)
	p.Eval(`(() => {
		const found = [...document.querySelectorAll("main label")].find((label) => label.textContent.trim().startsWith(` + string(name) + `));
		found.control.value = ` + string(text) + `;
		for (const kind of ["input", "change"]) found.control.dispatchEvent(new Event(kind, {bubbles: true}));
	})()`)
}

// An old version is compared with the new one, and published again by applying it.
func TestVersionIsRestored(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	text := hostileManifests[:strings.Index(hostileManifests, "---")]
	s.applyManifests(text)
	running := s.manifestOf(resource.KindProcessDefinition, "HOSTILE")
	s.applyManifests(strings.Replace(text, "bob", "carol", 1) + "  subjectTemplate: Second\n")
	alice := s.signInWithoutScript("Alice")
	alice.openPath("definitions/demo/ProcessDefinition/HOSTILE")
	alice.Click("a[href*='compare?from=1']")
	alice.AwaitText("Restore version 1")
	require.Contains(t, alice.Text(".differences .new"), "subjectTemplate: Second")
	require.NotContains(t, alice.Text(".differences"), "bob", "rights are no part of versions")
	alice.Click("a[href*='edit?version=1']")
	alice.AwaitText("What would change")
	require.Contains(t, alice.Text("#editor-side"), "Changed")
	require.Contains(t, alice.Text(".differences .gone"), "subjectTemplate")

	// Another administrator changes the manifest; the editor must not overwrite it.
	s.applyManifests(strings.Replace(text, "bob", "alice", 1) + "  subjectTemplate: Third\n")
	alice.Click("button[form=definition].btn-primary")
	alice.AwaitText("You have changed this definition elsewhere")
	require.Contains(t, alice.Text("#editor-side"), "Both change the same lines")
	alice.openPath("definitions/demo/ProcessDefinition/HOSTILE/edit?version=1")
	alice.Click("button[form=definition].btn-primary")
	alice.AwaitText("This is applied.")
	now := s.manifestOf(resource.KindProcessDefinition, "HOSTILE")
	spec, ok := now.Spec.(*resource.ProcessDefinitionSpec)
	require.True(t, ok)
	require.Empty(t, spec.SubjectTemplate)
	require.Equal(t, "alice", spec.Items[0].Candidates[0].User)
	require.Equal(t, running.ID, now.ID)
}

func TestPlaygroundEvaluatesExpression(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	loan := s.startLoan("Loan for a playground")
	alice := s.signIn("Alice")
	alice.openPath("definitions")
	alice.Click("a[href$=playground]")
	alice.Type("#expression", `${ .process.state == "RUNNING" and .tasks.REVIEW.state == "COMPLETED" }`)
	alice.Click("[data-complete]")
	alice.AwaitText("The action is not offered.")
	alice.Type("[name=task]", "REVIEW")
	alice.Click("[data-complete]")
	alice.AwaitText("The action is offered.")
	alice.Await(`[...document.querySelectorAll("[name=task]")].map((input) => input.value).join() === "REVIEW,,"`)

	// On a real process, found by its words.
	alice.Type("[name=q]", "playground\r")
	alice.Click("input[name=process][value='" + loan.String() + "']")
	alice.Set("#expression", `${ .process.state == "COMPLETED" }`)
	alice.Click("[data-complete]")
	alice.AwaitText("The action is not offered.")

	// An error is shown at its column.
	alice.Set("#expression", `${ .process.stat == "RUNNING" }`)
	alice.Click("[data-complete]")
	alice.Await(`document.querySelector(".expression mark")`)
	require.Equal(t, ".", alice.Text(".expression mark")[:1])
	require.Contains(t, alice.Text("#outcome"), "Column")

	foreign, _ := s.foreignTask()
	alice.openPath("definitions/playground?expression=" + url.QueryEscape("${ true }") + "&process=" + foreign.String())
	alice.AwaitText("There is no such process")
}

// A leaver is disabled: the browser that the leaver is signed in with is out.
func TestLeaverIsDisabled(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	alice := s.signIn("Alice")
	alice.openPath("people?q=carol")
	alice.Click("main .row-link")
	alice.AwaitText("Rights, and where they come from")
	require.Contains(t, alice.Text("[aria-labelledby=rights]"), "start processes")
	require.Contains(t, alice.Text("[aria-labelledby=rights]"), "Loan")
	alice.Click("a[href$='do=disable']")
	alice.AwaitText("Disable Carol")
	alice.Eval("document.querySelector('select[name=handOver]') && (document.querySelector('select[name=handOver]').value = 'keep')")
	alice.Click("form[action$='/disable'] button")
	alice.AwaitText("Disabled")
	_, err := s.db.Reader().LookUpCredential(t.Context(), persistence.CredentialKey{
		Kind: domain.CredentialPersonalAccessToken, SecretSHA256: authn.HashSecret(demo.Carol().Secret),
	}, time.Now())
	require.Error(t, err)
	alice.Click("form[action$='/disable'] button")
	alice.AwaitText("Member")
	s.callerOf(demo.Carol())

	// Rights are explained with the group through which they are held.
	alice.openPath("people/demo/User/bob")
	require.Contains(t, alice.Text("[aria-labelledby=rights]"), "through the group REVIEWERS")

	// The last owner cannot be disabled, and the page says why.
	alice.openPath("people/demo/User/alice/leave?do=disable")
	alice.Eval("document.querySelector('select[name=handOver]') && (document.querySelector('select[name=handOver]').value = 'keep')")
	alice.Click("form[action$='/disable'] button")
	alice.AwaitText("would be left without an OWNER")
}

// A secret is rotated: both are valid until the old one is revoked.
func TestSecretIsRotated(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	s.applyManifests("{apiVersion: procession/v1, kind: Application, metadata: {code: rotating, tenant: demo}, spec: {name: Rotating}}")
	application := s.manifestOf(resource.KindApplication, "rotating")
	valid := func(secret string) bool {
		_, err := s.db.Reader().LookUpCredential(t.Context(), persistence.CredentialKey{
			Kind: domain.CredentialApplicationSecret, PrincipalID: &application.ID, SecretSHA256: authn.HashSecret(secret),
		}, time.Now())
		return err == nil
	}
	alice := s.signIn("Alice")
	alice.openPath("people/demo/Application/rotating")
	issue := func(name string) string {
		alice.Type("form[action$='/secrets'] [name=name]", name)
		alice.Click("form[action$='/secrets'] button")
		alice.AwaitText("it is not shown again")
		secret := alice.Text("#secret")
		alice.openPath("people/demo/Application/rotating")
		alice.AwaitText(name)
		require.NotContains(t, alice.Text("main"), secret)
		return secret
	}
	first, second := issue("first"), issue("second")
	require.True(t, valid(first) && valid(second))
	alice.Click("form[action$='/revoke'] button")
	alice.Await(`document.querySelectorAll("form[action$='/revoke']").length === 1`)
	require.False(t, valid(first))
	require.True(t, valid(second))
}

// A certificate for the engine is revoked, and no other's.
func TestCertificateIsRevoked(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	grant := domain.EngineGrant{
		ID: domain.NewID(), TenantID: demo.TenantDemo(), PrincipalID: demo.LoanWorker().ID, Kind: domain.AuthenticationEngineCertificate,
		Identifier: "c0ffee", IssuedAt: s.currentTime(), ExpiresAt: s.currentTime().Add(time.Hour),
	}
	require.NoError(t, s.db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.InsertEngineGrant(grant)
		return nil
	}))
	alice := s.signIn("Alice")
	// A form about another principal does not find it.
	s.sendRequest(s.clientWithToken(demo.Alice().Secret), http.MethodPost, "people/demo/Application/reader/access", url.Values{"id": {grant.ID.String()}})
	alice.openPath("people/demo/Application/loan-worker")
	alice.Click("form[action$='/access'] button")
	alice.Await(`document.querySelector("[aria-labelledby=access]").innerText.includes("revoked")`)
	require.Equal(t, int64(1), sql[int64](s, `SELECT count(*) FROM engine_grants WHERE revoked_at IS NOT NULL AND id = $1`, grant.ID))
}

// The editor shows the warnings about a text that can be applied, at their lines.
func TestEditorWarns(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	browser := s.clientWithToken(demo.Alice().Secret)
	text := `apiVersion: procession/v1
kind: ProcessDefinition
metadata: {code: DOUBTFUL, tenant: demo}
spec:
  name: Doubtful
  permissions: {initiators: [{user: alice}]}
  items:
    - {code: LONE, type: TASK, name: Lone}
`
	answer := s.sendRequest(browser, http.MethodPost, "definitions/check", url.Values{"text": {text}})
	require.Equal(t, http.StatusOK, answer.status)
	for _, part := range []string{"1 warning", `data-severity="warning" data-line="8"`, "the task LONE has no candidates", "What would change"} {
		require.Contains(t, string(answer.body), part)
	}
}
