package administration

import (
	"context"
	"fmt"

	"github.com/procession-dev/procession/domain"
)

// TenantWork is the open work of a person in a tenant.
type TenantWork struct {
	WorkOwner
	*LeaverWork
}

// String names the tenant and lists the work.
func (w TenantWork) String() string { return w.Tenant + ": " + w.LeaverWork.String() }

// FindPersonWork returns the open work of the user with the e-mail address in each tenant with some. It is an operation of
// commands with access to the database.
func (s *Service) FindPersonWork(ctx context.Context, email string) ([]TenantWork, error) {
	memberships, err := s.store.Reader.ListMemberships(ctx, email)
	if err != nil {
		return nil, err
	}
	var found []TenantWork
	for _, m := range memberships {
		of := WorkOwner{Tenant: m.Code, PrincipalID: m.PrincipalID}
		work, err := s.FindOpenWork(ctx, commandCall(), of)
		if err != nil {
			return nil, err
		}
		if !work.Empty() {
			found = append(found, TenantWork{of, work})
		}
	}
	return found, nil
}

// HandOverPersonWork hands over the work that FindPersonWork found, a tenant after the other, and returns the work that was
// handed over. Errors: as of HandOverWork.
func (s *Service) HandOverPersonWork(ctx context.Context, found []TenantWork, to domain.HandOver) ([]TenantWork, error) {
	var done []TenantWork
	for _, of := range found {
		for more := true; more; {
			work, err := s.HandOverWork(ctx, commandCall(), of.WorkOwner, to)
			if err != nil {
				return done, fmt.Errorf("handing over the work in tenant %s: %w", of.Tenant, err)
			}
			done = append(done, TenantWork{of.WorkOwner, work})
			// A release leaves the initiators.
			more = work.More && (!to.Release || len(work.Tasks)+len(work.Incidents) > 0)
		}
	}
	return done, nil
}

// commandCall returns the call of a command with access to the database.
func commandCall() domain.Call {
	return domain.Call{Caller: domain.Caller{PrincipalID: domain.SystemPrincipalID(), Operator: true}}
}
