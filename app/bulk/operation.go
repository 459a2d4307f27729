package bulk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// Request is the input of Preview. The tenant is identified by its id or its code, or by neither for a caller with one tenant. NewOwner is the owner of
// domain.BulkAssignTasks, by id or e-mail, ToVersion the number of the version of domain.BulkMoveProcesses.
type Request struct {
	TenantID  *uuid.UUID
	Tenant    string
	Kind      domain.BulkKind
	Filter    domain.BulkFilter
	NewOwner  app.PrincipalKey
	ToVersion int
}

// Preview fixes the selection of a bulk operation, the resources of the filter that are visible to the caller, and returns the
// operation with the expected results. It expires after a day, or with the tenth later one of the caller. An unknown
// kind, a filter or parameters that do not fit, and more than domain.MaxBulkSelection resources are VALIDATION errors.
func (s *Service) Preview(ctx context.Context, call domain.Call, in Request) (*domain.BulkOperation, error) {
	tenant, err := s.findTenant(ctx, call.Caller, in)
	if err != nil {
		return nil, err
	}
	now := s.now()
	var b domain.BulkOperation
	err = s.store.Note(ctx, func(tx *persistence.Tx) error {
		b = domain.BulkOperation{
			ID: domain.NewID(), TenantID: tenant, Kind: in.Kind, Filter: in.Filter, State: domain.BulkPreview,
			Parameters: domain.BulkParameters{ToVersion: in.ToVersion}, CreatedBy: call.PrincipalID, Operator: call.Operator, CreatedAt: now,
		}
		if b.Parameters.NewOwnerID, err = findOwner(ctx, tx, tenant, in.NewOwner); err != nil {
			return err
		}
		if err := b.Check(); err != nil {
			return err
		}
		groups, err := tx.SelectBulk(ctx, call.Caller, b)
		if err != nil {
			return err
		}
		b.Forecast, b.Selected = forecastResults(preview{BulkOperation: b, caller: call.Caller, now: now}, groups)
		if b.Selected > domain.MaxBulkSelection {
			return domain.Invalid(domain.LocationBody, "/filter", fmt.Sprintf("selects more than %d resources", domain.MaxBulkSelection))
		}
		tx.UpdateBulkPreview(b)
		return nil
	})
	if err == nil && b.Kind == domain.BulkMoveProcesses && b.Selected > 0 {
		err = s.sampleMove(ctx, call, &b)
	}
	return &b, err
}

const (
	// sampleSize bounds the processes with a previewed move, sampleTime the time for them.
	sampleSize = 100
	sampleTime = 5 * time.Second
)

// sampleMove previews the move of the first selected processes. A number without a version is a VALIDATION error.
func (s *Service) sampleMove(ctx context.Context, call domain.Call, b *domain.BulkOperation) error {
	versions, err := s.app.ListMoveVersions(ctx, *b.Filter.DefinitionID)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(versions, func(v domain.PublishedVersion) bool { return v.Number == b.Parameters.ToVersion }) {
		return domain.Invalid(domain.LocationBody, "/toVersion", "is not the number of a version of the definition")
	}
	ids, err := s.store.Reader.ListBulkSample(ctx, b.ID, sampleSize)
	if err != nil {
		return err
	}
	end := s.now().Add(sampleTime)
	b.Sample = &domain.BulkSample{}
	for _, id := range ids {
		if s.now().After(end) {
			break
		}
		preview, err := s.app.PreviewRepair(ctx, call, id, domain.RepairRequest{
			Kind: domain.RepairMove, Reason: "preview", ToVersion: b.Parameters.ToVersion,
		})
		b.Sample.Checked++
		switch {
		case err == nil:
			b.Sample.Add(preview)
		case refusalOf(err) != nil:
			b.Sample.Refused++
		default:
			return err
		}
	}
	return s.store.Note(ctx, func(tx *persistence.Tx) error {
		tx.UpdateBulkSample(*b)
		return nil
	})
}

// findOwner returns the id of an active principal of the tenant, nil for an empty key.
func findOwner(ctx context.Context, tx *persistence.Tx, tenant uuid.UUID, key app.PrincipalKey) (*uuid.UUID, error) {
	if key.Empty() {
		return nil, nil //nolint:nilnil // no owner was requested
	}
	owner, err := persistence.FindPrincipal(key).Do(ctx, tx)
	if err != nil {
		return nil, err
	}
	if !owner.In(tenant) {
		return nil, domain.InvalidBody("/newOwnerId", "is not an active principal of the tenant")
	}
	return &owner.ID, nil
}

// findTenant returns the tenant of an operation. Operators administer incidents of tenants that they do not belong to.
func (s *Service) findTenant(ctx context.Context, caller domain.Caller, in Request) (uuid.UUID, error) {
	if in.Tenant != "" {
		id, err := s.store.Reader.FindTenantID(ctx, in.Tenant)
		if err != nil {
			return uuid.Nil, err
		}
		if in.TenantID = id; id == nil {
			in.TenantID = &uuid.Nil
		}
	}
	if in.TenantID != nil && *in.TenantID != uuid.Nil && caller.Operator && in.Kind.Subject() == domain.BulkIncidents {
		return *in.TenantID, nil
	}
	m, err := caller.Tenant(in.TenantID)
	return m.TenantID, err
}

// forecastResults applies the rules of the operation to the groups, and returns the expected results, the permitted resources first and
// then the most frequent refusals, with the number of resources.
func forecastResults(p preview, groups []persistence.BulkGroup) (_ []domain.BulkForecast, selected int) {
	check, result := listKinds()[p.Kind].check, []domain.BulkForecast{}
	for _, g := range groups {
		count := g.Count
		selected += count
		expected := domain.BulkForecast{Count: count}
		changed, err := check(p, g)
		if err == nil && !changed {
			err = domain.BulkUnchanged()
		}
		if refusal, ok := errors.AsType[*domain.Error](err); ok {
			expected.Code, expected.Message = refusal.Code, refusal.Message
		}
		same := slices.IndexFunc(result, func(f domain.BulkForecast) bool {
			return f.Code == expected.Code && f.Message == expected.Message
		})
		if same < 0 {
			result = append(result, expected)
		} else {
			result[same].Count += count
		}
	}
	slices.SortFunc(result, func(a, b domain.BulkForecast) int {
		if (a.Code == "") != (b.Code == "") {
			return len(a.Code) - len(b.Code)
		}
		return b.Count - a.Count
	})
	return result, selected
}

// Start starts a preview of the caller; for others it is NOT_FOUND. The reason is 1..500 characters. An operation that was started
// before, or has no resources, is refused with INVALID_STATE. At most domain.MaxBulkRunning operations of a tenant run at the same time;
// later ones wait.
func (s *Service) Start(ctx context.Context, call domain.Call, id uuid.UUID, reason string) (*domain.BulkOperation, error) {
	return s.changeState(ctx, call, id, domain.BulkPreview, func(b *domain.BulkOperation, now time.Time) (bool, error) {
		if b.CreatedBy != call.PrincipalID {
			return false, domain.NotFound("bulk operation")
		}
		return true, b.Start(reason, now)
	})
}

// Stop ends a running operation: no further resource is changed. The caller must have started it, or administer the tenant; for
// others it is NOT_FOUND. An ended operation is returned as it is, a preview refused with INVALID_STATE.
func (s *Service) Stop(ctx context.Context, call domain.Call, id uuid.UUID) (*domain.BulkOperation, error) {
	return s.changeState(ctx, call, id, domain.BulkRunning, func(b *domain.BulkOperation, now time.Time) (bool, error) {
		isAdministered := b.State != domain.BulkPreview && persistence.AdministrationOf(call.Caller).Includes(b.TenantID)
		if b.CreatedBy != call.PrincipalID && !isAdministered {
			return false, domain.NotFound("bulk operation")
		}
		return b.Stop(now)
	})
}

// changeState moves an operation from a state to another one, unless do reports that it stays as it is.
func (s *Service) changeState(
	ctx context.Context, call domain.Call, id uuid.UUID, from domain.BulkState, do func(*domain.BulkOperation, time.Time) (bool, error),
) (*domain.BulkOperation, error) {
	var b *domain.BulkOperation
	now := s.now()
	err := s.store.Write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		var err error
		if b, err = tx.LockBulkOperation(ctx, id); err != nil {
			return nil, err
		}
		tx.Found(id, b.Version())
		changed, err := do(b, now)
		if err != nil || !changed {
			return nil, err
		}
		tx.UpdateBulkOperation(*b)
		return domain.Events{domain.BulkOperationEvent(b, from, call.PrincipalID, now)}, nil
	})
	return b, err
}
