package main

import (
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/procession-dev/procession/devstack/demo"
	documents "github.com/procession-dev/procession/examples/demo"
	procession "github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/encryption"
)

// An encrypted loan, from the first to the last event of its history, with a rotation of the key while it runs.
func TestEncryptedLoan(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	s.applySealedLoan()
	worker := s.startWorker()
	first, failing := s.createSealedLoan(), s.createSealedLoan()
	application := s.awaitItem(first, "LOAN_APPLICATION")
	s.fill(s.awaitItem(failing, "LOAN_APPLICATION"),
		map[string]any{"FIRST_NAME": "Ramon", "LAST_NAME": "Demo", "CURRENCY": "EUR", "AMOUNT": "a lot"})
	incident := s.awaitIncident(failing)

	asAlice := s.asking(demo.Alice())
	require.Equal(t, "demo-key.2\n", printed(t, append([]string{"encryption-keys", "rotate", "demo-key"}, asAlice...)...))
	// The next worker has no cached keys, and replays the history of this one.
	s.stopProcess(worker, syscall.SIGKILL)
	s.startWorker()

	s.fill(application, map[string]any{"FIRST_NAME": "Genoveva", "LAST_NAME": "Zubizarreta", "CURRENCY": "EUR", "AMOUNT": "7391.55"})
	approval := s.awaitItem(first, "APPROVE_LOAN")
	s.approve(approval)
	granted := s.awaitItem(first, "NOTIFICATION_GRANTED")
	s.awaitState(first, "COMPLETED")
	s.requireHidden(first, "demo-key", map[string][]string{
		"workflow_execution_started.input":             {first.String()},
		"workflow_execution_signaled.input":            {application, approval},
		"workflow_execution_completed.result":          {"The loan is granted"},
		"activity_task_scheduled.input":                {first.String(), application, granted, "Genoveva", "Zubizarreta", "7391.55", demo.Carol().ID.String()},
		"activity_task_completed.result":               {first.String(), application, approval, "Genoveva", "Zubizarreta", "7391.55", "YES"},
		"activity_task_scheduled.header.fields":        {},
		"workflow_execution_started.header.fields":     {},
		"upsert_workflow_search_attributes.attributes": {},
	})

	before := s.runID(failing)
	require.Equal(t, incident+" RETRIED\n", printed(t, append([]string{"incidents", "retry", incident}, asAlice...)...))
	s.awaitIncident(failing)
	require.NotEqual(t, before, s.runID(failing))
	s.requireHidden(failing, "demo-key", map[string][]string{"workflow_execution_started.input": {failing.String()}})

	second := s.createSealedLoan()
	application = s.awaitItem(second, "LOAN_APPLICATION")
	s.fill(application, map[string]any{"FIRST_NAME": "Genoveva", "LAST_NAME": "Demo", "CURRENCY": "EUR", "AMOUNT": "100"})
	s.awaitState(second, "COMPLETED")
	s.requireHidden(second, "demo-key.2", map[string][]string{
		"workflow_execution_started.input":  {second.String()},
		"workflow_execution_signaled.input": {application},
	})

	plain := s.createLoan(uuid.New())
	s.fill(s.awaitItem(plain, "LOAN_APPLICATION"),
		map[string]any{"FIRST_NAME": "Carol", "LAST_NAME": "Demo", "CURRENCY": "EUR", "AMOUNT": "100"})
	s.awaitState(plain, "COMPLETED")
	started := s.history(plain)[0].GetWorkflowExecutionStartedEventAttributes()
	require.Empty(t, started.GetHeader().GetFields())
	require.Contains(t, string(started.GetInput().GetPayloads()[0].GetData()), plain.String())

	s.requireNoKeyInLogs("demo-key", "demo-key.2")
}

