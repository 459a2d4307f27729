package api_test

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// codes returns the error codes of the cells of refusals.
func codes() map[string]string {
	return map[string]string{
		"400": "VALIDATION", "401": "UNAUTHENTICATED", "403": "ACCESS_DENIED", "403w": "ACCESS_DENIED", "403o": "TASK_NOT_OWNED",
		"404": "NOT_FOUND", "404d": "DEFINITION_NOT_FOUND", "409c": "TASK_ALREADY_CLAIMED",
	}
}

// things are one of everything that an operation can name.
type things struct {
	fixture
	definition, group uuid.UUID
	key               string
	// artifactDefinition is the definition of the artifact.
	artifactDefinition uuid.UUID
}

// matrixRequest returns the request of a row. Requests of other tests without a resource,
// or with one of the tenant Demo, get the resources of the fixture.
func (f things) matrixRequest(name string) operation { //nolint:funlen // most of it is a table
	if name == "B.uploadDocument_OF_ARTIFACT" {
		return operation{method: http.MethodPost, path: apitest.UploadFor("ku:business-artifact/"+f.artifact.String(), "text/plain", "a.txt"), body: "text"}
	}
	for suffix, uri := range map[string]string{
		"_OF_TASK": f.taskDocument, "_OF_PROCESS": f.processDocument, "_OF_ARTIFACT": f.artifactDocument,
	} {
		if row, ok := strings.CutSuffix(name, suffix); ok {
			name, f.document = row, uri
		}
	}
	op := f.operations()[name]
	fill := strings.NewReplacer("{tenant}", f.tenant.String(), "{definition}", f.definition.String(),
		"{process}", f.process.String(), "{principal}", f.principal.String(), "{group}", f.group.String(),
		"{artifactDefinition}", f.artifactDefinition.String(), "{key}", f.key).Replace
	if name == "B.claim_READY" {
		op = f.operations()["B.claimProcessItemTask"]
	}
	if name == "A.claim_READY" {
		op = f.operations()["A.actionsTaskClaim"]
	}
	if path, ok := map[string]string{
		"A.findProcesses":   apitest.ShapeA + "/processes?tenantId={tenant}",
		"A.findTasks":       apitest.ShapeA + "/tasks?processId={process}",
		"A.findPrincipals":  apitest.ShapeA + "/principals?tenantId={tenant}",
		"A.findTenantUsers": apitest.ShapeA + "/tenant-users?tenantId={tenant}",
		"B.findPrincipals":  "/principals?tenantId={tenant}", "B.findTenants": "/tenants?tenantId={tenant}",
		"B.findTenantUsers": "/tenant-users?tenantId={tenant}", "B.findGroups": "/groups?groupId={group}",
		"B.streamEvents":  "/events?follow=false&after=0.0.0&processId={process}",
		"B.findProcesses": "/processes?processDefinitionId={definition}",

		"B.findProcessDefinitions":             "/process-definitions?tenantId={tenant}",
		"B.retrieveProcessDefinition":          "/process-definitions/{definition}",
		"B.findBusinessArtifactDefinitions":    "/business-artifact-definitions?tenantId={tenant}",
		"B.retrieveBusinessArtifactDefinition": "/business-artifact-definitions/{artifactDefinition}",

		"B.findProcessItems": "/process-items?processId={process}",

		"A.findRobots": apitest.ShapeA + "/robots?tenantId={tenant}", "B.findRobots": "/robots?tenantId={tenant}",

		"B.findBusinessArtifacts": "/business-artifacts?businessArtifactDefinitionId={artifactDefinition}",
		"B.retrieveKmsKey":        "/kms/keys/{key}",
	}[name]; ok {
		op.path = fill(path)
	}
	if body, ok := map[string]string{
		"A.createProcess": `{"processDefinition":{"id":"{definition}"}}`,
		"A.createTask": `{"processId":"{process}","taskDefinition":{"code":"APPROVE_LOAN"},` +
			`"owner":{"id":"{principal}"}}`,
		"A.actionsProcessChangeInitiator": `{"principalId":"{principal}"}`,
		"A.actionsTaskAssign":             `{"principalId":"{principal}"}`,
		"A.createWorker": `{"identity":"{process}","taskQueue":"QUEUE_SAMPLE_LOAN","hostname":"h","ip":"127.0.0.1",` +
			`"tenantId":"{tenant}"}`,
		"A.createAuthentication":  `{"type":"ENGINE","tenantId":"{tenant}"}`,
		"B.createProcess":         `{"processDefinitionId":"{definition}"}`,
		"B.createDataSourceQuery": `{"dataSourceCode":"GOODS","tenantId":"{tenant}"}`,
		"B.createProcessItem": `{"type":"TASK","processId":"{process}","processItemDefinitionCode":"APPROVE_LOAN",` +
			`"ownerId":"{principal}"}`,
		"B.changeProcessInitiator":  `{"initiatorId":"{principal}"}`,
		"B.assignProcessItemTask":   `{"ownerId":"{principal}"}`,
		"B.delegateProcessItemTask": `{"ownerId":"{principal}"}`,
		"B.createBusinessArtifact":  `{"businessArtifactDefinitionId":"{artifactDefinition}"}`,
		"B.createWorker": `{"identity":"{process}","taskQueue":"QUEUE_SAMPLE_LOAN","hostname":"h","ip":"127.0.0.1",` +
			`"tenantId":"{tenant}"}`,
		"B.createAuthentication": `{"type":"ENGINE_TOKEN","tenantId":"{tenant}"}`,
	}[name]; ok {
		op.body = fill(body)
	}
	return op
}

