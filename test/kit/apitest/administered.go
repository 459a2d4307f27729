package apitest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api"
	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

// Settle waits until everything that was recorded can be read: other tests have
// transactions of their own at the same time.
func (s *Service) Settle() {
	s.T.Helper()
	require.Eventually(s.T, func() bool {
		return s.Count(`SELECT count(*) FROM events WHERE xid >= pg_snapshot_xmin(pg_current_snapshot())`) == 0
	}, Patience, time.Millisecond)
}

// PassLog moves the cursors of all followers of the event log to its end, so that events may be removed.
func (s *Service) PassLog() {
	s.T.Helper()
	s.Settle()
	conn := s.Connect()
	defer func() { _ = conn.Close(s.T.Context()) }()
	for _, sql := range []string{
		`SELECT count_events(1000000)`,
		`UPDATE webhook_cursor c SET era = l.era, xid = n.xid, position = n.position FROM event_ledger l, event_end(pg_current_snapshot()) n`,
	} {
		_, err := conn.Exec(s.T.Context(), sql)
		require.NoError(s.T, err)
	}
}

// AdminAPI is the prefix of the paths of the administration API.
const AdminAPI = "/admin/v1"

// ApplyPath is where documents are applied.
const ApplyPath = AdminAPI + "/resources/~actions/apply"

// Administered is the service with the tenants north and south, which were made
// by applying a folder each. The callers are named after the one thing that they
// are in north; southOwner and southWorker are of south.
type Administered struct {
	*Service
	Operator demo.Account
	accounts map[string]demo.Account
}

// People returns the users that every tenant has, with their roles in it.
func People() map[string]domain.TenantRole {
	return map[string]domain.TenantRole{
		"owner": domain.RoleOwner, "administrator": domain.RoleAdministrator,
		"definer": domain.RoleMember, "manager": domain.RoleMember, "viewer": domain.RoleMember,
		"candidate": domain.RoleMember, "initiator": domain.RoleMember,
	}
}

// testPrograms returns the applications that every tenant has.
func testPrograms() []string { return []string{"worker", "stranger"} }

// NewAdministered returns an administered service; change changes the options of
// its router.
func NewAdministered(t *testing.T, change ...func(*api.Options)) *Administered {
	t.Helper()
	s := &Administered{Service: NewService(t, change...), accounts: map[string]demo.Account{}}
	s.Operator = s.NewOperator()
	for _, tenant := range []string{"north", "south"} {
		for name := range People() {
			s.accounts[tenant+"-"+name] = demo.Account{
				Name: name, ID: uuid.New(), Email: name + "@" + tenant + ".example", Secret: tenant + "-" + name + "-token",
			}
		}
		for _, name := range testPrograms() {
			s.accounts[tenant+"-"+name] = demo.Account{
				Name: name, ID: uuid.New(), Secret: tenant + "-" + name + "-secret",
			}
		}
		s.Apply(s.Operator, s.Folder(tenant)...)
	}
	return s
}

// In returns the service for a subtest.
func (s *Administered) In(t *testing.T) *Administered {
	t.Helper()
	sub := *s
	sub.Service = s.Service.In(t)
	return &sub
}

// As returns an account of north.
func (s *Administered) As(name string) demo.Account { return s.Of("north", name) }

// Of returns an account of a tenant.
func (s *Administered) Of(tenant, name string) demo.Account {
	s.T.Helper()
	account, ok := s.accounts[tenant+"-"+name]
	require.True(s.T, ok, name)
	return account
}

// NewOperator returns a user of the demonstration data's tenant who is an operator.
func (s *Service) NewOperator() demo.Account {
	s.T.Helper()
	operator := demo.Account{
		Name: "operator", ID: uuid.New(), Email: "operator@demo.example", Secret: "operator-token", Tenant: demo.TenantDemo(),
	}
	audit := domain.NewAudit(domain.SystemPrincipalID(), s.Now())
	require.NoError(s.T, s.DB.Write(s.T.Context(), func(tx *persistence.Tx) error {
		err := tx.PutTenantUser(domain.TenantUser{
			ID: uuid.New(), TenantID: operator.Tenant, Role: domain.RoleMember, Audit: audit,
			Principal: domain.Principal{ID: operator.ID, Type: domain.PrincipalUser, Name: operator.Name, Email: operator.Email},
		})
		tx.MakeOperator(operator.ID)
		tx.InsertCredential(domain.Credential{
			ID: uuid.New(), PrincipalID: operator.ID, Kind: domain.CredentialPersonalAccessToken,
			SecretSHA256: authn.HashSecret(operator.Secret), CreatedAt: audit.CreatedAt,
		})
		return err
	}))
	return operator
}

