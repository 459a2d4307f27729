package administration

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

const (
	// MaxRobotVariables is how many environment variables a robot may have.
	MaxRobotVariables = 100
	// maxRobotVariable is the length of a value, in characters.
	maxRobotVariable     = 4000
	maxRobotVariableName = 255
)

// SetRobotVariable sets an environment variable of a robot. Its value is sealed
// and shown only to the runners and the administrators of the robot (B48).
//
// It requires the same rights as applying the Robot. Errors: VALIDATION,
// NOT_FOUND, CONFLICT for more variables than allowed.
func (s *Service) SetRobotVariable(
	ctx context.Context, call domain.Call, key ResourceKey, name string, value domain.Secret,
) error {
	if err := checkRobotVariable(name); err != nil {
		return err
	}
	text := value.Reveal()
	if length := utf8.RuneCountInString(text); length == 0 || length > maxRobotVariable {
		return domain.InvalidBody("/value", "must have 1 to 4000 characters")
	}
	if strings.ContainsRune(text, 0) {
		return domain.InvalidBody("/value", "must not contain U+0000: no environment can")
	}
	if s.sealer == nil {
		return errors.New("setting an environment variable of a robot: there is no key to seal it with")
	}
	now := s.now()
	return s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		locked, err := persistence.LockRobot(persistence.AdministrationOf(call.Caller), key).Do(ctx, tx)
		if err != nil {
			return nil, err
		}
		names := locked.Robot.Variables
		if !slices.Contains(names, name) && len(names) >= MaxRobotVariables {
			return nil, domain.Conflict(domain.CodeConflict,
				fmt.Sprintf("the robot has %d environment variables already", MaxRobotVariables))
		}
		tx.PutRobotVariable(domain.RobotVariable{
			RobotID: locked.ID, Name: name,
			Sealed:     s.sealer.Seal(storage.RobotVariablePurpose, storage.RobotVariableRecord(locked.ID, name), []byte(text)),
			ModifiedBy: call.PrincipalID, ModifiedAt: now,
		})
		tx.TouchRobot(locked.ID, call.PrincipalID, now)
		return domain.Events{domain.ConfigurationEvent(domain.EventRobotVariableSet, configuredOf(locked), call.PrincipalID, now).
			With("name", name)}, nil
	})
}

// DeleteRobotVariable takes an environment variable away from a robot. It requires
// the same rights as applying the Robot. Errors: VALIDATION, NOT_FOUND.
func (s *Service) DeleteRobotVariable(
	ctx context.Context, call domain.Call, key ResourceKey, name string,
) error {
	if err := checkRobotVariable(name); err != nil {
		return err
	}
	now := s.now()
	return s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		locked, err := persistence.LockRobot(persistence.AdministrationOf(call.Caller), key).Do(ctx, tx)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(locked.Robot.Variables, name) {
			return nil, domain.NotFound("environment variable")
		}
		tx.DeleteRobotVariable(locked.ID, name)
		tx.TouchRobot(locked.ID, call.PrincipalID, now)
		return domain.Events{domain.ConfigurationEvent(domain.EventRobotVariableDeleted, configuredOf(locked), call.PrincipalID, now).
			With("name", name)}, nil
	})
}

// checkRobotVariable refuses names that some environment cannot have.
func checkRobotVariable(name string) error {
	for i, c := range name {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || '9' < c) {
			name = ""
			break
		}
	}
	if name == "" || len(name) > maxRobotVariableName {
		return domain.Invalid(domain.LocationPath, "name", "must be 1 to 255 letters, digits and '_', beginning with no digit")
	}
	return nil
}
