package domain

import "github.com/google/uuid"

// ArtifactActionType is the type of an action on a business artifact.
type ArtifactActionType string

// The types of action. Workers execute the first two.
const (
	ArtifactActionStartWorkflow  ArtifactActionType = "START_WORKFLOW"
	ArtifactActionDownloadable   ArtifactActionType = "DOWNLOADABLE"
	ArtifactActionStartProcess   ArtifactActionType = "START_PROCESS"
	ArtifactActionCreateArtifact ArtifactActionType = "CREATE_BUSINESS_ARTIFACT"
)

// BusinessArtifactAction is an action that was invoked on a business artifact (specification section 2.16).
// START_WORKFLOW and DOWNLOADABLE have an Input; CreatedDefinition, CreatedID and Value describe the artifact created
// by CREATE_BUSINESS_ARTIFACT.
type BusinessArtifactAction struct {
	Action
	ArtifactID        uuid.UUID
	Type              ArtifactActionType
	Input             *JSONValue
	CreatedDefinition *ArtifactDefinitionRef
	CreatedID         *uuid.UUID
	Value             []byte
}
