package administration

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// maxUnowned bounds the work without an active owner that is listed and counted.
const maxUnowned = 10_000

// WorkOwner identifies the owner of work: a user or an application of a tenant, which may be disabled or deleted.
type WorkOwner struct {
	// Tenant is the code of the tenant.
	Tenant      string
	PrincipalID uuid.UUID
}

// FindOpenWork returns the open work of a principal in a tenant, and the rights that no other active principal holds.
// It requires the OWNER or the ADMINISTRATOR role. Errors: NOT_FOUND for a tenant that the caller does not administer.
func (s *Service) FindOpenWork(ctx context.Context, call domain.Call, of WorkOwner) (*LeaverWork, error) {
	var work *LeaverWork
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		c, err := s.prepareLeaver(ctx, tx, call.Caller, of, &domain.HandOver{Keep: true})
		if err != nil {
			return nil, err
		}
		work = c.leavers[0].work
		return nil, c.readWork(ctx, tx, c.leavers)
	})
	return work, err
}

// HandOverWork hands over the open work of a principal in a tenant, up to domain.MaxHandedOver tasks, processes and incidents,
// and returns it; LeaverWork.More reports that work remains. The successor gets rights that no other active principal holds. It has the
// conditions of FindOpenWork. Errors: NOT_FOUND, VALIDATION for a successor who is not active, OPEN_WORK for a release of tasks
// without another candidate.
func (s *Service) HandOverWork(ctx context.Context, call domain.Call, of WorkOwner, to domain.HandOver) (*LeaverWork, error) {
	if to.Keep {
		return nil, invalidHandOver("must be release, user/CODE or group/CODE")
	}
	var work *LeaverWork
	now := s.now()
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		c, err := s.prepareLeaver(ctx, tx, call.Caller, of, &to)
		if err != nil {
			return nil, err
		}
		c.partly = true
		work = c.leavers[0].work
		handed, err := s.settleLeavers(ctx, tx, c, now)
		if err != nil {
			return nil, err
		}
		return c.carryOut(tx, handed, now)
	})
	return work, err
}

// prepareLeaver reads the configuration of a tenant, and plans the departure of a principal without a change of its manifest.
func (s *Service) prepareLeaver(
	ctx context.Context, tx *persistence.Tx, caller domain.Caller, of WorkOwner, to *domain.HandOver,
) (*configuration, error) {
	c, err := s.prepareConfiguration(ctx, tx, caller, nil, &Prune{Tenant: of.Tenant})
	if err != nil {
		return nil, err
	}
	tenant := c.tenants[of.Tenant]
	if tenant == nil || !caller.Administration(tenant.ID).Administers() {
		return nil, domain.NotFound("tenant")
	}
	l := &leaver{id: of.PrincipalID, tenant: tenant.ID, place: -1, work: &LeaverWork{}}
	l.key.Tenant = of.Tenant
	for key, id := range c.ids {
		if key.Tenant == of.Tenant && id == of.PrincipalID && key.Kind == resource.KindUser {
			l.key = key
		}
	}
	c.handOver, c.leavers = to, []*leaver{l}
	return c, c.planLeaving()
}

// FindUnownedWork returns a page of the open work of the tenants that the caller administers without an active owner: claimed tasks,
// running processes and assigned incidents of people who are disabled or have left, and tasks without an active candidate. The
// oldest comes first; at most 10,000 are listed.
func (s *Service) FindUnownedWork(
	ctx context.Context, call domain.Call, tenants []string, page domain.PageRequest,
) (domain.Page[domain.UnownedWork], error) {
	found, err := s.store.Reader.ListUnownedWork(ctx, persistence.AdministrationOf(call.Caller), tenants, page, maxUnowned)
	found.TotalIsLowerBound = found.Total >= maxUnowned
	return found, err
}
