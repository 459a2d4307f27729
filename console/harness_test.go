package console_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api/chain"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/bulk"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/assistance"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/console"
	"github.com/procession-dev/procession/console/assets"
	"github.com/procession-dev/procession/console/notifications"
	"github.com/procession-dev/procession/console/signin"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/events/audit"
	"github.com/procession-dev/procession/events/feed"
	"github.com/procession-dev/procession/events/notify"
	"github.com/procession-dev/procession/internal/loop"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/browsertest"
	"github.com/procession-dev/procession/test/kit/demotest"
	"github.com/procession-dev/procession/test/kit/formtest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// site is the console over a database with the demonstration data.
type site struct {
	t   *testing.T
	url string
	db  *persistence.DB
	app *app.Service
	// database is the URL of the database of db.
	database string
	// administration shares the store of app.
	administration *administration.Service
	// options are the options of the console.
	options console.Options
	// chain are the options of the chain in front of it.
	chain chain.Options
}

// lasting contains resources of the shared site that outlive the first test.
type lasting struct {
	testing.TB

	dir string
}

func (lasting) Helper()                  {}
func (lasting) Cleanup(func())           {}
func (lasting) Context() context.Context { return context.Background() }
func (l lasting) TempDir() string        { return l.dir }
func (lasting) Errorf(format string, args ...any) {
	panic("making the shared site: " + format)
}

// The site is shared by all tests, which start in no order.
var shared struct {
	once sync.Once
	site site
}

// newSite returns the site that all tests share.
func newSite(t *testing.T) *site {
	t.Helper()
	shared.once.Do(func() {
		dir, err := os.MkdirTemp("", "procession-console-") //nolint:usetesting // it outlives the test
		require.NoError(t, err)
		shared.site = *makeSite(lasting{dir: dir})
	})
	s := shared.site
	s.t = t
	return &s
}

// makeSite creates a site of its own for a test, which trusts the issuers.
func makeSite(tb testing.TB, issuers ...authn.OIDCIssuer) *site {
	tb.Helper()
	return makeSiteAt(tb, time.Now, issuers...)
}

// makeSiteAt creates a site with a clock for its sessions.
func makeSiteAt(tb testing.TB, clock func() time.Time, issuers ...authn.OIDCIssuer) *site {
	tb.Helper()
	files, err := assets.Load(web.Root)
	require.NoError(tb, err)
	require.False(tb, files.Missing(), "the console's assets are not there: run make assets")
	s := &site{database: demotest.URL(tb)}
	s.db = pgtest.Open(tb, s.database)
	sealer := demotest.Sealer(tb)
	oidc, err := authn.NewOIDC(s.db, issuers, clock)
	require.NoError(tb, err)
	authenticator, err := authn.NewAuthenticator(s.db, clock, authn.WithOIDC(oidc))
	require.NoError(tb, err)
	documents, err := blobstore.Open(tb.Context(), "file://"+tb.TempDir()+"/documents?fsync=off")
	require.NoError(tb, err)
	log := slog.New(slog.DiscardHandler)
	hub := feed.NewHub(feed.Options{DB: s.db, Logger: log})
	ctx, stop := context.WithCancel(tb.Context())
	tb.Cleanup(stop)
	go hub.Run(ctx)
	events := loop.NewSignal()
	people := notify.NewPersonNotifier(notify.PersonOptions{DB: s.db, Wake: events, Written: hub.Wake, Clock: time.Now, Logger: log})
	go people.Run(ctx)
	store := storage.New(storage.Options{DB: s.db, Clock: time.Now, Recorded: func() { hub.Wake(); events.Wake() }})
	s.administration = administration.New(administration.Options{
		Store: store, Sealer: sealer, Documents: documents,
		CheckWebhookURL: func(string) error { return nil },
		Version:         "v1.2.3",
		Examine:         examine,
	})
	oidc.Provision(s.administration)
	s.app = app.New(app.Options{
		Store:        store,
		TaskLogLimit: 100, CancelGrace: time.Minute, Sealer: sealer, Documents: documents, MaxDocumentBytes: 1 << 20,
		Forms: formtest.Pool(tb), Assistance: assistance.Builtin{}, ViewWorkflow: viewWorkflow,
	})
	sessions, err := authn.NewSessions(authn.SessionOptions{DB: s.db, Authenticator: authenticator, Clock: clock})
	require.NoError(tb, err)
	s.chain = chain.Options{Log: log, Clock: clock, Audit: audit.New(audit.Options{DB: s.db, Clock: clock, Logger: log})}
	s.options = console.Options{
		Options: web.Options{Sessions: sessions, Log: log, Clock: clock, SignInMaxAge: authn.DefaultSignInMaxAge},
		Service: s.app, Administration: s.administration, Feed: hub, Mailbox: mailbox(),
		Bulk: bulk.New(bulk.Options{Store: store, App: s.app, Administration: s.administration, Logger: log}),
		SignIn: signin.Screens{OIDC: oidc, Demo: []signin.DemoUser{
			{Name: "Carol", About: "applies for loans", Token: demo.Carol().Secret},
			{Name: "Bob", About: "reviews loans", Token: demo.Bob().Secret},
			{Name: "Alice", About: "manages all processes", Token: demo.Alice().Secret},
		}},
	}
	handler, err := console.New(s.options)
	require.NoError(tb, err)
	server := httptest.NewServer(chain.New(s.chain).Handler(handler))
	tb.Cleanup(server.Close)
	s.url = server.URL + web.Root
	return s
}

