package administration

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// These operations belong to commands with access to the database, which can make the first operator and restore the
// last one.

// ListOperators returns all operators.
func (s *Service) ListOperators(ctx context.Context) ([]persistence.Person, error) {
	return s.store.Reader.ListOperators(ctx)
}

// AddOperator makes the user with the e-mail address an operator. With a token,
// which may be asked for again, it gets one that is valid in all tenants for
// BootstrapTokenLifetime. Errors: NOT_FOUND, CONFLICT for a disabled user.
func (s *Service) AddOperator(ctx context.Context, email string, withToken bool) (*persistence.Person, domain.Secret, error) {
	token := authn.NewSecret()
	person, err := s.changePerson(ctx, email, func(tx *persistence.Tx, c personChange) (domain.Events, error) {
		if c.person.DisabledAt != nil {
			return nil, domain.Conflict(domain.CodeConflict, email+" is disabled")
		}
		var events domain.Events
		if !c.person.Operator {
			tx.MakeOperator(c.person.ID)
			events = append(events, c.newEvent(domain.EventOperatorAdded, uuid.Nil))
		}
		if withToken {
			id, expiresAt := domain.NewID(), c.now.Add(BootstrapTokenLifetime)
			tx.InsertCredential(domain.Credential{
				ID: id, PrincipalID: c.person.ID, Name: "operator " + c.now.Format(time.RFC3339),
				Kind: domain.CredentialPersonalAccessToken, SecretSHA256: authn.HashSecret(token.Reveal()),
				CreatedAt: c.now, ExpiresAt: &expiresAt,
			})
			events = append(events, c.newEvent(domain.EventSecretIssued, uuid.Nil).With("secretId", id.String()))
		}
		return events, nil
	})
	return person, token, err
}

// RemoveOperator makes an operator a user like others, and revokes its tokens that
// are valid in all tenants and its access to the engine. Errors: NOT_FOUND for a user who is not an operator, CONFLICT for
// the last one that is not disabled.
func (s *Service) RemoveOperator(ctx context.Context, email string) (*persistence.Person, error) {
	return s.changePerson(ctx, email, func(tx *persistence.Tx, c personChange) (domain.Events, error) {
		if !c.person.Operator {
			return nil, domain.NotFound("operator")
		}
		if err := c.checkLast(); err != nil {
			return nil, err
		}
		tx.RemoveOperator(c.person.ID)
		tx.RevokeEngineGrantsOf(c.person.ID, nil, domain.SystemPrincipalID(), c.now)
		return domain.Events{c.newEvent(domain.EventOperatorRemoved, uuid.Nil)}, nil
	})
}

// DisablePerson shuts the user with the e-mail address out of all tenants and
// revokes its access to the engine, or enables it again. Errors: NOT_FOUND,
// CONFLICT for the last operator.
func (s *Service) DisablePerson(ctx context.Context, email string, disabled bool) (*persistence.Person, error) {
	return s.changePerson(ctx, email, func(tx *persistence.Tx, c personChange) (domain.Events, error) {
		if disabled == (c.person.DisabledAt != nil) {
			return nil, nil
		}
		eventType := domain.EventPersonEnabled
		if disabled {
			if err := c.checkLast(); err != nil {
				return nil, err
			}
			eventType = domain.EventPersonDisabled
			tx.DisablePerson(c.person.ID, &c.now)
			tx.RevokeEngineGrantsOf(c.person.ID, nil, domain.SystemPrincipalID(), c.now)
		} else {
			tx.DisablePerson(c.person.ID, nil)
		}
		var events domain.Events
		for _, tenant := range append(slices.Clone(c.tenants), uuid.Nil) {
			events = append(events, c.newEvent(eventType, tenant))
		}
		return events, nil
	})
}

// ErasePerson removes the personal data of the user with the e-mail address, who must be disabled: name, address,
// metadata, labels, credentials, sessions and links to issuers. Events and results of the user stay under the anonymous
// id. Errors: NOT_FOUND, CONFLICT for a user who is not disabled or is an operator.
func (s *Service) ErasePerson(ctx context.Context, email string) (*persistence.Person, error) {
	return s.changePerson(ctx, email, func(tx *persistence.Tx, c personChange) (domain.Events, error) {
		switch {
		case c.person.Operator:
			return nil, domain.Conflict(domain.CodeConflict, email+" is an operator: remove it from the operators first")
		case c.person.DisabledAt == nil:
			return nil, domain.Conflict(domain.CodeConflict, email+" is not disabled: disable the person first")
		}
		tx.ErasePerson(c.person.ID, erasedName, "erased-"+c.person.ID.String()+"@erased.invalid")
		var events domain.Events
		for _, tenant := range append(slices.Clone(c.tenants), uuid.Nil) {
			events = append(events, c.newEvent(domain.EventPersonErased, tenant))
		}
		return events, nil
	})
}

// erasedName is the name of everyone who was erased.
const erasedName = "Erased user"

// personChange is a person under lock, with all operators.
type personChange struct {
	person  persistence.Person
	people  []persistence.Person
	tenants []uuid.UUID
	now     time.Time
}

func (s *Service) changePerson(
	ctx context.Context, email string, change func(tx *persistence.Tx, c personChange) (domain.Events, error),
) (*persistence.Person, error) {
	var found persistence.Person
	now := s.now()
	err := s.write(ctx, domain.Call{}, func(tx *persistence.Tx) (domain.Events, error) {
		people, tenants, err := tx.LockPeople(ctx, email)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(people, func(p persistence.Person) bool { return domain.EqualEmails(p.Email, email) })
		if i < 0 {
			return nil, domain.NotFound("user")
		}
		found = people[i]
		return change(tx, personChange{person: found, people: people, tenants: tenants, now: now})
	})
	if err != nil {
		return nil, err
	}
	return &found, nil
}

// checkLast refuses to lose the last operator that is not disabled.
func (c personChange) checkLast() error {
	active := func(p persistence.Person) bool { return p.Operator && p.DisabledAt == nil && p.ID != c.person.ID }
	if c.person.Operator && !slices.ContainsFunc(c.people, active) {
		return domain.Conflict(domain.CodeConflict, c.person.Email+" is the last operator: add another one first")
	}
	return nil
}

// newEvent returns an event about the person. The zero tenant is for operators alone.
func (c personChange) newEvent(t domain.EventType, tenant uuid.UUID) domain.Event {
	return domain.Event{
		TenantID: tenant, Type: t, ResourceKind: domain.ResourcePrincipal, ResourceID: c.person.ID,
		ActorID: domain.SystemPrincipalID(), OccurredAt: c.now,
	}
}
