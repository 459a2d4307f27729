// Package apitest runs the REST interface over a database of its own for tests:
// one Service for a test, shared helpers, and checks of every request and answer
// against the contracts.
package apitest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api"
	"github.com/procession-dev/procession/api/chain"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/bulk"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/assistance"
	"github.com/procession-dev/procession/authn"
	blobs "github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/events/feed"
	"github.com/procession-dev/procession/form/pdfworker"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/contracttest"
	"github.com/procession-dev/procession/test/kit/demotest"
	"github.com/procession-dev/procession/test/kit/formtest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// Host is where clients of Service believe it to be.
const Host = "http://service.test"

// The base paths of the shapes. Paths of Shape B may omit theirs.
const (
	ShapeA = "/v2022-10-08"
	ShapeB = "/v2024-06-14"
)

// LogLimit is small, so that a test can fill a log.
const LogLimit = 3

// DocumentLimit is small, so that a test can exceed it.
const DocumentLimit = 1 << 20

// Service is the REST interface over a database of its own with the
// demonstration data. Its clock moves by a millisecond whenever it is read.
type Service struct {
	T      *testing.T
	URL    string
	DB     *persistence.DB
	Client *http.Client
	Ticks  *atomic.Int64
	// Handler serves the requests of Client, without checks.
	Handler http.Handler
	// Documents keeps the bytes of documents in a directory.
	Documents    *blobs.Store
	DocumentsDir string
	App          *app.Service
	// Administration contains the operations of administrators.
	Administration *administration.Service
	// Provider answers prompts.
	Provider *Provider
	// Forms renders forms as PDF.
	Forms *pdfworker.Pool
	// Options are the options of the handler.
	Options api.Options

	tables *tables
}

// NewService returns a service; change changes the options of its router.
func NewService(t *testing.T, change ...func(*api.Options)) *Service {
	t.Helper()
	return NewServiceWithin(t, Bounds{}, change...)
}

// Bounds configures the limits of a service and its tenants; zero values are the
// defaults.
type Bounds struct {
	persistence.Limits
	Quotas *domain.Quotas
}

// NewServiceWithin is NewService within bounds.
func NewServiceWithin(t *testing.T, within Bounds, change ...func(*api.Options)) *Service {
	t.Helper()
	s := &Service{T: t, URL: fixture.URL(t), Ticks: &atomic.Int64{}}
	s.tables = newTables(t, s.URL)
	s.DB = pgtest.OpenWithin(t, pgtest.AsService(t, s.URL), within.Limits)
	sealer := demotest.Sealer(t)
	keys := authn.NewKeys(s.DB, sealer, s.Now)
	require.NoError(t, keys.EnsureKeys(t.Context()))
	issuer, err := authn.NewIssuer(keys, "procession", authn.DefaultCertificateLifetime)
	require.NoError(t, err)
	authenticator, err := authn.NewAuthenticator(s.DB, s.Now)
	require.NoError(t, err)

	directories, err := authn.NewDirectories(s.DB, s.Now)
	require.NoError(t, err)

	s.Provider = &Provider{Provider: assistance.Builtin{}}
	s.Forms = formtest.Pool(t)
	s.DocumentsDir = t.TempDir()
	s.Documents = openDocuments(t, s.DocumentsDir)
	hub := runHub(t, s.DB)
	store := storage.New(storage.Options{DB: s.DB, Clock: s.Now, Recorded: hub.Wake})
	options := api.Options{
		Service: app.New(app.Options{
			Store: store, TaskLogLimit: LogLimit, CancelGrace: time.Minute, Issuer: issuer, Sealer: sealer, Documents: s.Documents, MaxDocumentBytes: DocumentLimit,
			Assistance: s.Provider, Texts: promptTexts(t), Forms: s.Forms, Quotas: within.Quotas,
			ViewWorkflow: viewWorkflow,
		}),
		Administration: administration.New(administration.Options{
			Store: store, Sealer: sealer, Issuer: issuer, EngineNamespace: "procession", EngineAddresses: map[string]string{"": "temporal.example:7233", "cloud": "cloud.example:7233"},
			Documents: s.Documents, MaxDocumentBytes: DocumentLimit,
			Version: "v1.2.3",
			Examine: func(context.Context) []domain.Finding {
				return []domain.Finding{{Check: "database", Verdict: domain.VerdictOK, Finding: "PostgreSQL"}}
			},
		}),
		Options:       chain.Options{Log: slog.New(slog.DiscardHandler), Clock: s.Now},
		Revocations:   store.Revocations(),
		Authenticator: authenticator, Issuer: issuer, Directories: directories,
		DocumentLimit: DocumentLimit, Feed: hub,
	}
	options.Bulk = bulk.New(bulk.Options{Store: store, App: options.Service, Administration: options.Administration, Logger: options.Log})
	s.App, s.Administration = options.Service, options.Administration
	for _, f := range change {
		f(&options)
	}
	s.Options = options
	s.Handler = Handler(t, options)
	s.Client = contracttest.Client(contracttest.InProcess(s.Handler), slices.Collect(maps.Values(Contracts))...)
	return s
}

