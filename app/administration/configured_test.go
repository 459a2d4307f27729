package administration_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// maxDocumentBytes is how large a document may be.
const maxDocumentBytes = 100

// administrationService has a name other than app.Service, for structs with both.
type administrationService = administration.Service

// configured is a service with a tenant "north" that a process definition is
// configured in, and an empty tenant "south".
type configured struct {
	*app.Service
	*administrationService
	t   *testing.T
	url string
	db  *persistence.DB
	ids map[resource.Key]uuid.UUID
}

// system applies the documents that set a service up.
func system() domain.Call {
	return domain.Call{Caller: domain.Caller{PrincipalID: domain.SystemPrincipalID(), Type: domain.PrincipalSystem, Operator: true}}
}

func newConfigured(t *testing.T) *configured {
	t.Helper()
	c := &configured{t: t, url: pgtest.URL(t), ids: map[resource.Key]uuid.UUID{}}
	c.db = pgtest.Open(t, c.url)
	c.serve(storage.Options{Clock: time.Now}, nil, nil)
	c.apply(system(), north()...)
	c.apply(system(), document("Tenant", "", "south", `{"name":"South"}`),
		document("User", "south", "erik", `{"name":"Erik","email":"erik@south.example","role":"OWNER"}`))
	return c
}

// serve restarts the operations on the same database.
func (c *configured) serve(o storage.Options, sealer *authn.Sealer, documents *blobstore.Store) {
	o.DB = c.db
	store := storage.New(o)
	c.Service = app.New(app.Options{
		Store: store, TaskLogLimit: app.DefaultTaskLogLimit, CancelGrace: time.Minute, Sealer: sealer,
		Documents: documents, MaxDocumentBytes: maxDocumentBytes,
	})
	c.administrationService = administration.New(administration.Options{
		Store: store, Sealer: sealer, Documents: documents, MaxDocumentBytes: maxDocumentBytes,
		EngineAddresses: map[string]string{"": "temporal.example:7233", "cloud": "cloud.example:7233"},
		CloudAccounts:   map[string]string{"cloud": "a1b2c"},
	})
}

func document(kind, tenant, code, spec string) json.RawMessage {
	metadata := fmt.Sprintf(`{"code":%q`, code)
	if tenant != "" {
		metadata += fmt.Sprintf(`,"tenant":%q`, tenant)
	}
	return json.RawMessage(fmt.Sprintf(
		`{"apiVersion":"procession/v1","kind":%q,"metadata":%s},"spec":%s}`, kind, metadata, spec))
}

// identified returns the document with an id.
func identified(d json.RawMessage, id uuid.UUID) json.RawMessage {
	return json.RawMessage(strings.Replace(string(d), `"metadata":{`, `"metadata":{"id":"`+id.String()+`",`, 1))
}

// labelled returns the document with a label.
func labelled(d json.RawMessage, key, value string) json.RawMessage {
	return json.RawMessage(strings.Replace(string(d), `"metadata":{`, fmt.Sprintf(`"metadata":{"labels":{%q:%q},`, key, value), 1))
}

func user(code, role string) json.RawMessage {
	return document("User", "north", code, fmt.Sprintf(`{"name":%q,"email":%q,"role":%q}`, code, code+"@north.example", role))
}

// claim returns the definition of a process of version. Each version has its own metadata and task.
func claim(version string) json.RawMessage {
	return document("ProcessDefinition", "north", "CLAIM", `{"name":"Claim",
		"engine":{"workflowType":"Claim","taskQueue":"claims","runner":"worker"},
		"metadataSchema":{"type":"object","required":["`+version+`"]},
		"dataStructures":["ADDRESS"],
		"items":[{"code":"CHECK","type":"TASK","name":"`+version+`","candidates":[{"group":"CLERKS"}]}],
		"permissions":{"initiators":[{"user":"ines"}],"administrators":[{"user":"ada"}]}}`)
}

func north() []json.RawMessage {
	return []json.RawMessage{
		document("Tenant", "", "north", `{"name":"North","userMetadataSchema":{"type":"object","required":["desk"]}}`),
		user("olga", "OWNER"), user("anna", "ADMINISTRATOR"), user("ines", "MEMBER"), user("ada", "MEMBER"), user("carl", "MEMBER"),
		document("Application", "north", "worker", `{"name":"Worker"}`),
		document("Group", "north", "CLERKS", `{"name":"Clerks","members":[{"user":"carl"}]}`),
		document("DataStructure", "north", "ADDRESS", `{"name":"Address","schema":{"type":"object"}}`),
		claim("first"),
	}
}

