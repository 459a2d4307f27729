package engine

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

// The page for authors of workers shows each member of the arguments of workflows and signals.
func TestPageOfTheContractIsCurrent(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/engine-contract.md")
	require.NoError(t, err)
	ids := func(last byte) uuid.UUID {
		return uuid.MustParse("01980000-0000-7000-8000-00000000000" + string('0'+last))
	}
	command := func(run domain.EngineRun) domain.DueCommand {
		due := domain.DueCommand{Run: run, TimeZone: "Europe/Madrid"}
		due.CreatedAt = time.Date(2026, 3, 2, 10, 30, 0, 0, time.UTC)
		return due
	}
	started := func(run domain.EngineRun) []byte {
		input, err := commandArgument(command(run))
		require.NoError(t, err)
		require.Len(t, input.GetPayloads(), 1)
		return input.GetPayloads()[0].GetData()
	}
	signalled := func(value any) []byte {
		input, err := toPayloads(value)
		require.NoError(t, err)
		return input.GetPayloads()[0].GetData()
	}
	at := requestTime(command(domain.EngineRun{}))
	for heading, sent := range map[string][]byte{
		"Process": started(domain.EngineRun{
			Kind: domain.RunKindProcess, OwnerID: ids(1), Extras: json.RawMessage(`{"CHANNEL":"WEB","TOTAL":12.50}`),
		}),
		"User action": started(domain.EngineRun{Kind: domain.RunKindProcessAction, OwnerID: ids(2), Action: &domain.ActionRequest{
			ProcessID: ids(1), Type: "DOWNLOADABLE", Code: "REPORT", RequestorID: ids(3),
		}}),
		"Action on a business artifact": started(domain.EngineRun{Kind: domain.RunKindArtifactAction, OwnerID: ids(2), Action: &domain.ActionRequest{
			ArtifactID: ids(1), Type: "DOWNLOADABLE", Code: "STATEMENT", RequestorID: ids(3),
		}}),
		"Robot": started(domain.EngineRun{Kind: domain.RunKindTaskRobot, OwnerID: ids(2), Robot: &domain.TaskRobotRequest{
			ProcessID: ids(1), RobotID: ids(3), Operation: "VERIFY",
		}}),
		"Item": signalled(signalProcessItem{
			ID: ids(2), Type: domain.ItemTask, Payload: signalItemPayload{ProcessItemDefinitionCode: "LOAN_APPLICATION"},
			RequestTime: at, RequestTimeZone: "Europe/Madrid",
		}),
		"Invoked action": signalled(signalUserAction{
			DefinitionCode: "REMIND", RequestTime: at, RequestInstant: at, RequestTimeZone: "Europe/Madrid",
		}),
	} {
		var indented bytes.Buffer
		require.NoError(t, json.Indent(&indented, sent, "", "  "))
		_, section, found := strings.Cut(string(page), "\n### "+heading+"\n")
		require.True(t, found, heading)
		section, _, _ = strings.Cut(section, "\n##")
		require.Contains(t, section, "```json\n"+indented.String()+"\n```\n", heading)
	}
	for _, name := range []string{signalOfShapeA, signalOfShapeB} {
		require.Contains(t, string(page), "`"+name+"`")
	}
}
