package api_test

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

	"github.com/procession-dev/procession/administer"
	"github.com/procession-dev/procession/api"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/assistance"
	"github.com/procession-dev/procession/authn"
	blobs "github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/feed"
	"github.com/procession-dev/procession/form/press"
	"github.com/procession-dev/procession/internal/testkit/contracttest"
	"github.com/procession-dev/procession/internal/testkit/pgtest"
	"github.com/procession-dev/procession/persistence"
)

const host = "http://service.test"

// The base paths of the shapes. Paths of Shape B may omit theirs.
const (
	shapeA = "/v2022-10-08"
	shapeB = "/v2024-06-14"
)

// logLimit is small, so that a test can fill a log.
const logLimit = 3

// documentLimit is small, so that a test can exceed it.
const documentLimit = 1 << 20

// service is the REST interface over a database of its own with the
// demonstration data. Its clock moves by a millisecond whenever it is read.
type service struct {
	t      *testing.T
	url    string
	db     *persistence.DB
	client *http.Client
	ticks  *atomic.Int64
	// handler is what client calls, without the checks.
	handler http.Handler
	// documents keeps the bytes of documents in a directory.
	documents    *blobs.Store
	documentsDir string
	app          *app.Service
	// administration is what administrators do.
	administration *administer.Administration
	// provider answers prompts.
	provider *provider
	// forms puts forms on paper.
	forms *press.Press
	// options are those of the handler.
	options api.Options
}

func newService(t *testing.T, change ...func(*api.Options)) *service {
	t.Helper()
	return newServiceWithin(t, bounds{}, change...)
}

// bounds are what a service may take of the database, and its tenants of the
// service; zero values are the defaults.
type bounds struct {
	persistence.Limits
	quotas *domain.Quotas
}

// newServiceWithin is newService within bounds.
func newServiceWithin(t *testing.T, within bounds, change ...func(*api.Options)) *service {
	t.Helper()
	s := &service{t: t, url: pgtest.URL(t), ticks: &atomic.Int64{}}
	s.db = pgtest.OpenWithin(t, pgtest.AsService(t, s.url), within.Limits)
	key, err := authn.LoadOrCreateSealKey(t.TempDir() + "/seal.key")
	require.NoError(t, err)
	sealer, err := authn.NewSealer(key)
	require.NoError(t, err)
	require.NoError(t, demo.Load(t.Context(), s.db, sealer, s.now()))
	s.giveElements()

	keys := authn.NewKeys(s.db, sealer, s.now)
	require.NoError(t, keys.EnsureKeys(t.Context()))
	issuer, err := authn.NewIssuer(keys, "procession", authn.DefaultCertificateLifetime)
	require.NoError(t, err)
	authenticator, err := authn.NewAuthenticator(s.db.Reader(), s.now)
	require.NoError(t, err)

	s.provider = &provider{Provider: assistance.Builtin{}}
	s.forms = press.New()
	s.documentsDir = t.TempDir()
	s.documents = openDocuments(t, s.documentsDir)
	hub := runHub(t, s.db)
	store := storage.New(storage.Options{DB: s.db, Clock: s.now, Recorded: hub.Wake})
	options := api.Options{
		Service: app.New(app.Options{
			Store: store, TaskLogLimit: logLimit, CancelGrace: time.Minute, Issuer: issuer, Sealer: sealer, Documents: s.documents, MaxDocumentBytes: documentLimit,
			Assistance: s.provider, Texts: texts(t), Forms: s.forms, Quotas: within.quotas,
		}),
		Administration: administer.New(administer.Options{
			Store: store, Sealer: sealer, Documents: s.documents, MaxDocumentBytes: documentLimit,
		}),
		Revocations:   store.Revocations(),
		Authenticator: authenticator, Issuer: issuer, Log: slog.New(slog.DiscardHandler), Clock: s.now,
		DocumentLimit: documentLimit, Feed: hub,
	}
	s.app, s.administration = options.Service, options.Administration
	for _, f := range change {
		f(&options)
	}
	s.options = options
	s.handler, err = api.NewRouter(options)
	require.NoError(t, err)
	s.client = contracttest.Client(contracttest.InProcess(s.handler), slices.Collect(maps.Values(contracts))...)
	return s
}

// runHub makes a hub and runs it until the test ends.
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

// in is the service for a subtest.
func (s *service) in(t *testing.T) *service {
	t.Helper()
	sub := *s
	sub.t = t
	return &sub
}

func (s *service) now() time.Time {
	return time.Date(2026, time.March, 2, 10, 30, 0, 0, time.UTC).Add(time.Duration(s.ticks.Add(1)) * time.Millisecond)
}

// authorization is what the account sends to prove itself.
func authorization(a demo.Account) string {
	if a.Email != "" {
		return "Bearer " + a.Secret
	}
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(a.ID.String()+":"+a.Secret))
}

// address is the URL of a path, which is one of Shape B unless it starts with
// the base of a contract.
func address(path string) string {
	for _, c := range contracts {
		if strings.HasPrefix(path, c.Base()+"/") {
			return host + path
		}
	}
	return host + shapeB + path
}

