package administration_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// reader returns an application of a tenant.
func (k *keyed) reader(tenant, code, spec string) domain.Call {
	k.t.Helper()
	k.apply(system(), document("Application", tenant, code, `{"name":"An application","role":"OWNER"`+spec+`}`))
	return domain.Call{Caller: domain.Caller{
		PrincipalID: k.id(resource.KindApplication, tenant, code), Type: domain.PrincipalApplication,
		Memberships: []domain.Membership{{TenantID: k.id(resource.KindTenant, tenant, tenant), Role: domain.RoleOwner}},
	}}
}

// requireRead requires that reading the key claims ends with the code, or well.
func (k *keyed) requireRead(want domain.Code, readers map[string]domain.Call) {
	k.t.Helper()
	for name, caller := range readers {
		_, err := k.RetrieveKmsKey(k.t.Context(), caller, "claims")
		if want == "" {
			require.NoError(k.t, err, name)
		} else {
			require.True(k.t, domain.HasCode(err, want), "%s: %v", name, err)
		}
	}
}

func TestWhoReadsKeys(t *testing.T) {
	t.Parallel()
	k := newKeyed(t)
	runner, idle := workerOf(k), k.reader("north", "idle", "")
	listing := k.reader("north", "listing", `,"engine":{"taskQueues":["activities"]}`)
	sharing := k.reader("north", "sharing", `,"engine":{"taskQueues":["claims"]}`)
	foreign := k.reader("south", "foreign", `,"engine":{"taskQueues":["claims"]}`)
	actor, user := k.reader("north", "actor", ""), k.reader("north", "user", "")
	k.apply(system(), document("BusinessArtifactDefinition", "north", "CAR", `{"name":"Car","actions":[{"code":"WASH","name":"Wash",
		"type":"START_WORKFLOW","workflowType":"W","taskQueue":"q","runner":"actor"}]}`))
	k.requireRead("", map[string]domain.Call{"runner": runner, "who shares the queue": sharing})
	k.requireRead(domain.CodeNotFound, map[string]domain.Call{
		"of other queues": listing, "runner of an action": actor, "of another tenant": foreign,
	})
	k.requireRead(domain.CodeAccessDenied, map[string]domain.Call{
		"without a manifest": idle, "owner": k.caller("north", "olga", domain.RoleOwner), "operator": system(),
	})
	// Queues that the workflow can use are handed its payloads.
	k.apply(system(), document("Application", "north", "worker", `{"name":"Worker","engine":{"taskQueues":["activities"]}}`),
		document("ProcessDefinition", "north", "CLAIM", `{"name":"Claim",
		"engine":{"workflowType":"Claim","taskQueue":"claims","runner":"worker","encryptionKey":"claims"},
		"userActions":[{"code":"CALL","name":"Call","type":"START_WORKFLOW","workflowType":"W","taskQueue":"calls","runner":"user",
		"permissions":["MANAGER"]}],"permissions":{"initiators":[{"user":"ines"}]}}`))
	k.requireRead("", map[string]domain.Call{"of a listed queue": listing, "runner of a user action": user})
	k.requireRead(domain.CodeNotFound, map[string]domain.Call{"runner of an action": actor, "of another tenant": foreign})
	// A runner reads on for the processes of the version that it ran.
	k.apply(system(), document("ProcessDefinition", "north", "CLAIM", `{"name":"Claim",
		"engine":{"workflowType":"Claim","taskQueue":"claims","runner":"idle"},"permissions":{"initiators":[{"user":"ines"}]}}`))
	k.requireRead("", map[string]domain.Call{"earlier runner": runner, "runner": idle})
	for _, keyID := range []string{"", "claims.2", "CLAIMS", "claims ", "north/claims"} {
		_, err := k.RetrieveKmsKey(t.Context(), runner, keyID)
		require.True(t, domain.HasCode(err, domain.CodeNotFound), "%q: %v", keyID, err)
	}
	k.apply(system(), document("EncryptionKey", "north", "claims", `{"shared":true}`))
	k.requireRead("", map[string]domain.Call{"every worker": actor})
	k.requireRead(domain.CodeNotFound, map[string]domain.Call{"of another tenant": foreign})
}

func TestReadsOfKeysAreRecordedOnceADay(t *testing.T) {
	t.Parallel()
	k := newKeyed(t)
	now := time.Date(2026, time.March, 2, 23, 0, 0, 0, time.UTC)
	k.serve(storage.Options{Clock: func() time.Time { return now }}, k.sealer, nil)
	runner, sharing := workerOf(k), k.reader("north", "sharing", `,"engine":{"taskQueues":["claims"]}`)
	idle := k.reader("north", "idle", `,"engine":{"taskQueues":["others"]}`)
	k.rotate("claims")
	recorded := func() int { return k.count(`SELECT count(*) FROM events WHERE type = 'ENCRYPTION_KEY.READ'`) }
	read := func(caller domain.Call, keyID string) {
		_, err := k.RetrieveKmsKey(t.Context(), caller, keyID)
		require.NoError(t, err)
	}
	for range 3 {
		k.requireRead(domain.CodeNotFound, map[string]domain.Call{"idle": idle})
		read(runner, "claims")
		read(runner, "claims.2")
		read(sharing, "claims")
	}
	require.Equal(t, 3, recorded())
	now = now.Add(2 * time.Hour)
	read(runner, "claims")
	read(runner, "claims")
	require.Equal(t, 4, recorded())
	require.Equal(t, 1, k.count(`SELECT count(*) FROM events e JOIN resources r ON r.id = e.resource_id
		WHERE e.type = 'ENCRYPTION_KEY.READ' AND e.details ->> 'keyId' = 'claims.2' AND r.code = 'claims'`))
}
