package administration_test

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// departure is a tenant in which carl, the only candidate of ALONE, has claimed two tasks, and has started a process.
type departure struct {
	assisted

	alone, check *domain.ProcessItem
	own          *domain.Process
}

// openIncident stores an open incident of the process that is assigned to a person.
func (d departure) openIncident(assignee uuid.UUID) uuid.UUID {
	d.t.Helper()
	id, run := domain.NewID(), domain.NewID()
	_, err := d.connect().Exec(d.t.Context(), `WITH r AS (
		INSERT INTO engine_runs (id, tenant_id, kind, owner_id, namespace, workflow_id, run_id, workflow_type, task_queue, state, created_at,
		                         last_active_at, closed_at)
		SELECT $2, tenant_id, 'PROCESS', id, 'north', 'process', 'run', 'Loan', 'queue', 'FAILED', now(), now(), now() FROM processes WHERE id = $3
		RETURNING *)
		INSERT INTO incidents (id, tenant_id, process_id, engine_run_id, run_id, message, failure, state, created_at, assignee_id)
		SELECT $1, r.tenant_id, r.owner_id, r.id, r.run_id, 'no funds', '', 'OPEN', now(), $4 FROM r`, id, run, d.own.ID, assignee)
	require.NoError(d.t, err)
	return id
}

func newDeparture(t *testing.T) departure {
	t.Helper()
	d := departure{assisted: newAssisted(t)}
	d.check, _ = d.claimed()
	d.alone = d.task("ALONE", nil)
	_, err := d.ClaimProcessItemTask(t.Context(), d.carl, d.alone.ID)
	require.NoError(t, err)
	definition := d.configured.id(resource.KindProcessDefinition, "north", "CHECKING")
	d.own, _, err = d.CreateProcess(t.Context(), d.ada, app.NewProcess{
		Definition: app.DefinitionKey{ID: &definition}, Initiator: app.PrincipalKey{ID: &d.carl.PrincipalID},
	})
	require.NoError(t, err)
	return d
}

func (d departure) disable(to *domain.HandOver) ([]administration.AppliedResource, error) {
	d.t.Helper()
	disabled := document("User", "north", "carl", `{"name":"carl","email":"carl@north.example","role":"MEMBER","disabled":true}`)
	return d.ApplyResources(d.t.Context(), d.anna(), administration.ApplyRequest{Documents: []json.RawMessage{disabled}, HandOver: to})
}

func (d departure) remove(to *domain.HandOver) error {
	return d.DeleteResource(d.t.Context(), d.anna(), d.carlKey(), "", to)
}

func (departure) carlKey() administration.ResourceKey {
	return administration.ResourceKey{Tenant: "north", Kind: resource.KindUser, Code: "carl"}
}

// requireOwner requires the owner of a task, nil for a READY one.
func (d departure) requireOwner(task *domain.ProcessItem, owner *uuid.UUID) {
	d.t.Helper()
	found, err := d.RetrieveProcessItem(d.t.Context(), d.ada, task.ID)
	require.NoError(d.t, err)
	require.Equal(d.t, owner, found.OwnerID)
}

func (d departure) requireInitiator(initiator uuid.UUID) {
	d.t.Helper()
	found, err := d.RetrieveProcess(d.t.Context(), d.ada, d.own.ID)
	require.NoError(d.t, err)
	require.Equal(d.t, initiator, found.InitiatorID)
}

func (d departure) findUnowned() []domain.UnownedWork {
	d.t.Helper()
	found, err := d.FindUnownedWork(d.t.Context(), d.anna(), nil, domain.PageRequest{Size: 100})
	require.NoError(d.t, err)
	require.Len(d.t, found.Items, int(found.Total))
	return found.Items
}