// cast holds the callers of the matrix, each with one right only, and the
// resources of the two tenants that all of them share.
type cast struct {
	accounts   map[string]demo.Account
	user       uuid.UUID // of the tenant Other
	group      uuid.UUID // of the tenant Other
	membership uuid.UUID // of a user in the tenant Demo
	// artifactDefinition is the definition of the tenant Other.
	artifactDefinition uuid.UUID
	robot              uuid.UUID // of the tenant Other
}

// newCast completes the demonstration data.
func newCast(s *apitest.Service) cast { //nolint:funlen // most of it is a table
	s.T.Helper()
	account := func(name string, role domain.TenantRole) demo.Account {
		a := demo.Account{Name: name, ID: uuid.New(), Secret: name + "-secret", Tenant: demo.TenantDemo(), Role: role}
		if role != "" {
			a.Email = name + "@demo.example"
		}
		return a
	}
	c := cast{
		accounts: map[string]demo.Account{
			"owner": account("owner", ""), "tenant-owner": account("tenant-owner", domain.RoleOwner),
			"administrator": account("administrator", domain.RoleAdministrator), "manager": account("manager", ""),
			"viewer": demo.Reader(), "candidate": demo.Bob(), "initiator": demo.Carol(), "stranger": demo.Stranger(),
			"other": demo.OtherWorker(),
		},
		user: uuid.New(), group: uuid.New(), membership: uuid.New(),
		artifactDefinition: uuid.New(),
	}
	audit := domain.NewAudit(domain.SystemPrincipalID(), s.Now())
	require.NoError(s.T, s.DB.Write(s.T.Context(), func(tx *persistence.Tx) error {
		for name, kind := range map[string]domain.CredentialKind{
			"owner": domain.CredentialApplicationSecret, "manager": domain.CredentialApplicationSecret,
			"tenant-owner":  domain.CredentialPersonalAccessToken,
			"administrator": domain.CredentialPersonalAccessToken,
		} {
			a := c.accounts[name]
			if a.Email == "" {
				tx.PutApplication(domain.Application{
					Principal: domain.Principal{ID: a.ID, Name: name}, TenantID: a.Tenant, Role: domain.RoleMember, Audit: audit,
				})
			} else {
				require.NoError(s.T, tx.PutTenantUser(domain.TenantUser{
					ID: uuid.New(), TenantID: a.Tenant, Role: a.Role, Audit: audit,
					Principal: domain.Principal{ID: a.ID, Name: name, Email: a.Email},
				}))
			}
			tx.InsertCredential(domain.Credential{
				ID: uuid.New(), PrincipalID: a.ID, Kind: kind, SecretSHA256: authn.HashSecret(a.Secret),
				CreatedAt: audit.CreatedAt,
			})
		}
		tx.GrantOnProcess(demo.Loan(), domain.PermissionManager, c.accounts["manager"].ID)
		tx.GrantOnProcess(demo.Loan(), domain.PermissionAdministrator, c.accounts["administrator"].ID)
		require.NoError(s.T, tx.PutTenantUser(domain.TenantUser{
			ID: c.user, TenantID: demo.TenantOther(), Role: domain.RoleOwner, Audit: audit,
			Principal: domain.Principal{ID: uuid.New(), Name: "user", Email: "user@other.example"},
		}))
		c.grantOnArtifacts(s, tx, audit)
		tx.PutGroup(domain.Group{ID: c.group, TenantID: demo.TenantOther(), Code: "REVIEWERS", Name: "Reviewers"}, nil)
		return nil
	}))
	s.LoadFiles()
	s.ApplyRobot("demo", "KYC_BOT", `{"name":"KYC bot","runner":"loan-worker","permissions":{"viewers":[{"application":"reader"}]}}`)
	c.robot = s.OtherRobot()
	s.PutDataSource(demo.TenantDemo(), demo.LoanWorker(), demo.Reviewers(), demo.Reader().ID)
	s.PutDataSource(demo.TenantOther(), demo.OtherWorker(), demo.OtherWorker().ID)
	c.runWorkers(s)
	for _, user := range s.List(demo.Alice(), "/tenant-users").Content {
		c.membership = user.ID
	}
	return c
}

