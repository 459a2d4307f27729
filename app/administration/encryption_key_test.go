package administration_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// keyed is a configured service that can seal keys. CLAIM is encrypted with the
// key claims.
type keyed struct {
	*configured
	sealer *authn.Sealer
}

func newKeyed(t *testing.T) *keyed {
	t.Helper()
	k := &keyed{configured: newConfigured(t)}
	key, err := authn.LoadOrCreateSealKey(t.TempDir() + "/seal.key")
	require.NoError(t, err)
	k.sealer, err = authn.NewSealer(key)
	require.NoError(t, err)
	k.restart(k.sealer)
	k.apply(system(), encryptionKey("claims"), secretClaim("PUBLISHED", "claims"))
	return k
}

// restart has another replica of the service take over.
func (k *keyed) restart(sealer *authn.Sealer) { k.serve(storage.Options{Clock: time.Now}, sealer, nil) }

func encryptionKey(code string) json.RawMessage {
	return document("EncryptionKey", "north", code, `{"description":"For claims"}`)
}

// secretClaim is CLAIM with a key, or with none.
func secretClaim(state, key string) json.RawMessage {
	if key != "" {
		key = fmt.Sprintf(`,"encryptionKey":%q`, key)
	}
	return document("ProcessDefinition", "north", "CLAIM", `{"name":"Claim","state":"`+state+`",
		"engine":{"workflowType":"Claim","taskQueue":"claims","runner":"worker"`+key+`},
		"permissions":{"initiators":[{"user":"ines"}]}}`)
}

func (k *keyed) start() *domain.Process {
	k.t.Helper()
	tenant := k.id(resource.KindTenant, "north", "north")
	p, _, err := k.CreateProcess(k.t.Context(), k.caller("north", "ines", domain.RoleMember), app.NewProcess{
		Definition: app.DefinitionKey{TenantID: &tenant, Code: "CLAIM"},
	})
	require.NoError(k.t, err)
	return p
}

// keyOf returns the key that a process's run is encrypted with.
func (k *keyed) keyOf(p *domain.Process) string {
	k.t.Helper()
	var keyID string
	require.NoError(k.t, k.connect().QueryRow(k.t.Context(),
		`SELECT coalesce(encryption_key_id, 'none') FROM engine_runs WHERE owner_id = $1`, p.ID).Scan(&keyID))
	return keyID
}

func (k *keyed) rotate(code string) *domain.EncryptionKey {
	k.t.Helper()
	made, err := k.RotateEncryptionKey(k.t.Context(), system(), "north", code)
	require.NoError(k.t, err)
	return made
}

func (k *keyed) value(keyID string) (string, error) {
	k.t.Helper()
	value, err := k.EncryptionKey(k.t.Context(), k.id(resource.KindTenant, "north", "north"), keyID)
	return value.Reveal(), err
}

func (k *keyed) deleteKey(code string) error {
	return k.DeleteResource(k.t.Context(), system(), resource.Key{Tenant: "north", Kind: resource.KindEncryptionKey, Code: code}, "", nil)
}

func (k *keyed) close(p *domain.Process, status domain.EngineRunState) {
	k.t.Helper()
	var namespace, workflow string
	require.NoError(k.t, k.connect().QueryRow(k.t.Context(),
		`SELECT namespace, workflow_id FROM engine_runs WHERE owner_id = $1`, p.ID).Scan(&namespace, &workflow))
	news, err := k.RecordEnd(k.t.Context(), domain.RunEnd{
		Namespace: namespace, WorkflowID: workflow, RunID: "run", Status: status, ClosedAt: time.Now(),
	})
	require.NoError(k.t, err)
	require.True(k.t, news)
}

