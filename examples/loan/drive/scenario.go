package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/rest"
)

// scenario is a loan with its expected outcome. Amounts are far from the limit of 5,000 EUR, so that any
// sensible exchange rate selects the same branch.
type scenario struct {
	title        string
	amount       json.RawMessage
	currency     string
	approval     string // empty when no approval is needed
	notification string
	acknowledge  bool // Carol completes the notification after the process has ended
}

func allScenarios() []scenario {
	return []scenario{
		{
			title: "a small loan is granted at once", amount: json.RawMessage(`"1200.50"`), currency: "EUR",
			notification: "NOTIFICATION_GRANTED", acknowledge: true,
		},
		{
			title: "a large loan is approved", amount: json.RawMessage(`20000`), currency: "USD",
			approval: "YES", notification: "NOTIFICATION_GRANTED",
		},
		{
			title: "a large loan is refused", amount: json.RawMessage(`"15000"`), currency: "GBP",
			approval: "NO", notification: "NOTIFICATION_REJECTION",
		},
	}
}

// runScenario drives one scenario from the start of the process to its end.
func (d *drive) runScenario(ctx context.Context, s scenario) error {
	processID, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("making the process id: %w", err)
	}
	d.printTitle(s.title, processID)
	if err := d.startProcess(ctx, processID); err != nil {
		return err
	}
	if err := d.submitApplication(ctx, processID, s); err != nil {
		return err
	}
	if s.approval != "" {
		if err := d.approveLoan(ctx, processID, s); err != nil {
			return err
		}
	}
	return d.checkOutcome(ctx, processID, s)
}

