package api_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api"
	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/internal/testkit/contracttest"
	"github.com/procession-dev/procession/persistence"
)

// adminAPI is what paths of the administration API start with.
const adminAPI = "/admin/v1"

const applyPath = adminAPI + "/resources/~actions/apply"

// administered is the service with the tenants north and south, which were made
// by applying a folder each. The callers are named after the one thing that they
// are in north; southOwner and southWorker are of south.
type administered struct {
	*service
	operator demo.Account
	accounts map[string]demo.Account
}

// people are the users that every tenant has, with their roles in it.
func people() map[string]domain.TenantRole {
	return map[string]domain.TenantRole{
		"owner": domain.RoleOwner, "administrator": domain.RoleAdministrator,
		"definer": domain.RoleMember, "manager": domain.RoleMember, "viewer": domain.RoleMember,
		"candidate": domain.RoleMember, "initiator": domain.RoleMember,
	}
}

// programs are the applications that every tenant has.
func programs() []string { return []string{"worker", "stranger"} }

func newAdministered(t *testing.T, change ...func(*api.Options)) *administered {
	t.Helper()
	s := &administered{service: newService(t, change...), accounts: map[string]demo.Account{}}
	s.operator = s.newOperator()
	for _, tenant := range []string{"north", "south"} {
		for name := range people() {
			s.accounts[tenant+"-"+name] = demo.Account{
				Name: name, ID: uuid.New(), Email: name + "@" + tenant + ".example", Secret: tenant + "-" + name + "-token",
			}
		}
		for _, name := range programs() {
			s.accounts[tenant+"-"+name] = demo.Account{
				Name: name, ID: uuid.New(), Secret: tenant + "-" + name + "-secret",
			}
		}
		s.apply(s.operator, s.folder(tenant)...)
	}
	return s
}

// in is the service for a subtest.
func (s *administered) in(t *testing.T) *administered {
	t.Helper()
	sub := *s
	sub.service = s.service.in(t)
	return &sub
}

// as is an account of north.
func (s *administered) as(name string) demo.Account { return s.of("north", name) }

func (s *administered) of(tenant, name string) demo.Account {
	s.t.Helper()
	account, ok := s.accounts[tenant+"-"+name]
	require.True(s.t, ok, name)
	return account
}