func TestProcessesKeepTheKeyTheyStartedWith(t *testing.T) {
	t.Parallel()
	k := newKeyed(t)
	first := k.start()
	require.Equal(t, "claims", k.keyOf(first))
	made := k.rotate("claims")
	require.Equal(t, "claims.2", made.KeyID)
	require.Equal(t, 2, made.Version)
	second := k.start()
	require.Equal(t, "claims.2", k.keyOf(second))
	require.Equal(t, "claims", k.keyOf(first))

	old, err := k.value("claims")
	require.NoError(t, err)
	current, err := k.value("claims.2")
	require.NoError(t, err)
	require.Len(t, old, domain.EncryptionKeySize)
	require.Len(t, current, domain.EncryptionKeySize)
	require.NotEqual(t, old, current)

	versions, err := k.FindEncryptionKeyVersions(t.Context(), system(), "north", "claims")
	require.NoError(t, err)
	require.Len(t, versions, 2)
	require.Equal(t, *made, versions[0].EncryptionKey)
	require.EqualValues(t, 1, versions[0].OpenRuns)
	require.EqualValues(t, 1, versions[1].OpenRuns)

	// Retrying a failed workflow continues the same run.
	k.close(first, domain.RunFailed)
	var incident uuid.UUID
	require.NoError(t, k.connect().QueryRow(t.Context(), `SELECT id FROM incidents`).Scan(&incident))
	_, err = k.RetryIncident(t.Context(), k.caller("north", "olga", domain.RoleOwner), incident)
	require.NoError(t, err)
	require.Equal(t, "claims", k.keyOf(first))

	k.apply(system(), secretClaim("PUBLISHED", ""))
	require.Equal(t, "none", k.keyOf(k.start()))
}

func TestApplyingAKeyAgainMakesNoOther(t *testing.T) {
	t.Parallel()
	k := newKeyed(t)
	before, err := k.value("claims")
	require.NoError(t, err)
	require.Equal(t, []administration.ApplyAction{administration.ApplyUnchanged}, k.apply(system(), encryptionKey("claims")))
	require.Equal(t, []administration.ApplyAction{administration.ApplyConfigured},
		k.apply(system(), document("EncryptionKey", "north", "claims", `{"description":"Another text"}`)))
	require.Equal(t, 1, k.count(`SELECT count(*) FROM encryption_keys`))
	k.restart(k.sealer)
	after, err := k.value("claims")
	require.NoError(t, err)
	require.Equal(t, before, after)
	_, err = k.ApplyResources(t.Context(), system(), administration.ApplyRequest{
		Documents: []json.RawMessage{encryptionKey("trial")}, DryRun: true,
	})
	require.NoError(t, err)
	require.Equal(t, 1, k.count(`SELECT count(*) FROM encryption_keys`))
}

func TestAKeyThatIsNeededIsNotDeleted(t *testing.T) {
	t.Parallel()
	k := newKeyed(t)
	requireConflict := func(why string) {
		t.Helper()
		err := k.deleteKey("claims")
		require.True(t, domain.HasCode(err, domain.CodeConflict), "%v", err)
		require.ErrorContains(t, err, why)
	}
	running, failed := k.start(), k.start()
	requireConflict("ProcessDefinition CLAIM needs EncryptionKey claims")
	k.apply(system(), secretClaim("DRAFT", ""))
	requireConflict("the published version of ProcessDefinition CLAIM needs")
	k.apply(system(), secretClaim("PUBLISHED", ""))
	requireConflict("2 workflows")
	k.close(failed, domain.RunFailed)
	requireConflict("2 workflows")
	k.close(running, domain.RunCompleted)
	requireConflict("1 workflows")
	_, err := k.CancelProcess(t.Context(), workerOf(k), failed.ID)
	require.NoError(t, err)
	require.NoError(t, k.deleteKey("claims"))

	require.Zero(t, k.count(`SELECT count(*) FROM encryption_keys WHERE sealed_value IS NOT NULL`))
	k.restart(k.sealer)
	_, err = k.value("claims")
	require.ErrorIs(t, err, domain.ErrKeyLost)

	// Workers may still have the old key in memory: the new one has another id.
	k.apply(system(), encryptionKey("claims"), secretClaim("PUBLISHED", "claims"))
	require.Equal(t, "claims.2", k.keyOf(k.start()))
}

