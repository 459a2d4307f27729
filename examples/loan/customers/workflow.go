package customers

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/examples/loan/restapi"
)

// failureCustomer is the failure type of a workflow that cannot do anything with the customer's data. The service ends
// the action with the status ERROR.
const failureCustomer = "CustomerInvalid"

// goldBalance is what it takes to be a GOLD customer.
const goldBalance = 10000

// decimal is what counts as a balance. It bounds digits and exponent, because big.Rat would spend any amount of memory
// on 1e999999999.
const decimal = `^-?[0-9]{1,15}(\.[0-9]{1,10})?([eE][+-]?[0-9])?$`

// CustomerStatement uploads a statement for the month of the action's input and delivers it.
func CustomerStatement(ctx workflow.Context, request ActionRequest) (ActionResponse, error) {
	ctx = withPatience(ctx)
	var action actionResponse
	err := workflow.ExecuteActivity(ctx, activityRetrieveAction,
		retrieveActionRequest{request.BusinessArtifactID, request.BusinessArtifactActionValueID}).Get(ctx, &action)
	if err != nil {
		return ActionResponse{}, err
	}
	customer, err := retrieve(ctx, request)
	if err != nil {
		return ActionResponse{}, err
	}
	month := textOf(action.BusinessArtifactAction.Input()["month"])
	var uploaded Downloadable
	err = workflow.ExecuteActivity(ctx, activityUploadStatement,
		uploadStatementRequest{request.BusinessArtifactID, month, customer}).Get(ctx, &uploaded)
	if err != nil {
		return ActionResponse{}, err
	}
	return ActionResponse{Message: "The statement for " + month + " is ready", Downloadable: &uploaded}, nil
}

// CustomerRecalculate makes customers with a balance of goldBalance or more GOLD and all others SILVER. It fails on a
// balance that is no decimal number.
func CustomerRecalculate(ctx workflow.Context, request ActionRequest) (ActionResponse, error) {
	ctx = withPatience(ctx)
	customer, err := retrieve(ctx, request)
	if err != nil {
		return ActionResponse{}, err
	}
	tier, err := tierOf(customer["balance"])
	if err != nil {
		return ActionResponse{}, temporal.NewNonRetryableApplicationError(err.Error(), failureCustomer, nil)
	}
	patch := []restapi.PatchOperation{{Op: "add", Path: "/tier", Value: json.RawMessage(`"` + tier + `"`)}}
	err = workflow.ExecuteActivity(ctx, activityPatchArtifact,
		patchArtifactRequest{request.BusinessArtifactID, patch}).Get(ctx, nil)
	if err != nil {
		return ActionResponse{}, err
	}
	return ActionResponse{Message: "The customer is " + tier}, nil
}

// withPatience sets unlimited retries of activities: an action outlives an outage of the service, and its caller can
// cancel it.
func withPatience(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Minute,
		RetryPolicy:         &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute},
	})
}

// retrieve returns the data of the customer.
func retrieve(ctx workflow.Context, request ActionRequest) (restapi.Object, error) {
	var answer artifactResponse
	err := workflow.ExecuteActivity(ctx, activityRetrieveArtifact,
		retrieveArtifactRequest{request.BusinessArtifactID}).Get(ctx, &answer)
	return answer.BusinessArtifact.Values(), err
}

// tierOf is the tier that a balance gives; a customer without one has none.
func tierOf(balance json.RawMessage) (string, error) {
	digits := textOf(balance)
	if balance == nil {
		digits = "0"
	}
	if matched, err := regexp.MatchString(decimal, digits); err != nil || !matched {
		return "", fmt.Errorf("balance %.40q is not a decimal number", digits)
	}
	amount, ok := new(big.Rat).SetString(digits)
	if !ok {
		return "", fmt.Errorf("balance %.40q is not a decimal number", digits)
	}
	if amount.Cmp(big.NewRat(goldBalance, 1)) >= 0 {
		return "GOLD", nil
	}
	return "SILVER", nil
}

// statement is a table of one line, with the numbers as they are in the customer's data.
func statement(month string, customer restapi.Object) ([]byte, error) {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	if err := w.WriteAll([][]string{
		{"month", "name", "tier", "balance"},
		{month, textOf(customer["name"]), textOf(customer["tier"]), textOf(customer["balance"])},
	}); err != nil {
		return nil, fmt.Errorf("writing the statement: %w", err)
	}
	return out.Bytes(), nil
}

// textOf is the content of a JSON string, the digits of a JSON number, and empty for everything else.
func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var number json.Number
	if json.Unmarshal(raw, &number) == nil {
		return number.String()
	}
	return ""
}