func TestLeavers(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	for name, leave := range map[string]func(d departure, to *domain.HandOver) error{
		"disabled": func(d departure, to *domain.HandOver) error {
			_, err := d.disable(to)
			return err
		},
		"deleted": departure.remove,
	} {
		t.Run(name+"/without a decision are refused with their work", func(t *testing.T) {
			t.Parallel()
			d := newDeparture(t)
			before := d.dump()
			err := leave(d, nil)
			require.Error(t, err)
			if name == "disabled" {
				require.True(t, domain.HasCode(err, domain.CodeOpenWork), "%v", err)
				require.ErrorContains(t, err, "2 claimed tasks, 1 running process")
				require.ErrorContains(t, err, "the only right to claim of ProcessDefinition CHECKING item ALONE")
			} else {
				require.ErrorContains(t, err, "with handOver")
			}
			require.Equal(t, before, d.dump())
		})
		t.Run(name+"/with tasks of the only candidate cannot release them", func(t *testing.T) {
			t.Parallel()
			d := newDeparture(t)
			require.True(t, domain.HasCode(leave(d, &domain.HandOver{Release: true}), domain.CodeOpenWork))
			d.requireOwner(d.check, &d.carl.PrincipalID)
		})
		t.Run(name+"/hand over to a user", func(t *testing.T) {
			t.Parallel()
			d := newDeparture(t)
			ines := d.member("ines").PrincipalID
			require.NoError(t, leave(d, &domain.HandOver{User: "ines"}))
			d.requireOwner(d.check, &ines)
			d.requireOwner(d.alone, &ines)
			d.requireInitiator(ines)
			require.Equal(t, 1, d.count(`SELECT count(*) FROM item_definition_grants g JOIN item_definitions i ON i.id = g.item_definition_id
				WHERE g.grantee_id = $1 AND i.code = 'ALONE'`, ines), "the successor of the only candidate is one")
			require.Equal(t, 1, d.count(`SELECT count(*) FROM events WHERE type = 'PROCESS.INITIATOR_CHANGED'`))
			require.Equal(t, 2, d.count(`SELECT count(*) FROM events WHERE type = 'PROCESS_ITEM.TASK_ASSIGNED'`))
			require.Empty(t, d.findUnowned())
			require.Equal(t, name == "disabled", d.exists(d.carlKey()))
		})
		t.Run(name+"/hand over to a group in turn", func(t *testing.T) {
			t.Parallel()
			d := newDeparture(t)
			d.apply(d.anna(), document("Group", "north", "DESK", `{"name":"Desk","members":[{"user":"carl"},{"user":"ines"},{"user":"ada"}]}`))
			ines, ada := d.member("ines").PrincipalID, d.ada.PrincipalID
			require.NoError(t, leave(d, &domain.HandOver{Group: "DESK"}))
			d.requireOwner(d.check, &ines)
			d.requireOwner(d.alone, &ada)
			d.requireInitiator(ines)
			require.Empty(t, d.findUnowned())
		})
		t.Run(name+"/are not handed over to inactive people", func(t *testing.T) {
			t.Parallel()
			d := newDeparture(t)
			for _, to := range []domain.HandOver{{User: "carl"}, {User: "nobody"}, {Group: "NONE"}, {Group: "CLERKS"}} {
				require.True(t, domain.HasCode(leave(d, &to), domain.CodeValidation), to)
			}
		})
	}

	t.Run("that are kept appear as work without an owner, which is handed over later", func(t *testing.T) {
		t.Parallel()
		d := newDeparture(t)
		require.Empty(t, d.findUnowned())
		waiting := d.task("ALONE", nil)
		applied, err := d.disable(&domain.HandOver{Keep: true})
		require.NoError(t, err)
		require.Len(t, applied[0].Work.Tasks, 2)
		require.Equal(t, administration.SoleRight{
			May: resource.MayClaim, Item: "ALONE", Waiting: 1,
			By: resource.Key{Tenant: "north", Kind: resource.KindProcessDefinition, Code: "CHECKING"},
		}, applied[0].Work.Rights[0])
		var kinds []domain.UnownedKind
		for _, w := range d.findUnowned() {
			kinds = append(kinds, w.Kind)
		}
		require.ElementsMatch(t, []domain.UnownedKind{
			domain.UnownedTask, domain.UnownedTask, domain.UnownedProcess, domain.UnownedWaitingTask,
		}, kinds)

		carl := administration.WorkOwner{Tenant: "north", PrincipalID: d.carl.PrincipalID}
		found, err := d.FindOpenWork(t.Context(), d.anna(), carl)
		require.NoError(t, err)
		require.Len(t, found.Tasks, 2)
		done, err := d.HandOverWork(t.Context(), d.anna(), carl, domain.HandOver{User: "ines"})
		require.NoError(t, err)
		require.False(t, done.More)
		require.Empty(t, d.findUnowned())
		_, err = d.ClaimProcessItemTask(t.Context(), d.member("ines"), waiting.ID)
		require.NoError(t, err)
		for _, stranger := range []domain.Call{d.member("ines"), d.caller("south", "erik", domain.RoleOwner)} {
			_, err = d.FindOpenWork(t.Context(), stranger, carl)
			require.True(t, domain.HasCode(err, domain.CodeNotFound), "%v", err)
		}
	})

	t.Run("of all tenants hand over in each", func(t *testing.T) {
		t.Parallel()
		d := newDeparture(t)
		found, err := d.FindPersonWork(t.Context(), "Carl@north.example")
		require.NoError(t, err)
		require.Len(t, found, 1)
		require.Contains(t, found[0].String(), "north: 2 claimed tasks, 1 running process, the only right to claim of ProcessDefinition CHECKING item ALONE")
		_, err = d.DisablePerson(t.Context(), "carl@north.example", true)
		require.NoError(t, err)
		require.NotEmpty(t, d.findUnowned())
		_, err = d.HandOverPersonWork(t.Context(), found, domain.HandOver{User: "nobody"})
		require.ErrorContains(t, err, "in tenant north")
		done, err := d.HandOverPersonWork(t.Context(), found, domain.HandOver{User: "ines"})
		require.NoError(t, err)
		require.Contains(t, done[0].String(), "2 claimed tasks, 1 running process")
		require.Empty(t, d.findUnowned())
	})

	t.Run("with incidents record their assignments", func(t *testing.T) {
		t.Parallel()
		d := newDeparture(t)
		incident, ines := d.openIncident(d.carl.PrincipalID), d.member("ines").PrincipalID
		_, err := d.disable(&domain.HandOver{User: "ines"})
		require.NoError(t, err)
		require.Zero(t, d.count(`SELECT count(*) FROM events WHERE type = 'INCIDENT.STATE_CHANGED'`), "it is still open")
		require.Equal(t, 1, d.count(`SELECT count(*) FROM events WHERE type = 'INCIDENT.ASSIGNED' AND resource_id = $1 AND state = 'OPEN'
			AND details ->> 'assigneeId' = $2`, incident, ines.String()))
	})

	t.Run("with a release return tasks and stop robots", func(t *testing.T) {
		t.Parallel()
		d := newDeparture(t)
		d.apply(d.anna(), document("Group", "north", "DESK", `{"name":"Desk","members":[{"user":"ines"}]}`))
		_, err := d.AssignProcessItemTask(t.Context(), d.ada, d.alone.ID, app.PrincipalKey{ID: &d.ada.PrincipalID})
		require.NoError(t, err)
		_, err = d.disable(&domain.HandOver{Release: true})
		require.NoError(t, err)
		d.requireOwner(d.check, nil)
		d.requireInitiator(d.carl.PrincipalID)
		require.Equal(t, 1, d.count(`SELECT count(*) FROM engine_commands WHERE kind = 'CANCEL'`))
	})
}

func (c *configured) exists(key administration.ResourceKey) bool {
	c.t.Helper()
	return c.count(`SELECT count(*) FROM resources WHERE kind = $1 AND code = $2`, key.Kind, key.Code) == 1
}