// runWorkers registers workers of owner and other, and creates a key in the
// tenant Other.
func (c cast) runWorkers(s *apitest.Service) {
	s.T.Helper()
	s.Lists(c.accounts["owner"].ID, "QUEUE_SAMPLE_LOAN")
	for _, name := range []string{"owner", "other"} {
		s.Post(201, c.accounts[name], "/workers",
			`{"identity":"`+name+`","taskQueue":"QUEUE_SAMPLE_LOAN","hostname":"h","ip":"127.0.0.1"}`)
	}
	system := domain.Call{Caller: domain.Caller{PrincipalID: domain.SystemPrincipalID(), Type: domain.PrincipalSystem, Operator: true}}
	_, err := s.Administration.ApplyResources(s.T.Context(), system, administration.ApplyRequest{Documents: []json.RawMessage{
		json.RawMessage(apitest.Document("other", "EncryptionKey", "other-key", `{"shared":true}`)),
	}})
	require.NoError(s.T, err)
}

// grantOnArtifacts gives rights on CUSTOMER, and creates a definition with the
// same code in the tenant Other.
func (c cast) grantOnArtifacts(s *apitest.Service, tx *persistence.Tx, audit domain.Audit) {
	s.T.Helper()
	for permission, grantee := range map[domain.ArtifactPermission]uuid.UUID{
		domain.PermissionArtifactManager: c.accounts["manager"].ID,
		domain.PermissionArtifactViewer:  c.accounts["viewer"].ID,
		domain.PermissionArtifactEditor:  demo.Reviewers(),
	} {
		tx.GrantOnArtifact(apitest.Customers(), demo.TenantDemo(), permission, grantee)
	}
	other, err := resource.FromStored(resource.KindBusinessArtifactDefinition,
		resource.Metadata{Code: "CUSTOMER", Tenant: "other"}, []byte(`{"name":"Customer","actions":[`+
			`{"code":"STATEMENT","type":"DOWNLOADABLE","workflowType":"W","taskQueue":"q","runner":"other-worker"},`+
			`{"code":"OPEN_LOAN","type":"START_PROCESS","processDefinition":"LOAN"},`+
			`{"code":"CLONE","type":"CREATE_BUSINESS_ARTIFACT","businessArtifactDefinition":"CUSTOMER"}]}`))
	require.NoError(s.T, err)
	require.NoError(s.T, tx.PutResource(resource.Stored{
		Document: other, ID: c.artifactDefinition, TenantID: demo.TenantOther(), Audit: audit,
	}))
	tx.GrantOnArtifact(c.artifactDefinition, demo.TenantOther(), domain.PermissionArtifactManager, demo.OtherWorker().ID)
}

