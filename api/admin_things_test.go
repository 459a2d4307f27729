package api_test

import (
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// makeThings creates the resources for a cell. Their codes end in name.
func makeThings(s *apitest.Administered, tenant, name string) adminThings {
	s.T.Helper()
	f := adminThings{
		tenant: tenant, definition: "LOAN-" + name, group: "GROUP-" + name, application: "app-" + name, robot: "ROBOT-" + name,
		webhook: "HOOK-" + name, incident: s.Incident(tenant), principal: s.Of(tenant, "viewer").ID,
	}
	process := s.Process(s.Of(tenant, "initiator"), s.Definition(tenant))
	f.process = process.ID
	f.task = apitest.Decode[oasb.ProcessItem](s.T, s.Post(201, s.Of(tenant, "worker"), "/process-items",
		`{"type":"TASK","processId":"`+process.ID.String()+`","processItemDefinitionCode":"APPROVE"`+
			apitest.OwnedBy(s.Of(tenant, "candidate"))+`}`)).ID
	require.NoError(s.T, s.DB.Write(s.T.Context(), func(tx *persistence.Tx) error {
		tx.RecordAvailabilityFault(domain.AvailabilityFault{
			TenantID: process.TenantID, Definition: domain.DefinitionRef{Version: process.ProcessDefinitionRef.Version},
			ActionCode: name, ProcessID: process.ID, Message: "no tasks", FirstAt: s.Now(), LastAt: s.Now(),
		})
		return nil
	}))
	owner := s.Of(tenant, "owner")
	s.Apply(
		owner,
		apitest.Document(tenant, "ProcessDefinition", f.definition, ownDefinition),
		apitest.Document(tenant, "Group", f.group, `{"name":"Of a cell"}`),
		apitest.Document(tenant, "Application", f.application, `{"name":"Of a cell"}`),
	)
	f.event = apitest.Decode[oasadmin.EventList](s.T,
		s.Get(200, owner, apitest.AdminAPI+"/events?type=RESOURCE.CREATED&resourceKind=PROCESS_DEFINITION&order=OLDEST_FIRST&limit=1&tenant="+tenant)).Content[0].ID
	f.leaver = addLeaver(s, owner, tenant, name, process.ID)
	conn := s.Connect()
	defer func() { _ = conn.Close(s.T.Context()) }()
	_, err := conn.Exec(s.T.Context(), `UPDATE incidents SET assignee_id = $2, muted_until = $3 WHERE id = $1`,
		f.incident, uuid.New(), s.Now().Add(time.Hour))
	require.NoError(s.T, err, "it is muted, and assigned to a person who has left")
	addResources(s, owner, tenant, f.robot)
	f.delivery = s.WebhookWithDeadDelivery(tenant, f.webhook)
	s.Post(200, s.Operator, apitest.AdminAPI+"/notification-receivers/OPS/~actions/test?tenant="+tenant, "")
	issued := s.Post(201, owner, apitest.ResourcePath(tenant, "Application", f.application, "/secrets"), `{"name":"first"}`)
	f.secret = apitest.Decode[oasadmin.IssuedSecret](s.T, issued).ID
	f.directory = uuid.New()
	_, err = conn.Exec(s.T.Context(), `
INSERT INTO directory_tokens (id, tenant_id, name, secret_sha256, issued_by, created_at, expires_at)
SELECT $1::uuid, t.id, $1::uuid::text, sha256($1::uuid::text::bytea), $1, now(), '2000-01-01' FROM tenants t WHERE t.code = $2`, f.directory, tenant)
	require.NoError(s.T, err, "an expired token does not count")
	access := apitest.Decode[oasb.Authentication](s.T,
		s.Post(200, s.Of(tenant, "worker"), "/authentications", `{"type":"ENGINE_TOKEN"}`))
	f.session = uuid.New()
	_, err = s.DB.OpenSession(s.T.Context(), domain.Session{
		ID: f.session, PrincipalID: s.Of(tenant, "candidate").ID, Issuer: "https://issuer.example", Subject: f.session.String(),
		CreatedAt: s.Now(), LastUsedAt: s.Now(), ExpiresAt: s.Now().Add(time.Hour), AuthenticatedAt: s.Now(),
	}, authn.HashSecret(f.session.String()), "192.0.2.1", persistence.SessionLimits{Idle: time.Hour, Each: 1000})
	require.NoError(s.T, err)
	f.access, f.tenantID = *access.ID, *access.TenantID
	s.Register(tenant, "LOANS", "LoanWorkflow")
	if !strings.Contains(name, "-") || strings.Contains(name, "BulkOperation") {
		f.bulk, f.preview = makeBulk(s, f), makeBulk(s, f)
		s.Post(200, owner, apitest.AdminAPI+"/bulk-operations/"+f.bulk.String()+"/~actions/start", `{"reason":"the bank answers again"}`)
	}
	return f
}

// addLeaver creates a user with a claimed task, and returns its id.
func addLeaver(s *apitest.Administered, owner demo.Account, tenant, name string, process uuid.UUID) uuid.UUID {
	s.T.Helper()
	code := "leaver-" + name
	s.Apply(owner, apitest.Document(tenant, "User", code, `{"name":"Leaver","email":"`+strings.ToLower(code)+`@leavers.example"}`))
	found := apitest.Decode[oasadmin.Resource](s.T, s.Get(200, owner, apitest.ResourcePath(tenant, "User", code, "")))
	s.Post(201, s.Of(tenant, "worker"), "/process-items", `{"type":"TASK","processId":"`+process.String()+
		`","processItemDefinitionCode":"APPROVE","ownerId":"`+found.Metadata.ID.String()+`"}`)
	return *found.Metadata.ID
}