// request makes a request of the account. A body of a PATCH is a JSON Patch.
func request(t *testing.T, as demo.Account, method, path, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address(path), strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Authorization", authorization(as))
	switch {
	case body == "":
	case method == http.MethodPut && strings.HasPrefix(path, adminAPI+"/robots/") && !strings.Contains(path, "/environment/"),
		strings.Contains(path, "/~actions/upload"), strings.Contains(path, "/~actions/save-") && strings.Contains(path, "-document?"):
		r.Header.Set("Content-Type", "application/octet-stream")
	case method == http.MethodPatch:
		r.Header.Set("Content-Type", "application/json-patch+json")
	default:
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// answer is an answer that has been read.
type answer struct {
	status int
	header http.Header
	body   string
}

// exchange is safe to call from any goroutine.
func (s *service) exchange(r *http.Request) (answer, error) {
	resp, err := s.client.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	return answer{status: resp.StatusCode, header: resp.Header, body: string(body)}, err
}

func (s *service) send(r *http.Request) answer {
	s.t.Helper()
	got, err := s.exchange(r)
	require.NoError(s.t, err)
	return got
}

// call sends a request and requires the status of its answer.
func (s *service) call(status int, as demo.Account, method, path, body string) answer {
	s.t.Helper()
	got := s.send(request(s.t, as, method, path, body))
	require.Equal(s.t, status, got.status, "%s %s as %s: %s", method, path, as.Name, got.body)
	return got
}

func (s *service) get(status int, as demo.Account, path string) answer {
	s.t.Helper()
	return s.call(status, as, http.MethodGet, path, "")
}

func (s *service) post(status int, as demo.Account, path, body string) answer {
	s.t.Helper()
	return s.call(status, as, http.MethodPost, path, body)
}

// refused requires an error answer with the code. A request that is refused with 400
// may break the contract.
func (s *service) refused(status int, code string, as demo.Account, method, path, body string) contracttest.ErrorBody {
	s.t.Helper()
	r := request(s.t, as, method, path, body)
	if status == http.StatusBadRequest {
		r = contracttest.Invalid(r)
	}
	got := s.send(r)
	require.Equal(s.t, status, got.status, "%s %s as %s: %s", method, path, as.Name, got.body)
	failure := decode[contracttest.ErrorBody](s.t, got)
	require.NotEmpty(s.t, failure.Errors)
	require.Equal(s.t, code, failure.Errors[0].Code)
	return failure
}

func decode[T any](t *testing.T, a answer) T {
	t.Helper()
	var value T
	require.NoError(t, json.Unmarshal([]byte(a.body), &value), a.body)
	return value
}

// process starts a process of the definition.
func (s *service) process(as demo.Account, definition uuid.UUID) oasb.Process {
	s.t.Helper()
	return decode[oasb.Process](s.t, s.post(201, as, "/processes", `{"processDefinitionId":"`+definition.String()+`"}`))
}

// loan starts a loan as Carol.
func (s *service) loan() oasb.Process {
	s.t.Helper()
	return s.process(demo.Carol(), demo.Loan())
}

// item creates an item as the loan worker; more are members of the body.
func (s *service) item(process uuid.UUID, code, more string) oasb.ProcessItem {
	s.t.Helper()
	return decode[oasb.ProcessItem](s.t, s.post(201, demo.LoanWorker(), "/process-items",
		`{"type":"TASK","processId":"`+process.String()+`","processItemDefinitionCode":"`+code+`"`+more+`}`))
}

// ownedBy is the member of an item's body that names its owner.
func ownedBy(a demo.Account) string { return `,"ownerId":"` + a.ID.String() + `"` }

func processPath(id uuid.UUID, rest string) string { return "/processes/" + id.String() + rest }

func itemPath(id uuid.UUID, rest string) string { return "/process-items/" + id.String() + rest }

func (s *service) retrieveProcess(id uuid.UUID) oasb.Process {
	s.t.Helper()
	return decode[oasb.Process](s.t, s.get(200, demo.Alice(), processPath(id, "")))
}

func (s *service) retrieveItem(id uuid.UUID) oasb.ProcessItem {
	s.t.Helper()
	return decode[oasb.ProcessItem](s.t, s.get(200, demo.LoanWorker(), itemPath(id, "")))
}

func (s *service) connect() *pgx.Conn {
	s.t.Helper()
	conn, err := pgx.Connect(s.t.Context(), s.url)
	require.NoError(s.t, err)
	return conn
}

// count answers a query for one number.
func (s *service) count(sql string, args ...any) int {
	s.t.Helper()
	conn := s.connect()
	defer func() { _ = conn.Close(s.t.Context()) }()
	var n int
	require.NoError(s.t, conn.QueryRow(s.t.Context(), sql, args...).Scan(&n))
	return n
}

// events counts what happened to a process.
func (s *service) events(process uuid.UUID) int {
	s.t.Helper()
	return s.count("SELECT count(*) FROM events WHERE process_id = $1 AND type = ANY($2)", process, domain.PublicEventTypes())
}

// snapshot is a checksum of every table.
func (s *service) snapshot() map[string]string {
	s.t.Helper()
	conn := s.connect()
	defer func() { _ = conn.Close(s.t.Context()) }()
	rows, err := conn.Query(s.t.Context(), `SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'`)
	require.NoError(s.t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(s.t, err)
	require.NotEmpty(s.t, tables)
	sums := map[string]string{}
	for _, table := range tables {
		var sum string
		require.NoError(s.t, conn.QueryRow(s.t.Context(),
			`SELECT coalesce(md5(string_agg(t::text, E'\n' ORDER BY t::text)), '') FROM `+
				pgx.Identifier{table}.Sanitize()+` t`).Scan(&sum))
		sums[table] = sum
	}
	return sums
}

var timestamp = regexp.MustCompile(`"timestamp":"[^"]*"`)

// timeless is an error body without its time.
func (a answer) timeless() string { return timestamp.ReplaceAllString(a.body, `"timestamp":""`) }