// A key that cannot be opened delays the processes with that key, and only until it can be opened.
func TestLostKeyHoldsUpItsOwnProcessesOnly(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	s.applySealedLoan()
	s.startWorker()
	var sealed, damaged []byte
	s.query("SELECT sealed_value FROM encryption_keys", &sealed)
	const replace = "UPDATE encryption_keys SET sealed_value = $1 RETURNING sealed_value"
	s.query(replace, &damaged, append([]byte("damaged"), sealed...))

	waiting := s.createSealedLoan()
	var reason string
	s.await("the start to fail", func() bool {
		s.query("SELECT coalesce(max(c.last_error), '') FROM engine_commands c", &reason)
		return reason != ""
	})
	require.Contains(t, reason, "the encryption key is lost: opening demo-key")
	plain := s.createLoan(uuid.New())
	s.fill(s.awaitItem(plain, "LOAN_APPLICATION"),
		map[string]any{"FIRST_NAME": "Carol", "LAST_NAME": "Demo", "CURRENCY": "EUR", "AMOUNT": "100"})
	s.awaitState(plain, "COMPLETED")
	require.Equal(t, "PENDING", s.runState(waiting))
	status, _ := s.call(demo.LoanWorker(), http.MethodGet, "/kms/keys/demo-key", nil)
	require.Equal(t, http.StatusInternalServerError, status)

	s.query(replace, &damaged, sealed)
	s.awaitItem(waiting, "LOAN_APPLICATION")
	s.requireNoKeyInLogs("demo-key")
}

// applySealedLoan applies a copy of LOAN that is encrypted with demo-key.
func (s *testStack) applySealedLoan() {
	s.t.Helper()
	text, err := documents.Files.ReadFile("loan.yaml")
	require.NoError(s.t, err)
	sealed := strings.NewReplacer("  code: LOAN\n", "  code: SEALED_LOAN\n",
		"  id: "+demo.Loan().String()+"\n", "  id: "+sealedLoan().String()+"\n",
		"    runner: loan-worker\n", "    runner: loan-worker\n    encryptionKey: demo-key\n").Replace(string(text))
	require.Contains(s.t, sealed, "encryptionKey")
	file := filepath.Join(s.t.TempDir(), "sealed.yaml")
	require.NoError(s.t, os.WriteFile(file, []byte(sealed), 0o600))
	printed(s.t, append([]string{"apply", "-f", file}, s.asking(demo.Alice())...)...)
}

func sealedLoan() uuid.UUID { return uuid.MustParse("01970000-0000-7000-8000-00000000e0f1") }

func (s *testStack) createSealedLoan() uuid.UUID {
	s.t.Helper()
	id := uuid.New()
	status, body := s.call(demo.Carol(), http.MethodPost, "/processes",
		map[string]any{"id": id, "processDefinitionId": sealedLoan()})
	require.Equal(s.t, http.StatusCreated, status, body)
	return id
}

// approve says yes as Bob.
func (s *testStack) approve(item string) {
	s.t.Helper()
	status, body := s.call(demo.Bob(), http.MethodPost, "/process-items/"+item+"/task/~actions/claim", nil)
	require.Equal(s.t, http.StatusOK, status, body)
	status, body = s.call(demo.Bob(), http.MethodPatch, "/process-items/"+item+"/task/data",
		[]map[string]any{{"op": "add", "path": "/APPROVAL", "value": "YES"}})
	require.Equal(s.t, http.StatusOK, status, body)
	status, body = s.call(demo.Bob(), http.MethodPost, "/process-items/"+item+"/task/~actions/complete", nil)
	require.Equal(s.t, http.StatusOK, status, body)
}

// runID is Temporal's id of the last run of a process's workflow.
func (s *testStack) runID(process uuid.UUID) (id string) {
	s.t.Helper()
	s.query("SELECT run_id FROM engine_runs WHERE owner_id = $1", &id, process)
	return id
}

// history returns all that Temporal keeps of the last run of a process's workflow.
func (s *testStack) history(process uuid.UUID) []*historypb.HistoryEvent {
	s.t.Helper()
	return s.historyOf("process-" + process.String())
}

func (s *testStack) historyOf(workflowID string) []*historypb.HistoryEvent {
	s.t.Helper()
	var events []*historypb.HistoryEvent
	found := s.temporalClient().GetWorkflowHistory(s.t.Context(), workflowID, "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for found.HasNext() {
		event, err := found.Next()
		require.NoError(s.t, err)
		events = append(events, event)
	}
	require.NotEmpty(s.t, events)
	return events
}

// readable returns the plain text in a payload. Short words occur in base64 by chance.
func readable(p *commonpb.Payload) string {
	if text, sealed := strings.CutPrefix(string(p.GetData()), "AES-256-GCM:"); sealed {
		if content, err := base64.StdEncoding.DecodeString(text); err == nil {
			return string(content)
		}
	}
	return string(p.GetData())
}

// requireHidden is requireHiddenIn for the workflow of a process.
func (s *testStack) requireHidden(process uuid.UUID, keyID string, want map[string][]string) {
	s.t.Helper()
	s.requireHiddenIn("process-"+process.String(), keyID, want)
}