// startProcess creates the process as Carol, twice: the second time must find the first.
func (d *drive) startProcess(ctx context.Context, processID uuid.UUID) error {
	carol := d.cast.carol
	params := rest.ProcessCreateParams{ID: &processID, ProcessDefinitionID: &d.cfg.definitionID}
	for _, again := range []bool{false, true} {
		what := "starts the process"
		if again {
			what = "starts it again: same process"
		}
		err := d.runStep(ctx, carol, what, func(ctx context.Context) (string, error) {
			response, err := carol.api.CreateProcess(ctx, params)
			process, err := procession.Decode[rest.Process](response, err)
			if err != nil {
				return "", err
			}
			return string(process.State), firstOf(
				requireEqual("created (201) and not found (200)", response.StatusCode == http.StatusCreated, !again),
				requireEqual("process id", process.ID, processID),
				requireEqual("state", process.State, rest.ProcessStateRUNNING),
				expectPrincipal("initiator", process.InitiatorID, carol.id),
			)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// submitApplication has Carol fill in and complete the application.
func (d *drive) submitApplication(ctx context.Context, processID uuid.UUID, s scenario) error {
	carol := d.cast.carol
	item, err := d.awaitTask(ctx, carol, processID, "LOAN_APPLICATION", rest.ProcessItemTaskStateREADY)
	if err != nil {
		return err
	}
	if err := d.claimTask(ctx, carol, item.ID); err != nil {
		return err
	}
	data := json.RawMessage(`{"FIRST_NAME":"Carol","LAST_NAME":"Demo","CURRENCY":"` + s.currency + `","AMOUNT":` + string(s.amount) + `}`)
	err = d.runStep(ctx, carol, fmt.Sprintf("fills in %s %s", strings.Trim(string(s.amount), `"`), s.currency), func(ctx context.Context) (string, error) {
		filled, err := procession.Decode[rest.ProcessItem](carol.api.UpdateProcessItemTaskData(ctx, item.ID,
			rest.ProcessItemTaskDataUpdateParams{Data: rest.JSONValue{Value: data}}))
		if err != nil {
			return "", err
		}
		return "valid", firstOf(expectValid(filled), requireEqual("AMOUNT", dataOf(filled)["AMOUNT"], string(s.amount)))
	})
	if err != nil {
		return err
	}
	return d.completeTask(ctx, carol, item.ID)
}

// approveLoan has Bob decide, after checking that the worker gave him the data of his decision.
func (d *drive) approveLoan(ctx context.Context, processID uuid.UUID, s scenario) error {
	bob, carol := d.cast.bob, d.cast.carol
	item, err := d.awaitTask(ctx, bob, processID, "APPROVE_LOAN", rest.ProcessItemTaskStateREADY)
	if err != nil {
		return err
	}
	err = d.runStep(ctx, carol, "may not approve her own loan", func(ctx context.Context) (string, error) {
		_, err := procession.Decode[rest.ProcessItem](carol.api.ClaimProcessItemTask(ctx, item.ID))
		return expectRefusal(err, 403, 404)
	})
	if err != nil {
		return err
	}
	if err := d.claimTask(ctx, bob, item.ID); err != nil {
		return err
	}
	err = d.runStep(ctx, bob, "reads the task", func(ctx context.Context) (string, error) {
		read, err := procession.Decode[rest.ProcessItem](bob.api.RetrieveProcessItem(ctx, item.ID))
		if err != nil {
			return "", err
		}
		data := dataOf(read)
		amount := strings.Trim(data["AMOUNT"], `"`)
		return amount + " EUR", firstOf(
			requireEqual("FIRST_NAME", data["FIRST_NAME"], `"Carol"`),
			requireEqual("LAST_NAME", data["LAST_NAME"], `"Demo"`),
			requireEqual("AMOUNT is filled in", amount != "" && amount != "null", true),
		)
	})
	if err != nil {
		return err
	}
	err = d.runStep(ctx, bob, "decides "+s.approval, func(ctx context.Context) (string, error) {
		decided, err := procession.Decode[rest.ProcessItem](bob.api.PatchProcessItemTaskDataWithApplicationJSONPatchPlusJSONBody(ctx,
			item.ID, rest.JSONPatch{{Op: rest.JSONPatchOperationOpAdd, Path: "/APPROVAL", Value: json.RawMessage(`"` + s.approval + `"`)}}))
		if err != nil {
			return "", err
		}
		return "valid", firstOf(
			expectValid(decided),
			requireEqual("APPROVAL", dataOf(decided)["APPROVAL"], `"`+s.approval+`"`),
			requireEqual("FIRST_NAME", dataOf(decided)["FIRST_NAME"], `"Carol"`),
		)
	})
	if err != nil {
		return err
	}
	return d.completeTask(ctx, bob, item.ID)
}

// checkOutcome checks the outcome: the notification, the end of the process and the view of a manager.
func (d *drive) checkOutcome(ctx context.Context, processID uuid.UUID, s scenario) error {
	alice, carol := d.cast.alice, d.cast.carol
	notification, err := d.awaitTask(ctx, carol, processID, s.notification, rest.ProcessItemTaskStateCLAIMED)
	if err != nil {
		return err
	}
	if err := expectPrincipal("owner of "+s.notification, notification.OwnerID, carol.id); err != nil {
		return err
	}
	if err := d.awaitProcess(ctx, carol, processID, rest.ProcessStateCOMPLETED); err != nil {
		return err
	}
	err = d.runStep(ctx, alice, "reads the process as manager", func(ctx context.Context) (string, error) {
		process, err := procession.Decode[rest.Process](alice.api.RetrieveProcess(ctx, processID))
		if err != nil {
			return "", err
		}
		metadata := stringMembers(process.Metadata)
		return string(process.State), firstOf(
			requireEqual("state", process.State, rest.ProcessStateCOMPLETED),
			expectPrincipal("initiator", process.InitiatorID, carol.id),
			requireEqual("metadata FIRST_NAME", metadata["FIRST_NAME"], `"Carol"`),
			requireEqual("metadata LAST_NAME", metadata["LAST_NAME"], `"Demo"`),
		)
	})
	if err != nil {
		return err
	}
	if err := d.checkItems(ctx, processID, s); err != nil {
		return err
	}
	if s.acknowledge {
		return d.completeTask(ctx, carol, notification.ID)
	}
	return nil
}

// checkItems compares all items of the process, as Alice sees them, with those the scenario must leave behind.
func (d *drive) checkItems(ctx context.Context, processID uuid.UUID, s scenario) error {
	want := []string{"LOAN_APPLICATION COMPLETED"}
	if s.approval != "" {
		want = append(want, "APPROVE_LOAN COMPLETED")
	}
	want = append(want, s.notification+" CLAIMED")
	return d.runStep(ctx, d.cast.alice, "lists its items", func(ctx context.Context) (string, error) {
		items, err := findItems(ctx, d.cast.alice, processID)
		if err != nil {
			return "", err
		}
		var got []string
		for _, item := range items {
			got = append(got, item.ProcessItemDefinitionRef.Code+" "+string(item.Task.State))
		}
		return fmt.Sprintf("%d items", len(got)), requireEqual("items", strings.Join(got, ", "), strings.Join(want, ", "))
	})
}
