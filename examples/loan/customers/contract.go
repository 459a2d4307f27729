// Package customers holds the actions on the business artifact CUSTOMER as Temporal workflows and the activities they
// use. It knows the service by the engine contract (names and payloads in this file) and by the REST API, and nothing
// else.
package customers

import (
	"github.com/google/uuid"

	"github.com/procession-dev/procession/examples/loan/restapi"
)

// Workflow types that the definition CUSTOMER names. Both run on the queue of the loans.
const (
	StatementWorkflow   = "CustomerStatementWorkflow"
	RecalculateWorkflow = "CustomerRecalculateWorkflow"
)

// Activity types, spelled as the Python SDK spells those that it has too.
const (
	activityRetrieveArtifact = "KuFlow_Engine_retrieveBusinessArtifact"
	activityPatchArtifact    = "KuFlow_Engine_patchBusinessArtifact"
	activityRetrieveAction   = "KuFlow_Engine_retrieveBusinessArtifactAction"
	activityUploadStatement  = "Customer_uploadStatement"
)

// ActionRequest is the one argument that the service starts the workflow of an action with, as far as it is used here.
// BusinessArtifactActionValueID is the id of the action that was invoked.
type ActionRequest struct {
	BusinessArtifactID            uuid.UUID `json:"businessArtifactId"`
	BusinessArtifactActionValueID uuid.UUID `json:"businessArtifactActionValueId"`
}

// ActionResponse is a workflow's result. When the workflow returns it, the service completes the action; Downloadable
// is for those that are to deliver a document.
type ActionResponse struct {
	Message      string        `json:"message"`
	Downloadable *Downloadable `json:"downloadable,omitempty"`
}

// Downloadable names the document that an action delivers.
type Downloadable struct {
	DocumentURI string `json:"documentUri"`
}

// Requests and responses of the activities.
type (
	retrieveArtifactRequest struct {
		BusinessArtifactID uuid.UUID `json:"businessArtifactId"`
	}
	patchArtifactRequest struct {
		BusinessArtifactID uuid.UUID                `json:"businessArtifactId"`
		JSONPatch          []restapi.PatchOperation `json:"jsonPatch"`
	}
	artifactResponse struct {
		BusinessArtifact restapi.BusinessArtifact `json:"businessArtifact"`
	}
	retrieveActionRequest struct {
		BusinessArtifactID       uuid.UUID `json:"businessArtifactId"`
		BusinessArtifactActionID uuid.UUID `json:"businessArtifactActionId"`
	}
	actionResponse struct {
		BusinessArtifactAction restapi.BusinessArtifactAction `json:"businessArtifactAction"`
	}
	uploadStatementRequest struct {
		BusinessArtifactID uuid.UUID      `json:"businessArtifactId"`
		Month              string         `json:"month"`
		Customer           restapi.Object `json:"customer"`
	}
)