// requireHiddenIn requires that all payloads of the history of a workflow are encrypted with the key, except
// encryption headers and search attributes, and that the decrypted payloads contain the wanted texts by their
// path in events. Paths without texts are optional.
func (s *testStack) requireHiddenIn(workflowID, keyID string, want map[string][]string) {
	s.t.Helper()
	decrypt := s.decrypting()
	var words []string
	for _, texts := range want {
		words = append(words, texts...)
	}
	found := map[string]string{}
	nonces := map[string]bool{}
	for _, event := range s.historyOf(workflowID) {
		eachPayload(event.ProtoReflect(), "", func(place string, p *commonpb.Payload) {
			for _, word := range words {
				require.NotContains(s.t, readable(p), word, place)
			}
			switch {
			case strings.Contains(place, "search_attributes"):
			case strings.HasSuffix(place, ".header.fields"):
				require.Equal(s.t, map[string][]byte{"encoding": []byte("json/plain")}, p.GetMetadata(), place)
				require.Contains(s.t, []string{`"binary/encrypted?vendor=KuFlow"`, `"` + keyID + `"`}, string(p.GetData()), place)
				found[place] += string(p.GetData())
			default:
				require.Equal(s.t, map[string][]byte{
					"encoding": []byte("binary/encrypted?vendor=KuFlow"), "encoding-encrypted-key-id": []byte(keyID),
				}, p.GetMetadata(), place)
				data, ok := strings.CutPrefix(string(p.GetData()), "AES-256-GCM:")
				require.True(s.t, ok, place)
				sealed, err := base64.StdEncoding.DecodeString(data)
				require.NoError(s.t, err, place)
				nonces[string(sealed[:12])] = true
				found[place] += decrypt.ToString(p) + "\n"
			}
		})
	}
	require.Greater(s.t, len(nonces), 3)
	for place, texts := range want {
		for _, text := range texts {
			require.Contains(s.t, found[place], text, "%s of %v", place, found)
		}
	}
	for place, text := range found {
		if strings.HasSuffix(place, ".header.fields") {
			require.Contains(s.t, text, keyID, place)
		}
	}
}

// eachPayload calls found for each payload in a message, with its path: the names of the fields, from the field
// of the attributes of the event on.
func eachPayload(m protoreflect.Message, place string, found func(place string, p *commonpb.Payload)) {
	if p, ok := m.Interface().(*commonpb.Payload); ok {
		found(strings.TrimSuffix(strings.TrimPrefix(place, "."), ".payloads"), p)
		return
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		name := place + "." + strings.TrimSuffix(string(f.Name()), "_event_attributes")
		switch {
		case f.IsMap() && f.MapValue().Message() != nil:
			v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
				eachPayload(v.Message(), name, found)
				return true
			})
		case f.IsList() && f.Message() != nil:
			for i := range v.List().Len() {
				eachPayload(v.List().Get(i).Message(), name, found)
			}
		case !f.IsMap() && f.Message() != nil:
			eachPayload(v.Message(), name, found)
		}
		return true
	})
}

// decrypting returns the data converter of the example worker.
func (s *testStack) decrypting() converter.DataConverter {
	s.t.Helper()
	return encryption.NewDataConverter(encryption.NewKeys(time.Now, s.workerAPI().EncryptionKey))
}

func (s *testStack) workerAPI() *procession.Client {
	s.t.Helper()
	account := demo.LoanWorker()
	api, err := procession.NewClient(procession.ClientConfig{
		Endpoint: s.url(), Credentials: procession.ClientCredentials(account.ID.String(), account.Secret),
	})
	require.NoError(s.t, err)
	s.t.Cleanup(api.Close)
	return api
}

// requireNoKeyInLogs requires that no log shows a key, as it is or encoded.
func (s *testStack) requireNoKeyInLogs(keyIDs ...string) {
	s.t.Helper()
	for _, keyID := range keyIDs {
		key, err := s.workerAPI().EncryptionKey(s.t.Context(), keyID)
		require.NoError(s.t, err)
		for _, name := range []string{"service.log", "temporal.log", "worker.log"} {
			log, err := os.ReadFile(filepath.Join(s.dir, name))
			require.NoError(s.t, err)
			for _, form := range []string{
				string(key), hex.EncodeToString(key), base64.StdEncoding.EncodeToString(key),
			} {
				require.NotContains(s.t, string(log), form, name)
			}
		}
	}
}
