package storage

import (
	"errors"

	"github.com/google/uuid"
)

// What values are sealed for. The record that a value is sealed for is the id of
// the version of an encryption key, and the RobotVariableRecord of an environment
// variable of a robot.
const (
	EncryptionKeyPurpose = "ENCRYPTION_KEY"
	RobotVariablePurpose = "ROBOT_ENVIRONMENT"
)

// RobotVariableRecord returns what the environment variable of a robot is sealed for.
func RobotVariableRecord(robot uuid.UUID, name string) string { return robot.String() + "/" + name }

// ErrNoSealer is returned where encryption keys can neither be made nor read.
var ErrNoSealer = errors.New("there is no key to seal encryption keys with")
