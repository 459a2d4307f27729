package procession

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/sdk/rest"
)

// RetrieveProcess returns the process that the workflow is about, as it is now.
func RetrieveProcess(ctx workflow.Context) (rest.Process, error) {
	p, err := processIn(ctx)
	if err != nil {
		return rest.Process{}, err
	}
	response, err := Execute[ProcessResponse](ctx, "retrieveProcess", ProcessRequest{p.id})
	return response.Process, err
}

// Initiator returns the principal who is the initiator of the process now. A process without one is a failure for good.
func Initiator(ctx workflow.Context) (uuid.UUID, error) {
	found, err := RetrieveProcess(ctx)
	if err == nil && found.InitiatorID == nil {
		err = temporal.NewNonRetryableApplicationError("the process has no initiator", "NoInitiator", nil)
	}
	if err != nil {
		return uuid.Nil, err
	}
	return *found.InitiatorID, nil
}

// Metadata reads the metadata of the process as a Go type.
func Metadata[T any](ctx workflow.Context) (T, error) {
	found, err := RetrieveProcess(ctx)
	if err != nil {
		var none T
		return none, err
	}
	return decodeValue[T](found.Metadata, "metadata")
}

// SetMetadata sets members of the metadata of the process and keeps the others. values must encode to a JSON object;
// without members SetMetadata does not call the service.
func SetMetadata(ctx workflow.Context, values any) error {
	p, err := processIn(ctx)
	if err != nil {
		return err
	}
	patch, err := patchOf(values)
	if err != nil {
		return temporal.NewNonRetryableApplicationError(err.Error(), TaskDataInvalid, err)
	}
	if len(patch) == 0 {
		return nil
	}
	_, err = Execute[ProcessResponse](ctx, "patchProcessMetadata", PatchProcess{p.id, patch})
	return err
}

// patchOf returns a patch that sets the members of a JSON object, in their order.
func patchOf(values any) (rest.JSONPatch, error) {
	value, err := valueOf(values)
	if err != nil {
		return nil, err
	}
	members := json.NewDecoder(bytes.NewReader(value.Value))
	if _, err := members.Token(); err != nil {
		return nil, fmt.Errorf("reading an object: %w", err)
	}
	var patch rest.JSONPatch
	for members.More() {
		name, err := members.Token()
		if err != nil {
			return nil, fmt.Errorf("reading an object: %w", err)
		}
		var member json.RawMessage
		if err := members.Decode(&member); err != nil {
			return nil, fmt.Errorf("reading an object: %w", err)
		}
		pointer := strings.NewReplacer("~", "~0", "/", "~1").Replace(fmt.Sprint(name))
		patch = append(patch, rest.JSONPatchOperation{Op: rest.JSONPatchOperationOpAdd, Path: "/" + pointer, Value: member})
	}
	return patch, nil
}

// StartRelatedProcess starts a process of the definition with that code that is related to this one, and returns it.
// However often the workflow is repeated, there is one for each code and key.
func StartRelatedProcess(ctx workflow.Context, definitionCode, key string, metadata any) (rest.Process, error) {
	p, err := processIn(ctx)
	if err != nil {
		return rest.Process{}, err
	}
	id := ItemID(p.id, definitionCode+"/"+key)
	params := rest.ProcessCreateParams{ID: &id, ProcessDefinitionCode: &definitionCode, RelatedProcessID: &p.id}
	if metadata != nil {
		value, err := valueOf(metadata)
		if err != nil {
			return rest.Process{}, temporal.NewNonRetryableApplicationError(err.Error(), TaskDataInvalid, err)
		}
		params.Metadata = &value
	}
	response, err := callOperation[ProcessResponse](ctx, createProcessActivity, params)
	return response.Process, err
}