func workerOf(k *keyed) domain.Call {
	caller := k.caller("north", "olga", domain.RoleOwner)
	caller.PrincipalID, caller.Type = k.id(resource.KindApplication, "north", "worker"), domain.PrincipalApplication
	return caller
}

func TestAKeyGoesTogetherWithWhatNeededIt(t *testing.T) {
	t.Parallel()
	k := newKeyed(t)
	_, err := k.ApplyResources(t.Context(), system(), administration.ApplyRequest{
		Documents: []json.RawMessage{
			labelled(secretClaim("PUBLISHED", ""), "app", "claims"),
		},
		Prune: &administration.Prune{Tenant: "north", Selector: resource.Selector{"app": "claims"}},
	})
	require.NoError(t, err)
	k.apply(system(), labelled(encryptionKey("claims"), "app", "claims"), labelled(secretClaim("PUBLISHED", "claims"), "app", "claims"))
	_, err = k.ApplyResources(t.Context(), system(), administration.ApplyRequest{
		Documents: []json.RawMessage{labelled(secretClaim("PUBLISHED", ""), "app", "claims")},
		Prune:     &administration.Prune{Tenant: "north", Selector: resource.Selector{"app": "claims"}},
	})
	require.NoError(t, err)
	require.Zero(t, k.count(`SELECT count(*) FROM encryption_keys WHERE sealed_value IS NOT NULL`))
	require.Equal(t, "none", k.keyOf(k.start()))
}

func TestKeysThatDefinitionsNameMustBeThere(t *testing.T) {
	t.Parallel()
	k := newKeyed(t)
	details := k.requireRefusal(domain.CodeValidation, system(), secretClaim("PUBLISHED", "unknown"))
	require.Equal(t, "/documents/0/spec/engine/encryptionKey", details[0].Location)
	k.apply(system(), document("EncryptionKey", "south", "theirs", `{}`))
	k.requireRefusal(domain.CodeValidation, system(), secretClaim("PUBLISHED", "theirs"))
}

// Versions that were published before the definition had a key are not
// published again.
func TestDigestUnchangedWithoutKey(t *testing.T) {
	t.Parallel()
	c := newConfigured(t)
	digest := func() (text string) {
		require.NoError(t, c.connect().QueryRow(t.Context(), `SELECT encode(v.digest, 'hex') FROM process_definition_versions v
			JOIN process_definitions d ON d.published_version = v.version WHERE d.code = 'PLAIN'`).Scan(&text))
		return text
	}
	runner := identified(document("Application", "north", "fixed", `{"name":"Fixed"}`), uuid.MustParse("01970000-0000-7000-8000-00000000a0ff"))
	c.apply(system(), runner, document("ProcessDefinition", "north", "PLAIN", `{"name":"Plain",
		"engine":{"workflowType":"Plain","taskQueue":"plain","runner":"fixed"},
		"permissions":{"initiators":[{"user":"ines"}]}}`))
	// SHA-256 of ["Plain",{"WorkflowType":"Plain","TaskQueue":"plain","SignalShape":"B","RunnerID":"…"},{}] and a new line.
	require.Equal(t, "0f72ba0ad9d6a0c4f4ecfb2bb999a4a37a9f42f0b8397b1c459e8563822805da", digest())
}