// newOperator makes a user of the demonstration data's tenant who is an operator.
func (s *service) newOperator() demo.Account {
	s.t.Helper()
	operator := demo.Account{
		Name: "operator", ID: uuid.New(), Email: "operator@demo.example", Secret: "operator-token", Tenant: demo.TenantDemo(),
	}
	audit := domain.NewAudit(domain.SystemPrincipalID(), s.now())
	require.NoError(s.t, s.db.Write(s.t.Context(), func(tx *persistence.Tx) error {
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

// folder is one document of every kind, and those of the accounts of a tenant.
func (s *administered) folder(tenant string) []string {
	s.t.Helper()
	documents := []string{
		`{"apiVersion":"procession/v1","kind":"Tenant","metadata":{"code":"` + tenant + `"},"spec":{"name":"` + tenant +
			`","plan":"PREMIUM","userMetadataSchema":{"type":"object","properties":{"FLOOR":{"type":"integer"}}}}}`,
		document(tenant, "Group", "REVIEWERS", `{"name":"Reviewers","members":[{"user":"candidate"}]}`),
		document(tenant, "DataStructure", "ADDRESS", `{"name":"Address","schema":{"type":"object"}}`),
		document(tenant, "EncryptionKey", "payloads", `{"description":"What workers see","shared":true}`),
		s.loanOf(tenant, ""),
		document(tenant, "BusinessArtifactDefinition", "CUSTOMER", `{"name":"Customer","dataSchema":{"type":"object",`+
			`"properties":{"NAME":{"type":"string"}}},"indexes":[{"field":"NAME","type":"STRING"}]}`),
		document(tenant, "WebhookSubscription", "EVENTS", `{"name":"Events","url":"https://events.`+tenant+`.example/hook"}`),
		document(tenant, "Robot", "BOT", `{"name":"Bot"}`),
	}
	for name, role := range people() {
		documents = append(documents, s.user(tenant, name, role))
	}
	for _, name := range programs() {
		account := s.of(tenant, name)
		documents = append(documents, identified(tenant, "Application", name, account.ID,
			`{"name":"`+name+`","secrets":[`+declared("first", account.Secret)+`]}`))
	}
	return documents
}

func (s *administered) user(tenant, name string, role domain.TenantRole) string {
	s.t.Helper()
	account := s.of(tenant, name)
	return identified(tenant, "User", name, account.ID, `{"name":"`+name+`","email":"`+account.Email+
		`","role":"`+string(role)+`","metadata":{"FLOOR":1},"accessTokens":[`+declared("first", account.Secret)+`]}`)
}

// loanOf is a process definition; more are members of its spec.
func (s *administered) loanOf(tenant, more string) string {
	return document(tenant, "ProcessDefinition", "LOAN", `{"name":"Loan","engine":{"workflowType":"LoanWorkflow",`+
		`"taskQueue":"LOANS","runner":"worker"},"metadataSchema":{"type":"object"},"dataStructures":["ADDRESS"],`+
		`"items":[{"code":"APPROVE","type":"TASK","name":"Approve","dataSchema":{"type":"object"},`+
		`"candidates":[{"group":"REVIEWERS"}]}],`+more+
		`"permissions":{"initiators":[{"user":"initiator"}],"viewers":[{"user":"viewer"}],`+
		`"managers":[{"user":"manager"}],"administrators":[{"user":"definer"}]}}`)
}

// document is a document with the label app=test.
func document(tenant, kind, code, spec string) string {
	return `{"apiVersion":"procession/v1","kind":"` + kind + `","metadata":{"code":"` + code + `","tenant":"` + tenant +
		`","labels":{"app":"test"}},"spec":` + spec + `}`
}

// identified is a document that chooses the id.
func identified(tenant, kind, code string, id uuid.UUID, spec string) string {
	return strings.Replace(document(tenant, kind, code, spec), `"labels"`, `"id":"`+id.String()+`","labels"`, 1)
}

// declared is a secret as documents declare it.
func declared(name, secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return `{"name":"` + name + `","sha256":"` + hex.EncodeToString(sum[:]) + `"}`
}

// applying returns a body that applies manifests; more are further members of
// it.
func applying(more string, documents ...string) string {
	return `{` + more + `"documents":[` + strings.Join(documents, ",") + `]}`
}

// apply applies documents.
func (s *administered) apply(as demo.Account, documents ...string) []oasadmin.AppliedResource {
	s.t.Helper()
	return s.applyWith(as, "", documents...)
}

func (s *administered) applyWith(as demo.Account, more string, documents ...string) []oasadmin.AppliedResource {
	s.t.Helper()
	return decode[oasadmin.ResourceApplyResult](s.t, s.post(200, as, applyPath, applying(more, documents...))).Results
}

// refusedApply requires that manifests are refused and nothing changes.
func (s *administered) refusedApply(status int, code string, as demo.Account, documents ...string) contracttest.ErrorBody {
	s.t.Helper()
	before := s.snapshot()
	failure := s.refused(status, code, as, http.MethodPost, applyPath, applying("", documents...))
	require.Equal(s.t, before, s.snapshot())
	return failure
}

// resourcePath returns the path of a resource; rest is appended.
func resourcePath(tenant, kind, code, rest string) string {
	return fmt.Sprintf("%s/resources/%s/%s%s?tenant=%s", adminAPI, kind, code, rest, tenant)
}

func versionsPath(tenant, code string) string {
	return adminAPI + "/process-definitions/" + code + "/versions?tenant=" + tenant
}

func (s *administered) resource(as demo.Account, tenant, kind, code string) oasadmin.Resource {
	s.t.Helper()
	return decode[oasadmin.Resource](s.t, s.get(200, as, resourcePath(tenant, kind, code, "")))
}

// definition is the id of the process definition LOAN of a tenant.
func (s *administered) definition(tenant string) uuid.UUID {
	s.t.Helper()
	return *s.resource(s.of(tenant, "owner"), tenant, "ProcessDefinition", "LOAN").Metadata.ID
}

// webhookWithDeadDelivery makes a webhook subscription with one delivery, which
// failed for good, of the latest process of the tenant. It returns the
// delivery.
func (s *administered) webhookWithDeadDelivery(tenant, code string) uuid.UUID {
	s.t.Helper()
	owner := s.of(tenant, "owner")
	s.apply(owner, document(tenant, "WebhookSubscription", code, `{"name":"Of a cell","url":"https://events.example/hook"}`))
	s.post(201, owner, resourcePath(tenant, "WebhookSubscription", code, "/secrets"), `{"name":"first"}`)
	conn := s.connect()
	defer func() { _ = conn.Close(s.t.Context()) }()
	var id uuid.UUID
	require.NoError(s.t, conn.QueryRow(s.t.Context(), `WITH made AS (
		INSERT INTO webhook_deliveries (id, subscription_id, tenant_id, event_id, event_type, payload_version, process_id, state,
			attempts, created_at, queued_at, last_attempt_at, finished_at)
		SELECT gen_random_uuid(), r.id, r.tenant_id, e.id, e.type, 'B', e.process_id, 'DEAD', 1, e.occurred_at, e.occurred_at,
			e.occurred_at, e.occurred_at
		  FROM resources r JOIN tenants t ON t.id = r.tenant_id JOIN events e ON e.tenant_id = t.id AND e.type = 'PROCESS.CREATED'
		 WHERE t.code = $1 AND r.code = $2 ORDER BY e.position DESC LIMIT 1 RETURNING id, created_at), tried AS (
		INSERT INTO webhook_attempts (delivery_id, round, number, at, status, latency, failure, detail, answer)
		SELECT id, 1, 1, created_at, 503, interval '12 milliseconds', 'STATUS', 'the answer was 503', 'later' FROM made)
		SELECT id FROM made`, tenant, code).Scan(&id))
	return id
}

// incident is what the failed workflow of a new process of a tenant leaves.
func (s *administered) incident(tenant string) uuid.UUID {
	s.t.Helper()
	process := s.process(s.of(tenant, "initiator"), s.definition(tenant))
	var run uuid.UUID
	conn := s.connect()
	defer func() { _ = conn.Close(s.t.Context()) }()
	require.NoError(s.t, conn.QueryRow(s.t.Context(), `UPDATE engine_runs SET state = 'FAILED', run_id = 'attempt', closed_at = created_at
		WHERE owner_id = $1 RETURNING id`, process.ID).Scan(&run))
	id := uuid.Must(uuid.NewV7())
	require.NoError(s.t, s.db.Write(s.t.Context(), func(tx *persistence.Tx) error {
		tx.InsertIncident(domain.NewIncident(id,
			domain.EngineRun{ID: run, TenantID: process.TenantID, OwnerID: process.ID},
			domain.Closing{RunID: "attempt", Message: "no funds", Failure: "at line 1"}, s.now()))
		return nil
	}))
	return id
}