// mailbox returns the mails of a local stack.
func mailbox() *notifications.Mailbox {
	box := &notifications.Mailbox{}
	box.Put(notifications.LocalMail{
		ID: "1", To: "bob@demo.example", Subject: "Demo: " + hostile, Text: "News for you in Demo:\n\n- " + hostile, At: time.Now(),
		Unsubscribe: "https://procession.example.com/console/unsubscribe/x",
	})
	return box
}

// examine returns a finding of each verdict.
func examine(context.Context) []domain.Finding {
	return []domain.Finding{
		{Check: "database", Verdict: domain.VerdictOK, Finding: "PostgreSQL 15.18"},
		{Check: "temporal-clock", Verdict: domain.VerdictWarn, Finding: "Temporal's clock is more than 5s behind ours", Advice: "synchronise the clocks of the machines (NTP)"},
		{
			Check: "proxies", Verdict: domain.VerdictWarn, Finding: "192.0.2.7 sends X-Forwarded-For and is no trusted proxy; last at 2026-11-25T16:58:03Z",
			Advice: "if it is a proxy of yours, add it to --trusted-proxies: until then its clients share the limits of one address",
		},
		{Check: "documents", Verdict: domain.VerdictFail, Finding: hostile, Advice: hostile},
		{Check: "reading-files", Verdict: domain.VerdictSkipped, Finding: "cannot be checked while documents fails"},
	}
}

// person is a user of the demonstration data and their browser.
type person struct {
	*browsertest.Tab

	s *site
}

// openBrowser opens the sign-in page in a browser of its own.
func (s *site) openBrowser() *browsertest.Tab {
	s.t.Helper()
	b := browsertest.New(s.t)
	b.Open(s.url + "sign-in")
	return b
}

// signIn returns the browser of a demo user with a fresh session. It skips the sign-in page.
func (s *site) signIn(name string) *person {
	s.t.Helper()
	p := &person{browsertest.New(s.t), s}
	p.enterCredentials(name)
	return p
}

// enterCredentials opens a session for a demo user in the browser.
func (p *person) enterCredentials(name string) {
	p.s.t.Helper()
	secret := map[string]string{"Alice": demo.Alice().Secret, "Bob": demo.Bob().Secret, "Carol": demo.Carol().Secret}[name]
	at, err := url.Parse(p.s.url)
	require.NoError(p.s.t, err)
	for _, cookie := range p.s.clientWithToken(secret).Jar.Cookies(at) {
		cookie.Path, cookie.HttpOnly = "/", true
		p.Cookie(p.s.url, cookie)
	}
	p.openPath("")
}

// openPath goes to a path of the console.
func (p *person) openPath(path string) {
	p.s.t.Helper()
	p.Open(p.s.url + path)
	require.Zero(p.s.t, p.Count("svg.icon:empty"), "%s has an icon that console/assets/icons.go does not list", path)
}

// callerOf returns a call by a demo account.
func (s *site) callerOf(a demo.Account) domain.Call {
	s.t.Helper()
	kind := domain.CredentialApplicationSecret
	if a.Email != "" {
		kind = domain.CredentialPersonalAccessToken
	}
	looked, err := s.db.Reader().LookUpCredential(s.t.Context(), persistence.CredentialKey{
		Kind: kind, PrincipalID: &a.ID, SecretSHA256: authn.HashSecret(a.Secret),
	}, time.Now())
	require.NoError(s.t, err)
	return domain.Call{Caller: looked.Caller}
}

// startLoan starts a loan of Carol's with a title.
func (s *site) startLoan(subject string) uuid.UUID {
	s.t.Helper()
	definition := demo.Loan()
	started, _, err := s.app.CreateProcess(s.t.Context(), s.callerOf(demo.Carol()), app.NewProcess{
		Definition: app.DefinitionKey{ID: &definition}, Subject: subject,
	})
	require.NoError(s.t, err)
	return started.ID
}

// startInspection starts a process of another definition of the tenant.
func (s *site) startInspection() uuid.UUID {
	s.t.Helper()
	definition := demo.Inspection()
	started, _, err := s.app.CreateProcess(s.t.Context(), s.callerOf(demo.Alice()), app.NewProcess{Definition: app.DefinitionKey{ID: &definition}})
	require.NoError(s.t, err)
	return started.ID
}

// createTask creates a task of a process as the loan worker does; data may be "".
func (s *site) createTask(process uuid.UUID, code, data string) uuid.UUID {
	s.t.Helper()
	in := app.NewItem{Type: domain.ItemTask, ProcessID: process, DefinitionCode: code}
	if data != "" {
		in.Data = json.RawMessage(data)
	}
	created, _, err := s.app.CreateProcessItem(s.t.Context(), s.callerOf(demo.LoanWorker()), in)
	require.NoError(s.t, err)
	return created.ID
}

// foreignTask creates a task, and its process, in another tenant.
func (s *site) foreignTask() (process, task uuid.UUID) {
	s.t.Helper()
	definition, worker := demo.OtherLoan(), s.callerOf(demo.OtherWorker())
	started, _, err := s.app.CreateProcess(s.t.Context(), worker, app.NewProcess{Definition: app.DefinitionKey{ID: &definition}})
	require.NoError(s.t, err)
	created, _, err := s.app.CreateProcessItem(s.t.Context(), worker, app.NewItem{
		Type: domain.ItemTask, ProcessID: started.ID, DefinitionCode: "APPROVE_LOAN",
	})
	require.NoError(s.t, err)
	return started.ID, created.ID
}

func (s *site) currentTime() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }
