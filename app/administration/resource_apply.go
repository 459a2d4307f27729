package administration

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app/administration/review"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// ApplyRequest holds the desired state of resources.
type ApplyRequest struct {
	// Documents are the documents of domain/resource, as JSON.
	Documents []json.RawMessage
	// DryRun plans the changes without writing them.
	DryRun bool
	// Prune deletes resources too, unless it is nil.
	Prune *Prune
	// Reason is the reason of the change for the event log, up to MaxReason characters, "" for none.
	Reason string
	// HandOver is the decision about the open work of users that the change deletes or disables, nil for none.
	HandOver *domain.HandOver
}

// MaxReason bounds the characters of the reason of a change.
const MaxReason = 500

// checkReason refuses a reason that is too long.
func checkReason(location domain.LocationType, field, reason string) error {
	if utf8.RuneCountInString(reason) > MaxReason {
		return domain.Invalid(location, field, fmt.Sprintf("must have at most %d characters", MaxReason))
	}
	return nil
}

// Prune deletes the resources of a tenant that the selector matches and no
// document of the request describes. The tenant itself is never deleted.
type Prune struct {
	Tenant   string
	Selector resource.Selector
}

// ApplyAction is the outcome for a resource.
type ApplyAction string

// The things that applying does.
const (
	ApplyCreated    ApplyAction = "CREATED"
	ApplyConfigured ApplyAction = "CONFIGURED"
	ApplyUnchanged  ApplyAction = "UNCHANGED"
	ApplyDeleted    ApplyAction = "DELETED"
)

// AppliedResource is the result for one resource. Before is nil for one that was
// created, After for one that was deleted.
type AppliedResource struct {
	Key    resource.Key
	ID     uuid.UUID
	Action ApplyAction
	Before *resource.Document
	After  *resource.Document
	// Work is the open work of a user that the change deletes or disables, nil for none.
	Work *LeaverWork
	// derived reports that the change follows from the departure of a user.
	derived bool
}

// ChangesRights reports whether applying the document changes a right.
func (a AppliedResource) ChangesRights() bool {
	return a.Action != ApplyUnchanged && resource.ChangesRights(a.Before, a.After)
}

// ApplyResources creates or updates the resources of the documents, all of them or none, and returns the outcomes:
// first of the documents in their order, then of the pruned resources. Repeating it has no effect.
//
// It requires the ADMINISTRATOR or the OWNER role in the tenants, or, for an existing process definition, the
// Administrator permission on it, which allows no change of the rights in it. Errors: VALIDATION with all violations,
// ACCESS_DENIED, CONFLICT for a resource that cannot be deleted because others need it, and OPEN_WORK for users with open work
// that the change deletes or disables without a decision about it.
func (s *Service) ApplyResources(
	ctx context.Context, call domain.Call, in ApplyRequest,
) ([]AppliedResource, error) {
	documents, violations := resource.Decode(in.Documents)
	if len(violations) > 0 && len(documents) == 0 {
		return nil, invalidDocuments(violations)
	}
	if in.Prune != nil && len(in.Prune.Selector) == 0 {
		return nil, domain.InvalidBody("/prune/selector", "must name at least one label")
	}
	if err := checkReason(domain.LocationBody, "/reason", in.Reason); err != nil {
		return nil, err
	}
	var applied []AppliedResource
	now := s.now()
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		c, err := s.prepareConfiguration(ctx, tx, call.Caller, documents, in.Prune)
		if err != nil {
			return nil, err
		}
		if len(violations) > 0 {
			return nil, c.reviewInvalid(documents, len(in.Documents), violations, s.checkWebhookURL)
		}
		c.dryRun, c.reason, c.handOver = in.DryRun, in.Reason, in.HandOver
		if len(documents) == 1 && in.Prune == nil {
			c.recordVersion(tx, documents[0].Key())
		}
		if err := c.planAll(documents, in.Prune, s.checkWebhookURL); err != nil {
			return nil, err
		}
		handed, err := s.settleLeavers(ctx, tx, c, now)
		if err != nil {
			return nil, err
		}
		applied = c.applied
		if err := c.settleEncryptionKeys(ctx, tx, s.sealer, now); err != nil {
			return nil, err
		}
		if err := c.settleArtifacts(ctx, tx, in.DryRun); err != nil || in.DryRun {
			return nil, err
		}
		return c.carryOut(tx, handed, now)
	})
	if err != nil {
		return nil, err
	}
	return applied, nil
}

// ReviewResources returns warnings about probable mistakes in documents that ApplyResources accepts.
func (s *Service) ReviewResources(ctx context.Context, documents []json.RawMessage) []review.Warning {
	decoded, _ := resource.Decode(documents)
	return review.Documents(ctx, decoded)
}

// DeleteResource deletes a resource that no other resource needs. It requires
// the same rights as applying it, and a tenant cannot be deleted. The reason is as in ApplyRequest. Errors:
// NOT_FOUND, ACCESS_DENIED, CONFLICT, VALIDATION, and OPEN_WORK for a user with open work and no decision about it.
func (s *Service) DeleteResource(
	ctx context.Context, call domain.Call, key ResourceKey, reason string, to *domain.HandOver,
) error {
	if err := checkReason(domain.LocationQuery, "reason", reason); err != nil {
		return err
	}
	found, err := s.RetrieveResource(ctx, call, key)
	if err != nil {
		return err
	}
	exact := resource.Key{Tenant: found.TenantCode(), Kind: key.Kind, Code: key.Code}
	now := s.now()
	return s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		c, err := s.prepareConfiguration(ctx, tx, call.Caller, []resource.Document{found.Document}, nil)
		if err != nil {
			return nil, err
		}
		if c.stored[exact] == nil {
			return nil, domain.NotFound("resource")
		}
		c.reason, c.handOver = reason, to
		c.recordVersion(tx, exact)
		if err := c.planDeletion(exact); err != nil {
			return nil, err
		}
		if err := c.planConsequences(); err != nil {
			return nil, err
		}
		if err := c.checkViolations(nil); err != nil {
			return nil, err
		}
		handed, err := s.settleLeavers(ctx, tx, c, now)
		if err != nil {
			return nil, err
		}
		if err := c.settleEncryptionKeys(ctx, tx, s.sealer, now); err != nil {
			return nil, err
		}
		if err := c.settleArtifacts(ctx, tx, false); err != nil {
			return nil, err
		}
		return c.carryOut(tx, handed, now)
	})
}

// recordVersion checks the precondition of the request against a resource, if the
// resource exists.
func (c *configuration) recordVersion(tx *persistence.Tx, key resource.Key) {
	if stored := c.stored[key]; stored != nil {
		tx.Found(stored.ID, stored.Version())
	}
}

// reviewInvalid returns the error for documents with violations, together with all other errors. References are checked
// only if all documents of the request could be read. A caller who may not apply the documents gets the violations
// alone.
func (c *configuration) reviewInvalid(
	documents []resource.Document, sent int, violations []resource.Violation, checkURL func(url string) error,
) error {
	valid, more, err := c.planDocuments(documents, checkURL)
	if _, isInvalid := errors.AsType[*domain.Error](err); err != nil && !isInvalid {
		return err
	}
	if err == nil && len(documents) == sent {
		more = append(more, c.findUnmet(valid)...)
	}
	if err == nil {
		violations = resource.MergeViolations(violations, more)
	}
	return invalidDocuments(violations)
}

func invalidDocuments(violations []resource.Violation) error {
	failure := &domain.Error{Kind: domain.KindInvalid, Code: domain.CodeValidation, Message: "the documents are not valid"}
	for _, v := range violations {
		failure.Details = append(failure.Details, domain.Detail{
			Code: domain.CodeValidation, Message: v.Message, LocationType: domain.LocationBody,
			Location: documentPointer(v.Document, v.Pointer),
		})
	}
	return failure
}

// documentPointer returns the pointer into the request for a pointer into one
// of its documents.
func documentPointer(index int, pointer string) string {
	return "/documents/" + strconv.Itoa(index) + pointer
}

// prepareConfiguration reads the dependencies of the documents and of pruned resources.
func (s *Service) prepareConfiguration(
	ctx context.Context, tx *persistence.Tx, caller domain.Caller, documents []resource.Document, prune *Prune,
) (*configuration, error) {
	var tenants, emails []string
	var ids []uuid.UUID
	for i := range documents {
		d := &documents[i]
		tenants = append(tenants, d.TenantCode())
		if d.Metadata.ID != nil {
			ids = append(ids, *d.Metadata.ID)
		}
		if user, ok := d.Spec.(*resource.UserSpec); ok {
			emails = append(emails, user.Email)
		}
	}
	if prune != nil {
		tenants = append(tenants, prune.Tenant)
	}
	slices.Sort(tenants)
	return s.lockConfiguration(ctx, tx, caller, slices.Compact(tenants), ids, emails)
}

// lockConfiguration blocks other changes of the tenants' resources until the transaction ends, and returns their configuration.
func (s *Service) lockConfiguration(
	ctx context.Context, tx *persistence.Tx, caller domain.Caller, tenants []string, ids []uuid.UUID, emails []string,
) (*configuration, error) {
	found, err := tx.PrepareConfiguration(ctx, caller, tenants, ids, emails)
	if err != nil {
		return nil, err
	}
	c := newConfiguration(caller, found)
	c.clusters = s.listClusters()
	c.policy = tokenPolicy{none: s.noPersonalTokens, longest: s.lifetimes.MaxAccessToken, now: s.now()}
	return c, nil
}