// Handler returns a router behind its chain.
func Handler(t *testing.T, options api.Options) http.Handler {
	t.Helper()
	router, err := api.NewRouter(options)
	require.NoError(t, err)
	return chain.New(options.Options).Handler(router)
}

// runHub creates a hub and runs it until the test ends.
func runHub(t *testing.T, db *persistence.DB) *feed.Hub {
	t.Helper()
	hub := feed.NewHub(feed.Options{DB: db, Logger: slog.New(slog.DiscardHandler)})
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { hub.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	return hub
}

// In returns the service for a subtest.
func (s *Service) In(t *testing.T) *Service {
	t.Helper()
	sub := *s
	sub.T = t
	return &sub
}

// Now returns the time of the clock of the service.
func (s *Service) Now() time.Time {
	return startTime().Add(time.Duration(s.Ticks.Add(1)) * time.Millisecond)
}

// Authorization returns the account's Authorization header.
func Authorization(a demo.Account) string {
	if a.Email != "" {
		return "Bearer " + a.Secret
	}
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(a.ID.String()+":"+a.Secret))
}

// serverAddress returns the URL of a path, which is one of Shape B unless it starts with
// the base of a contract.
func serverAddress(path string) string {
	for _, c := range Contracts {
		if strings.HasPrefix(path, c.Base()+"/") {
			return Host + path
		}
	}
	return Host + ShapeB + path
}

