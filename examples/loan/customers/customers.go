// Package customers holds the actions STATEMENT and RECALCULATE on the business artifact CUSTOMER.
package customers

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/examples/loan/sheet"
	"github.com/procession-dev/procession/sdk"
)

// Workflow types that the definition CUSTOMER names. Both run on the queue of the loans.
const (
	StatementWorkflow   = "CustomerStatementWorkflow"
	RecalculateWorkflow = "CustomerRecalculateWorkflow"
)

const activityUploadStatement = "Customer_uploadStatement"

// failureCustomer is the failure type of a workflow that cannot do anything with the customer's data. The service ends
// the action with the status ERROR.
const failureCustomer = "CustomerInvalid"

// goldBalance is the minimum balance of a GOLD customer.
const goldBalance = 10000

// decimal is the pattern of a balance. It bounds digits and exponent, because big.Rat would spend any amount of
// memory on 1e999999999.
const decimal = `^-?[0-9]{1,15}(\.[0-9]{1,10})?([eE][+-]?[0-9])?$`

// customer is the data of a CUSTOMER, with numbers as they are there.
type customer struct {
	Name    json.RawMessage `json:"name,omitempty"`
	Tier    json.RawMessage `json:"tier,omitempty"`
	Balance json.RawMessage `json:"balance,omitempty"`
}

// Register registers the actions with a worker.
func Register(w *procession.Worker) {
	procession.RegisterWorkflow(w, StatementWorkflow, Statement)
	procession.RegisterWorkflow(w, RecalculateWorkflow, Recalculate)
	procession.RegisterActivity(w, activityUploadStatement, func(ctx context.Context, r statementRequest) (procession.Downloadable, error) {
		return uploadStatement(ctx, w.Client(), r)
	})
}

type statementRequest struct {
	BusinessArtifactID uuid.UUID `json:"businessArtifactId"`
	Month              string    `json:"month"`
	Customer           customer  `json:"customer"`
}

// Statement uploads a statement for the month of the action's input and delivers it.
func Statement(ctx workflow.Context, request procession.ArtifactActionRequest) (procession.ArtifactActionResponse, error) {
	input, err := procession.ActionInput[struct{ Month json.RawMessage }](ctx, request)
	if err != nil {
		return procession.ArtifactActionResponse{}, err
	}
	of, err := procession.RetrieveArtifact[customer](ctx, request.BusinessArtifactID)
	if err != nil {
		return procession.ArtifactActionResponse{}, err
	}
	month := textOf(input.Month)
	uploaded, err := procession.Call[procession.Downloadable](ctx, activityUploadStatement,
		statementRequest{request.BusinessArtifactID, month, of})
	if err != nil {
		return procession.ArtifactActionResponse{}, err
	}
	return procession.ArtifactActionResponse{Message: "The statement for " + month + " is ready", Downloadable: &uploaded}, nil
}

// Recalculate makes customers with a balance of goldBalance or more GOLD and all others SILVER. It fails on a balance
// that is no decimal number.
func Recalculate(ctx workflow.Context, request procession.ArtifactActionRequest) (procession.ArtifactActionResponse, error) {
	of, err := procession.RetrieveArtifact[customer](ctx, request.BusinessArtifactID)
	if err != nil {
		return procession.ArtifactActionResponse{}, err
	}
	tier, err := tierOf(of.Balance)
	if err != nil {
		return procession.ArtifactActionResponse{}, temporal.NewNonRetryableApplicationError(err.Error(), failureCustomer, nil)
	}
	err = procession.SetArtifactData(ctx, request.BusinessArtifactID, customer{Tier: json.RawMessage(`"` + tier + `"`)})
	return procession.ArtifactActionResponse{Message: "The customer is " + tier}, err
}

// uploadStatement creates and uploads the statement in one activity: histories must not contain documents. The
// service deletes the uploads of failed attempts after two hours.
func uploadStatement(ctx context.Context, api *procession.Client, request statementRequest) (procession.Downloadable, error) {
	content, err := renderStatement(request.Month, request.Customer)
	if err != nil {
		return procession.Downloadable{}, err
	}
	uri, err := api.UploadArtifactDocument(ctx, request.BusinessArtifactID,
		procession.Document{Name: "statement.csv", ContentType: "text/csv", Content: content})
	return procession.Downloadable{DocumentURI: uri}, err
}

// tierOf returns the tier that a balance gives; a customer without one has none.
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

// renderStatement returns a table of one line, with the numbers as they are in the customer's data.
func renderStatement(month string, of customer) ([]byte, error) {
	content, err := sheet.Encode([][]string{
		{"month", "name", "tier", "balance"},
		{month, textOf(of.Name), textOf(of.Tier), textOf(of.Balance)},
	})
	if err != nil {
		return nil, fmt.Errorf("writing the statement: %w", err)
	}
	return content, nil
}

// textOf returns the content of a JSON string, the digits of a JSON number, and empty for everything else.
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