// Folder returns a manifest of every kind, and the manifests of a tenant's accounts.
func (s *Administered) Folder(tenant string) []string {
	s.T.Helper()
	documents := []string{
		`{"apiVersion":"procession/v1","kind":"Tenant","metadata":{"code":"` + tenant + `"},"spec":{"name":"` + tenant +
			`","plan":"PREMIUM","userMetadataSchema":{"type":"object","properties":{"FLOOR":{"type":"integer"}}}}}`,
		Document(tenant, "Group", "REVIEWERS", `{"name":"Reviewers","members":[{"user":"candidate"}]}`),
		Document(tenant, "DataStructure", "ADDRESS", `{"name":"Address","schema":{"type":"object"}}`),
		Document(tenant, "EncryptionKey", "payloads", `{"description":"What workers see","shared":true}`),
		s.LoanOf(tenant, ""),
		Document(tenant, "BusinessArtifactDefinition", "CUSTOMER", `{"name":"Customer","dataSchema":{"type":"object",`+
			`"properties":{"NAME":{"type":"string"}}},"indexes":[{"field":"NAME","type":"STRING"}]}`),
		Document(tenant, "WebhookSubscription", "EVENTS", `{"name":"Events","url":"https://events.`+tenant+`.example/hook"}`),
		Document(tenant, "NotificationReceiver", "OPS", `{"name":"Operations","type":"EMAIL","addresses":["ops@`+tenant+`.example"]}`),
		Document(tenant, "Robot", "BOT", `{"name":"Bot"}`),
	}
	for name, role := range People() {
		documents = append(documents, s.User(tenant, name, role))
	}
	for _, name := range testPrograms() {
		account := s.Of(tenant, name)
		documents = append(documents, Identified(tenant, "Application", name, account.ID,
			`{"name":"`+name+`","secrets":[`+Declared("first", account.Secret)+`]}`))
	}
	return documents
}

// User returns the manifest of an account that is a user.
func (s *Administered) User(tenant, name string, role domain.TenantRole) string {
	s.T.Helper()
	account := s.Of(tenant, name)
	return Identified(tenant, "User", name, account.ID, `{"name":"`+name+`","email":"`+account.Email+
		`","role":"`+string(role)+`","metadata":{"FLOOR":1},"accessTokens":[`+Declared("first", account.Secret)+`]}`)
}

// LoanOf returns a process definition; more are members of its spec.
func (s *Administered) LoanOf(tenant, more string) string {
	return Document(tenant, "ProcessDefinition", "LOAN", `{"name":"Loan","engine":{"workflowType":"LoanWorkflow",`+
		`"taskQueue":"LOANS","runner":"worker"},"metadataSchema":{"type":"object"},"dataStructures":["ADDRESS"],`+
		`"items":[{"code":"APPROVE","type":"TASK","name":"Approve","dataSchema":{"type":"object"},`+
		`"candidates":[{"group":"REVIEWERS"}]}],`+more+
		`"permissions":{"initiators":[{"user":"initiator"}],"viewers":[{"user":"viewer"}],`+
		`"managers":[{"user":"manager"}],"repairers":[{"user":"manager"}],"administrators":[{"user":"definer"}]}}`)
}

// Document returns a document with the label app=test.
func Document(tenant, kind, code, spec string) string {
	return `{"apiVersion":"procession/v1","kind":"` + kind + `","metadata":{"code":"` + code + `","tenant":"` + tenant +
		`","labels":{"app":"test"}},"spec":` + spec + `}`
}

// Identified returns a document that chooses the id.
func Identified(tenant, kind, code string, id uuid.UUID, spec string) string {
	return strings.Replace(Document(tenant, kind, code, spec), `"labels"`, `"id":"`+id.String()+`","labels"`, 1)
}

// Declared returns a secret as documents declare it.
func Declared(name, secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return `{"name":"` + name + `","sha256":"` + hex.EncodeToString(sum[:]) + `"}`
}

// Applying returns a body that applies manifests; more are further members of
// it.
func Applying(more string, documents ...string) string {
	return `{` + more + `"documents":[` + strings.Join(documents, ",") + `]}`
}

// Apply applies documents.
func (s *Administered) Apply(as demo.Account, documents ...string) []oasadmin.AppliedResource {
	s.T.Helper()
	return s.ApplyWith(as, "", documents...)
}

// ApplyWith applies documents; more are further members of the body.
func (s *Administered) ApplyWith(as demo.Account, more string, documents ...string) []oasadmin.AppliedResource {
	s.T.Helper()
	return Decode[oasadmin.ResourceApplyResult](s.T, s.Post(200, as, ApplyPath, Applying(more, documents...))).Results
}

// RefusedApply requires that manifests are refused without a change.
func (s *Administered) RefusedApply(status int, code string, as demo.Account, documents ...string) contracttest.ErrorBody {
	s.T.Helper()
	before := s.Snapshot()
	failure := s.Refused(status, code, as, http.MethodPost, ApplyPath, Applying("", documents...))
	require.Equal(s.T, before, s.Snapshot())
	return failure
}

// ResourcePath returns the path of a resource; rest is appended.
func ResourcePath(tenant, kind, code, rest string) string {
	return fmt.Sprintf("%s/resources/%s/%s%s?tenant=%s", AdminAPI, kind, code, rest, tenant)
}

// VersionsPath returns where the versions of a process definition are.
func VersionsPath(tenant, code string) string {
	return AdminAPI + "/process-definitions/" + code + "/versions?tenant=" + tenant
}