// Request makes a request of the account. A body of a PATCH is a JSON Patch.
func Request(t *testing.T, as demo.Account, method, path, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, serverAddress(path), strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Authorization", Authorization(as))
	switch {
	case body == "":
	case method == http.MethodPut && strings.HasPrefix(path, AdminAPI+"/robots/") && !strings.Contains(path, "/environment/"),
		strings.Contains(path, "/~actions/upload"), strings.Contains(path, "/~actions/save-") && strings.Contains(path, "-document?"):
		r.Header.Set("Content-Type", "application/octet-stream")
	case method == http.MethodPatch:
		r.Header.Set("Content-Type", "application/json-patch+json")
	default:
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// Answer is an answer that has been read.
type Answer struct {
	Status int
	Header http.Header
	Body   string
}

// Exchange is safe to call from any goroutine.
func (s *Service) Exchange(r *http.Request) (Answer, error) {
	resp, err := s.Client.Do(r) //nolint:gosec // the client calls the handler
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	return Answer{Status: resp.StatusCode, Header: resp.Header, Body: string(body)}, err
}

// Send sends a request and reads its answer.
func (s *Service) Send(r *http.Request) Answer {
	s.T.Helper()
	got, err := s.Exchange(r)
	require.NoError(s.T, err)
	return got
}

// Call sends a request and requires the status of its answer.
func (s *Service) Call(status int, as demo.Account, method, path, body string) Answer {
	s.T.Helper()
	got := s.Send(Request(s.T, as, method, path, body))
	require.Equal(s.T, status, got.Status, "%s %s as %s: %s", method, path, as.Name, got.Body)
	return got
}

// Get is Call with GET.
func (s *Service) Get(status int, as demo.Account, path string) Answer {
	s.T.Helper()
	return s.Call(status, as, http.MethodGet, path, "")
}

// Post is Call with POST.
func (s *Service) Post(status int, as demo.Account, path, body string) Answer {
	s.T.Helper()
	return s.Call(status, as, http.MethodPost, path, body)
}

// Refused requires an error answer with the code. A request that is refused with 400
// may break the contract.
func (s *Service) Refused(status int, code string, as demo.Account, method, path, body string) contracttest.ErrorBody {
	s.T.Helper()
	r := Request(s.T, as, method, path, body)
	if status == http.StatusBadRequest {
		r = contracttest.Invalid(r)
	}
	got := s.Send(r)
	require.Equal(s.T, status, got.Status, "%s %s as %s: %s", method, path, as.Name, got.Body)
	failure := Decode[contracttest.ErrorBody](s.T, got)
	require.NotEmpty(s.T, failure.Errors)
	require.Equal(s.T, code, failure.Errors[0].Code)
	return failure
}

// RefusedBy sends a request that breaks the contract and requires 400.
func (s *Service) RefusedBy(r *http.Request) contracttest.ErrorBody {
	s.T.Helper()
	got := s.Send(contracttest.Invalid(r))
	require.Equal(s.T, 400, got.Status, got.Body)
	return Decode[contracttest.ErrorBody](s.T, got)
}

// Decode reads the JSON of an answer.
func Decode[T any](t *testing.T, a Answer) T {
	t.Helper()
	var value T
	require.NoError(t, json.Unmarshal([]byte(a.Body), &value), a.Body)
	return value
}

// Process starts a process of the definition.
func (s *Service) Process(as demo.Account, definition uuid.UUID) oasb.Process {
	s.T.Helper()
	return Decode[oasb.Process](s.T, s.Post(201, as, "/processes", `{"processDefinitionId":"`+definition.String()+`"}`))
}

// Loan starts a loan as Carol.
func (s *Service) Loan() oasb.Process {
	s.T.Helper()
	return s.Process(demo.Carol(), demo.Loan())
}

// Item creates an item as the loan worker; more are members of the body.
func (s *Service) Item(process uuid.UUID, code, more string) oasb.ProcessItem {
	s.T.Helper()
	return Decode[oasb.ProcessItem](s.T, s.Post(201, demo.LoanWorker(), "/process-items",
		`{"type":"TASK","processId":"`+process.String()+`","processItemDefinitionCode":"`+code+`"`+more+`}`))
}

// OwnedBy returns the member of an item's body that names its owner.
func OwnedBy(a demo.Account) string { return `,"ownerId":"` + a.ID.String() + `"` }

// ProcessPath returns the path of a process; rest is appended.
func ProcessPath(id uuid.UUID, rest string) string { return "/processes/" + id.String() + rest }

// ItemPath returns the path of a process item; rest is appended.
func ItemPath(id uuid.UUID, rest string) string { return "/process-items/" + id.String() + rest }

// RetrieveProcess reads a process as Alice.
func (s *Service) RetrieveProcess(id uuid.UUID) oasb.Process {
	s.T.Helper()
	return Decode[oasb.Process](s.T, s.Get(200, demo.Alice(), ProcessPath(id, "")))
}

// RetrieveItem reads an item as the loan worker.
func (s *Service) RetrieveItem(id uuid.UUID) oasb.ProcessItem {
	s.T.Helper()
	return Decode[oasb.ProcessItem](s.T, s.Get(200, demo.LoanWorker(), ItemPath(id, "")))
}

// Connect connects to the database as its owner.
func (s *Service) Connect() *pgx.Conn {
	s.T.Helper()
	conn, err := pgx.Connect(s.T.Context(), s.URL)
	require.NoError(s.T, err)
	return conn
}

// Count answers a query for one number.
func (s *Service) Count(sql string, args ...any) int {
	s.T.Helper()
	conn := s.Connect()
	defer func() { _ = conn.Close(s.T.Context()) }()
	var n int
	require.NoError(s.T, conn.QueryRow(s.T.Context(), sql, args...).Scan(&n))
	return n
}

// Events counts the events of a process.
func (s *Service) Events(process uuid.UUID) int {
	s.T.Helper()
	return s.Count("SELECT count(*) FROM events WHERE process_id = $1 AND type = ANY($2)", process, domain.FeedEventTypes())
}

var timestamp = regexp.MustCompile(`"timestamp":"[^"]*"`)

// Timeless returns an error body without its time.
func (a Answer) Timeless() string { return timestamp.ReplaceAllString(a.Body, `"timestamp":""`) }
