package storage

import (
	"errors"

	"github.com/google/uuid"
)

// Purposes of sealed values. The record of a sealed value is the id of the version of an encryption key, or the
// RobotVariableRecord of an environment variable of a robot.
const (
	EncryptionKeyPurpose = "ENCRYPTION_KEY"
	RobotVariablePurpose = "ROBOT_ENVIRONMENT"
)

// RobotVariableRecord returns the sealing record of an environment variable of a robot.
func RobotVariableRecord(robot uuid.UUID, name string) string { return robot.String() + "/" + name }

// ErrNoSealer is returned where encryption keys can neither be made nor read.
var ErrNoSealer = errors.New("there is no key to seal encryption keys with")