func TestKeysAreSealedAndShownToNobody(t *testing.T) {
	t.Parallel()
	k := newKeyed(t)
	k.rotate("claims")
	for _, keyID := range []string{"claims", "claims.2"} {
		value, err := k.value(keyID)
		require.NoError(t, err)
		for table, content := range k.dump() {
			for _, form := range []string{value, hex.EncodeToString([]byte(value)), base64.StdEncoding.EncodeToString([]byte(value))} {
				require.NotContains(t, content, form, table)
			}
		}
		read, err := k.RetrieveKmsKey(t.Context(), workerOf(k), keyID)
		require.NoError(t, err)
		require.Equal(t, value, read.Value.Reveal())
		require.NotContains(t, fmt.Sprintf("%v %+v %#v", read, *read, read), value)
		text, err := json.Marshal(read)
		require.NoError(t, err)
		require.NotContains(t, string(text), base64.StdEncoding.EncodeToString([]byte(value)))
	}
	// A value sealed for one version cannot be opened as another.
	_, err := k.connect().Exec(t.Context(), `UPDATE encryption_keys SET sealed_value =
		(SELECT sealed_value FROM encryption_keys WHERE version = 2) WHERE version = 1`)
	require.NoError(t, err)
	k.restart(k.sealer)
	_, err = k.value("claims")
	require.ErrorIs(t, err, domain.ErrKeyLost)
	_, err = k.RetrieveKmsKey(t.Context(), workerOf(k), "claims")
	require.ErrorIs(t, err, domain.ErrKeyLost)
}

func TestKeysCannotBeMadeOrReadWithoutASealKey(t *testing.T) {
	t.Parallel()
	k := newKeyed(t)
	k.restart(nil)
	_, err := k.value("claims")
	require.ErrorIs(t, err, domain.ErrKeyLost)
	_, err = k.RotateEncryptionKey(t.Context(), system(), "north", "claims")
	require.ErrorContains(t, err, "there is no key to seal encryption keys with")
	_, err = k.ApplyResources(t.Context(), system(), administration.ApplyRequest{Documents: []json.RawMessage{encryptionKey("more")}})
	require.ErrorContains(t, err, "there is no key to seal encryption keys with")
	require.Equal(t, "claims", k.keyOf(k.start()), "starting needs no key, only carrying it out")
}

func TestWhoRotatesKeys(t *testing.T) {
	t.Parallel()
	k := newKeyed(t)
	_, err := k.RotateEncryptionKey(t.Context(), k.caller("north", "anna", domain.RoleAdministrator), "", "claims")
	require.NoError(t, err)
	for _, caller := range []domain.Call{
		k.caller("north", "ada", domain.RoleMember), k.caller("south", "erik", domain.RoleOwner),
	} {
		_, err := k.RotateEncryptionKey(t.Context(), caller, "north", "claims")
		require.True(t, domain.HasCode(err, domain.CodeNotFound), "%v", err)
		_, err = k.FindEncryptionKeyVersions(t.Context(), caller, "north", "claims")
		require.True(t, domain.HasCode(err, domain.CodeNotFound), "%v", err)
	}
	require.Equal(t, 2, k.count(`SELECT count(*) FROM encryption_keys`))
}

func TestRotationsAtOnceMakeAVersionEach(t *testing.T) {
	t.Parallel()
	const rotations = 8
	k := newKeyed(t)
	failures := make(chan error, rotations)
	for range rotations {
		go func() {
			_, err := k.RotateEncryptionKey(t.Context(), system(), "north", "claims")
			failures <- err
		}()
	}
	for range rotations {
		require.NoError(t, <-failures)
	}
	require.Equal(t, rotations+1, k.count(`SELECT max(version) FROM encryption_keys`))
}

// A start that meets the deletion of its key does not happen in the open.
func TestNothingStartsWithoutItsKey(t *testing.T) {
	t.Parallel()
	k := newKeyed(t)
	_, err := k.connect().Exec(t.Context(), `UPDATE encryption_keys SET sealed_value = NULL, deleted_at = now()`)
	require.NoError(t, err)
	tenant := k.id(resource.KindTenant, "north", "north")
	_, _, err = k.CreateProcess(t.Context(), k.caller("north", "ines", domain.RoleMember), app.NewProcess{
		Definition: app.DefinitionKey{TenantID: &tenant, Code: "CLAIM"},
	})
	require.Error(t, err)
	require.Zero(t, k.count(`SELECT count(*) FROM processes`))
}