// ChangeInitiatorTo makes another principal the initiator of the process.
func ChangeInitiatorTo(ctx workflow.Context, principalID uuid.UUID) error {
	p, err := processIn(ctx)
	if err != nil {
		return err
	}
	_, err = Execute[ProcessResponse](ctx, "changeProcessInitiator",
		ChangeInitiator{p.id, rest.ProcessChangeInitiatorParams{InitiatorID: &principalID}})
	return err
}

// CancelTask cancels an open task of the process.
func CancelTask(ctx workflow.Context, itemID uuid.UUID) error {
	p, err := processIn(ctx)
	if err != nil {
		return err
	}
	_, err = Execute[ProcessResponse](ctx, "cancelProcessItems", CancelItems{p.id, []uuid.UUID{itemID}})
	return err
}

// SetTaskData sets the members that values has in the data of a task and leaves the others, as a robot does that has
// found them out.
func SetTaskData(ctx workflow.Context, itemID uuid.UUID, values any) error {
	patch, err := patchOf(values)
	if err != nil {
		return temporal.NewNonRetryableApplicationError(err.Error(), TaskDataInvalid, err)
	}
	if len(patch) == 0 {
		return nil
	}
	_, err = Execute[ItemResponse](ctx, "patchProcessItemTaskData", PatchTaskData{itemID, patch})
	return err
}

// CompleteTask completes a task that the worker's application owns, as a robot does.
func CompleteTask(ctx workflow.Context, itemID uuid.UUID) error {
	_, err := Execute[ItemResponse](ctx, "completeProcessItemTask", ItemRequest{itemID})
	return err
}

// LogTask appends a line to the log of a task, which its owner reads.
func LogTask(ctx workflow.Context, itemID uuid.UUID, level rest.ProcessItemTaskLogLevel, message string) error {
	_, err := Execute[ItemResponse](ctx, "appendProcessItemTaskLog", AppendTaskLog{itemID, message, level})
	return err
}

// RetrieveArtifact reads the data of a business artifact as a Go type.
func RetrieveArtifact[T any](ctx workflow.Context, id uuid.UUID) (T, error) {
	response, err := Execute[ArtifactResponse](ctx, "retrieveBusinessArtifact", ArtifactRequest{id})
	if err != nil {
		var none T
		return none, err
	}
	return decodeValue[T](response.BusinessArtifact.Data, "data of the artifact")
}

// SetArtifactData sets the members that values has in the data of a business artifact and leaves the others.
func SetArtifactData(ctx workflow.Context, id uuid.UUID, values any) error {
	patch, err := patchOf(values)
	if err != nil {
		return temporal.NewNonRetryableApplicationError(err.Error(), TaskDataInvalid, err)
	}
	if len(patch) == 0 {
		return nil
	}
	_, err = Execute[ArtifactResponse](ctx, "patchBusinessArtifact", PatchArtifact{id, patch})
	return err
}

// ActionInput decodes the input of an action on a business artifact.
func ActionInput[T any](ctx workflow.Context, request ArtifactActionRequest) (T, error) {
	response, err := Execute[ArtifactAction](ctx, "retrieveBusinessArtifactAction",
		ArtifactActionID{request.BusinessArtifactID, request.BusinessArtifactActionValueID})
	if err != nil {
		var none T
		return none, err
	}
	action := response.BusinessArtifactAction
	switch {
	case action.Downloadable != nil:
		return decodeValue[T](action.Downloadable.Input, "input of the action")
	case action.StartWorkflow != nil:
		return decodeValue[T](action.StartWorkflow.Input, "input of the action")
	default:
		return decodeValue[T](nil, "")
	}
}

// decodeValue decodes a value. A nil value yields the zero value.
func decodeValue[T any](value *rest.JSONValue, what string) (T, error) {
	var result T
	if value == nil || len(value.Value) == 0 {
		return result, nil
	}
	if err := json.Unmarshal(value.Value, &result); err != nil {
		return result, temporal.NewNonRetryableApplicationError(fmt.Sprintf("%s: %v", what, err), TaskDataInvalid, nil)
	}
	return result, nil
}