// apply requires that documents are applied, and returns the outcomes. People who leave keep their work.
func (c *configured) apply(caller domain.Call, documents ...json.RawMessage) []administration.ApplyAction {
	c.t.Helper()
	applied, err := c.ApplyResources(c.t.Context(), caller, administration.ApplyRequest{
		Documents: documents, HandOver: &domain.HandOver{Keep: true},
	})
	require.NoError(c.t, err)
	actions := make([]administration.ApplyAction, len(applied))
	for i, a := range applied {
		actions[i], c.ids[a.Key] = a.Action, a.ID
	}
	return actions
}

// requireRefusal requires that documents are refused with the code without a change.
func (c *configured) requireRefusal(code domain.Code, caller domain.Call, documents ...json.RawMessage) []domain.Detail {
	c.t.Helper()
	before := c.dump()
	_, err := c.ApplyResources(c.t.Context(), caller, administration.ApplyRequest{Documents: documents})
	var failure *domain.Error
	require.ErrorAs(c.t, err, &failure)
	require.Equal(c.t, code, failure.Code, err)
	require.Equal(c.t, before, c.dump())
	return failure.Details
}

func (c *configured) id(kind resource.Kind, tenant, code string) uuid.UUID {
	c.t.Helper()
	id, ok := c.ids[resource.Key{Tenant: tenant, Kind: kind, Code: code}]
	require.True(c.t, ok, code)
	return id
}

// caller returns a user of the tenant.
func (c *configured) caller(tenant, code string, role domain.TenantRole) domain.Call {
	c.t.Helper()
	return domain.Call{Caller: domain.Caller{
		PrincipalID: c.id(resource.KindUser, tenant, code), Type: domain.PrincipalUser,
		Memberships: []domain.Membership{{
			TenantID: c.id(resource.KindTenant, tenant, tenant), Namespace: tenant, Role: role,
			AdministersDefinitions: true,
		}},
	}}
}

func (c *configured) connect() *pgx.Conn {
	c.t.Helper()
	conn, err := pgx.Connect(c.t.Context(), c.url)
	require.NoError(c.t, err)
	c.t.Cleanup(func() { _ = conn.Close(c.t.Context()) })
	return conn
}

func (c *configured) count(sql string, args ...any) int {
	c.t.Helper()
	var n int
	require.NoError(c.t, c.connect().QueryRow(c.t.Context(), sql, args...).Scan(&n))
	return n
}

// dump returns the content of every table.
func (c *configured) dump() map[string]string {
	c.t.Helper()
	conn := c.connect()
	rows, err := conn.Query(c.t.Context(), `SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'`)
	require.NoError(c.t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(c.t, err)
	content := map[string]string{}
	for _, table := range tables {
		var text string
		require.NoError(c.t, conn.QueryRow(c.t.Context(), `SELECT coalesce(string_agg(t::text, E'\n' ORDER BY t::text), '') FROM `+
			pgx.Identifier{table}.Sanitize()+` t`).Scan(&text))
		content[table] = text
	}
	return content
}

func (c *configured) start(caller domain.Call) *domain.Process {
	c.t.Helper()
	definition := c.id(resource.KindProcessDefinition, "north", "CLAIM")
	process, _, err := c.CreateProcess(c.t.Context(), caller, app.NewProcess{Definition: app.DefinitionKey{ID: &definition}})
	require.NoError(c.t, err)
	return process
}

func (c *configured) namespace(tenant string) string {
	c.t.Helper()
	var namespace string
	require.NoError(c.t, c.connect().QueryRow(c.t.Context(), `SELECT namespace FROM tenants WHERE code = $1`, tenant).Scan(&namespace))
	return namespace
}

// cloudTenant returns the manifest of a new tenant with a namespace in Temporal Cloud.
func cloudTenant(namespace string) json.RawMessage {
	return document("Tenant", "", "west", `{"name":"West","cluster":"cloud","namespace":"`+namespace+`"}`)
}
