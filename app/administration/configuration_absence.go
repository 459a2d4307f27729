package administration

import (
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

func absenceHandler() kindHandler {
	return kindHandler{
		put: putSpec((*configuration).putAbsence), check: checkSpec((*configuration).checkAbsence),
		remove: func(_ *configuration, tx *persistence.Tx, a AppliedResource, tenant uuid.UUID, _ time.Time) {
			tx.DeleteAbsence(tenant, a.ID)
		},
	}
}

func (c *configuration) putAbsence(tx *persistence.Tx, w written, spec *resource.AbsenceSpec) error {
	tx.PutAbsence(domain.Absence{
		ID: w.id, TenantID: w.tenant, From: spec.From, Until: spec.Until,
		PrincipalID:  c.ids[identityKey(w.Metadata.Tenant, spec.User, "", "")],
		SubstituteID: c.ids[identityKey(w.Metadata.Tenant, spec.Substitute, "", "")],
	})
	return nil
}

// checkAbsence reports a second absence of the user at the same time.
func (c *configuration) checkAbsence(d *resource.Document, spec *resource.AbsenceSpec) *resource.Violation {
	for key, other := range c.desired {
		if of, ok := other.Spec.(*resource.AbsenceSpec); ok && key != d.Key() && key.Tenant == d.TenantCode() && of.Overlaps(spec) {
			return &resource.Violation{Pointer: "/spec/from", Message: "overlaps " + displayKey(key) + " of the same user"}
		}
	}
	return nil
}

// endAbsences deletes the absences of users that the change deletes, and the ones in which they are the substitutes.
func (c *configuration) endAbsences() {
	removed := map[resource.Key]bool{}
	for i := range c.applied {
		a := &c.applied[i]
		removed[a.Key] = a.Key.Kind == resource.KindUser && a.Action == ApplyDeleted
	}
	for key, d := range c.desired {
		spec, ok := d.Spec.(*resource.AbsenceSpec)
		stored := c.stored[key]
		if !ok || stored == nil ||
			!removed[identityKey(key.Tenant, spec.User, "", "")] && !removed[identityKey(key.Tenant, spec.Substitute, "", "")] {
			continue
		}
		delete(c.desired, key)
		c.applied = append(c.applied, AppliedResource{Key: key, ID: stored.ID, Action: ApplyDeleted, Before: &stored.Document})
	}
}