// Resource reads a resource.
func (s *Administered) Resource(as demo.Account, tenant, kind, code string) oasadmin.Resource {
	s.T.Helper()
	return Decode[oasadmin.Resource](s.T, s.Get(200, as, ResourcePath(tenant, kind, code, "")))
}

// Definition returns the id of the process definition LOAN of a tenant.
func (s *Administered) Definition(tenant string) uuid.UUID {
	s.T.Helper()
	return *s.Resource(s.Of(tenant, "owner"), tenant, "ProcessDefinition", "LOAN").Metadata.ID
}

// WebhookWithDeadDelivery creates a webhook subscription with one delivery, which
// failed for good, of the latest process of the tenant. It returns the
// delivery.
func (s *Administered) WebhookWithDeadDelivery(tenant, code string) uuid.UUID {
	s.T.Helper()
	owner := s.Of(tenant, "owner")
	s.Apply(owner, Document(tenant, "WebhookSubscription", code, `{"name":"Of a cell","url":"https://events.example/hook"}`))
	s.Post(201, owner, ResourcePath(tenant, "WebhookSubscription", code, "/secrets"), `{"name":"first"}`)
	conn := s.Connect()
	defer func() { _ = conn.Close(s.T.Context()) }()
	var id uuid.UUID
	require.NoError(s.T, conn.QueryRow(s.T.Context(), `WITH made AS (
		INSERT INTO webhook_deliveries (id, subscription_id, tenant_id, event_id, event_type, payload_version, process_id, state,
			attempts, created_at, queued_at, last_attempt_at, finished_at)
		SELECT gen_random_uuid(), r.id, r.tenant_id, e.id, e.type, 'B', e.process_id, 'DEAD', 1, e.occurred_at, e.occurred_at,
			e.occurred_at, e.occurred_at
		  FROM resources r JOIN tenants t ON t.id = r.tenant_id JOIN events e ON e.tenant_id = t.id AND e.type = 'PROCESS.CREATED'
		 WHERE t.code = $1 AND r.code = $2 ORDER BY e.position DESC LIMIT 1 RETURNING id, tenant_id, created_at), tried AS (
		INSERT INTO webhook_attempts (delivery_id, tenant_id, round, number, at, status, latency, failure, detail, answer)
		SELECT id, tenant_id, 1, 1, created_at, 503, interval '12 milliseconds', 'STATUS', 'the answer was 503', 'later' FROM made)
		SELECT id FROM made`, tenant, code).Scan(&id))
	return id
}

// Incident returns the incident of a new process of LOAN with a failed workflow.
func (s *Administered) Incident(tenant string) uuid.UUID {
	return s.IncidentOf(tenant, s.Definition(tenant))
}

// IncidentOf returns the incident of a new process of a definition with a failed workflow.
func (s *Administered) IncidentOf(tenant string, definition uuid.UUID) uuid.UUID {
	s.T.Helper()
	process := s.Process(s.Of(tenant, "initiator"), definition)
	var run uuid.UUID
	conn := s.Connect()
	defer func() { _ = conn.Close(s.T.Context()) }()
	require.NoError(s.T, conn.QueryRow(s.T.Context(), `UPDATE engine_runs SET state = 'FAILED', run_id = 'attempt', closed_at = created_at
		WHERE owner_id = $1 RETURNING id`, process.ID).Scan(&run))
	id := uuid.Must(uuid.NewV7())
	require.NoError(s.T, s.DB.Write(s.T.Context(), func(tx *persistence.Tx) error {
		tx.InsertIncident(domain.NewIncident(id,
			domain.EngineRun{ID: run, TenantID: process.TenantID, OwnerID: process.ID},
			domain.RunEnd{RunID: "attempt", Message: "no funds", Failure: "at line 1"}, s.Now()))
		return nil
	}))
	return id
}

// SampleModel is the data for conditions of user actions.
const SampleModel = `{"process":{"state":"RUNNING","createdAt":"2026-03-02T10:30:00Z","lastModifiedAt":"2026-03-02T10:30:00Z"},` +
	`"tasks":{"APPROVE":{"state":"READY","createdAt":"2026-03-02T10:30:00Z","lastModifiedAt":"2026-03-02T10:30:00Z"}}}`

// AdminRobotPath returns a path below a robot; rest is appended to its code and
// more are queries.
func AdminRobotPath(tenant, code, rest string, more ...string) string {
	path := AdminAPI + "/robots/" + code + rest + "?tenant=" + tenant
	for _, query := range more {
		path += "&" + query
	}
	return path
}

// FileQuery describes an upload.
func FileQuery(contentType, name string) string {
	return url.Values{"fileContentType": {contentType}, "fileName": {name}}.Encode()
}

// Holding counts the rows of every table that hold the text.
func (s *Service) Holding(text string) map[string]int {
	s.T.Helper()
	counts := map[string]int{}
	for table := range s.Snapshot() {
		counts[table] = s.Count(`SELECT count(*) FROM "`+table+`" t WHERE position($1 IN t::text) > 0`, text)
	}
	return counts
}

// Advance moves the clock of the service.
func (s *Service) Advance(by time.Duration) { s.Ticks.Add(by.Milliseconds()) }