// things creates a process and a task of the caller's tenant, or of the other one.
func (c cast) things(s *apitest.Service, of string, ready bool) things {
	s.T.Helper()
	worker, initiator, owner := demo.LoanWorker(), demo.Carol().ID, c.accounts["owner"].ID
	made := things{
		fixture:    fixture{tenant: demo.TenantDemo(), user: c.membership, principal: demo.Alice().ID, robot: demo.Robot()},
		definition: demo.Loan(), group: demo.Reviewers(), artifactDefinition: apitest.Customers(), key: "demo-key",
	}
	if of == "other" {
		worker, initiator, owner = demo.OtherWorker(), demo.OtherWorker().ID, demo.OtherWorker().ID
		made = things{
			fixture:    fixture{tenant: demo.TenantOther(), user: c.user, principal: demo.OtherWorker().ID, robot: c.robot},
			definition: demo.OtherLoan(), group: c.group, artifactDefinition: c.artifactDefinition, key: "other-key",
		}
	}
	id := func(path, body string) uuid.UUID {
		return apitest.Decode[struct{ ID uuid.UUID }](s.T, s.Post(201, worker, path, body)).ID
	}
	made.process = id("/processes",
		`{"processDefinitionId":"`+made.definition.String()+`","initiatorId":"`+initiator.String()+`"}`)
	made.finished = id("/processes",
		`{"processDefinitionId":"`+made.definition.String()+`","initiatorId":"`+initiator.String()+`"}`)
	id("/process-items", `{"type":"TASK","processId":"`+made.finished.String()+
		`","processItemDefinitionCode":"APPROVE_LOAN","ownerId":"`+owner.String()+`"}`)
	s.Post(200, worker, apitest.ProcessPath(made.finished, "/~actions/cancel"), "")
	made.artifact = id("/business-artifacts", `{"businessArtifactDefinitionId":"`+made.artifactDefinition.String()+`"}`)
	owned := `,"ownerId":"` + owner.String() + `"`
	if ready {
		owned = ""
	}
	made.task = id("/process-items", `{"type":"TASK","processId":"`+made.process.String()+
		`","processItemDefinitionCode":"APPROVE_LOAN"`+owned+`}`)
	querier := demo.Bob()
	if of == "other" {
		querier = worker
	}
	made.query = answeredQuery(s, querier, made.tenant)
	made.fixture = made.withDocuments(s, worker).withArtifactAction(s, worker).withPhoto(s, worker).withReports(s, worker).
		withAssistance(s, worker).withLinkedDocuments(s, worker)
	return made
}

func absentThings() things {
	return things{
		fixture: fixture{
			finished: uuid.New(), process: uuid.New(), task: uuid.New(), tenant: uuid.New(), user: uuid.New(), principal: uuid.New(),
			artifact: uuid.New(), artifactAction: uuid.New(), photo: uuid.New(), robot: uuid.New(), assistance: uuid.New(), query: uuid.New(),
		}.withAbsentDocuments(),
		definition: uuid.New(), group: uuid.New(), artifactDefinition: uuid.New(), key: "absent-key",
	}
}
