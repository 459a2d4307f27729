package engine_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/test/kit/enginetest"
)

// encryptedResult returns a result as a worker encrypted it: the first vector of
// testdata.
func encryptedResult(t *testing.T) (key domain.Secret, payload *commonpb.Payload, plain string) {
	t.Helper()
	text, err := os.ReadFile("testdata/encryption.json")
	require.NoError(t, err)
	var vectors []struct{ KeyID, Key, Data, Encrypted string }
	require.NoError(t, json.Unmarshal(text, &vectors))
	v := vectors[0]
	value, err := base64.StdEncoding.DecodeString(v.Key)
	require.NoError(t, err)
	return domain.NewSecret(string(value)), &commonpb.Payload{
		Metadata: map[string][]byte{
			"encoding":                  []byte("binary/encrypted?vendor=KuFlow"),
			"encoding-encrypted-key-id": []byte(v.KeyID),
		},
		Data: []byte(v.Encrypted),
	}, v.Data
}

// withKeys returns the bench with an engine that finds keys.
func withKeys(t *testing.T, b fixture, keys engine.KeySource) fixture {
	t.Helper()
	e, err := engine.New(engine.Options{
		Address: b.stack.Address, Credentials: b.stack.Credentials(), Keys: keys, Logger: enginetest.Logger(),
	})
	require.NoError(t, err)
	t.Cleanup(e.Close)
	b.Engine = e
	return b
}

// history returns all that Temporal keeps of a workflow.
func (b fixture) history(t *testing.T, c domain.DueCommand) []*historypb.HistoryEvent {
	t.Helper()
	var events []*historypb.HistoryEvent
	for i := b.client.GetWorkflowHistory(t.Context(), c.Run.WorkflowID, "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); i.HasNext(); {
		event, err := i.Next()
		require.NoError(t, err)
		events = append(events, event)
	}
	return events
}

func signalsIn(events []*historypb.HistoryEvent) []*commonpb.Payloads {
	var inputs []*commonpb.Payloads
	for _, event := range events {
		if signalled := event.GetWorkflowExecutionSignaledEventAttributes(); signalled != nil {
			inputs = append(inputs, signalled.GetInput())
		}
	}
	return inputs
}

func TestEncryptedWorkflows(t *testing.T) { //nolint:funlen // its subtests share one set-up
	t.Parallel()
	const keyID = "demo-key"
	key, encrypted, plain := encryptedResult(t)
	tenant := uuid.New()
	keys := func(_ context.Context, of uuid.UUID, id string) (domain.Secret, error) {
		if of != tenant || id != keyID {
			return domain.Secret{}, domain.ErrKeyLost
		}
		return key, nil
	}
	b := withKeys(t, setUp(t), keys)
	w := worker.New(b.client, "encrypted", worker.Options{})
	returning := func(p *commonpb.Payload) any {
		return func(workflow.Context, converter.RawValue) (converter.RawValue, error) {
			return converter.NewRawValue(p), nil
		}
	}
	altered := &commonpb.Payload{Metadata: encrypted.GetMetadata(), Data: append([]byte("AES-256-GCM:B"), encrypted.GetData()[13:]...)}
	huge := &commonpb.Payload{Metadata: encrypted.GetMetadata(), Data: []byte(strings.Repeat("x", 200<<10))}
	for name, f := range map[string]any{
		"waiting":   func(ctx workflow.Context, _ converter.RawValue) error { return workflow.Sleep(ctx, time.Hour) },
		"encrypted": returning(encrypted), "altered": returning(altered), "huge": returning(huge),
	} {
		w.RegisterWorkflowWithOptions(f, workflow.RegisterOptions{Name: name})
	}
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	of := func(c domain.DueCommand, tenant uuid.UUID, keyID string) domain.DueCommand {
		c.Run.TenantID, c.Run.EncryptionKeyID, c.Run.TaskQueue = tenant, keyID, "encrypted"
		return c
	}
	requireEncrypted := func(t *testing.T, payloads *commonpb.Payloads) {
		t.Helper()
		require.Len(t, payloads.GetPayloads(), 1)
		p := payloads.GetPayloads()[0]
		require.Equal(t, encrypted.GetMetadata(), p.GetMetadata())
		require.True(t, strings.HasPrefix(string(p.GetData()), "AES-256-GCM:"))
	}

	t.Run("their arguments and signals are hidden, and the headers say with which key", func(t *testing.T) {
		t.Parallel()
		c := of(newCommand("waiting"), tenant, keyID)
		run := b.executeCommand(t, c)
		require.Equal(t, run, b.executeCommand(t, c), "encrypted again, and still the same start")
		for _, shape := range []domain.SignalShape{domain.SignalShapeA, domain.SignalShapeB} {
			signal := nextCommand(c, domain.CommandSignal, run)
			item := uuid.New()
			signal.ItemID, signal.ItemType, signal.Shape = &item, domain.ItemTask, shape
			b.executeCommand(t, signal)
		}
		// Temporal puts a signal that arrives during a workflow task into the history
		// afterwards.
		var events []*historypb.HistoryEvent
		require.Eventually(t, func() bool {
			events = b.history(t, c)
			return len(signalsIn(events)) == 2
		}, 10*time.Second, 20*time.Millisecond)
		for _, input := range signalsIn(events) {
			requireEncrypted(t, input)
		}
		for _, event := range events {
			if started := event.GetWorkflowExecutionStartedEventAttributes(); started != nil {
				requireEncrypted(t, started.GetInput())
				fields := started.GetHeader().GetFields()
				require.Len(t, fields, 2)
				for name, want := range map[string]string{
					"x-kuflow-encoding": `"binary/encrypted?vendor=KuFlow"`, "x-kuflow-encoding-encrypted-key-id": `"demo-key"`,
				} {
					require.Equal(t, want, string(fields[name].GetData()))
					require.Equal(t, map[string][]byte{"encoding": []byte("json/plain")}, fields[name].GetMetadata())
				}
			}
		}
	})

	t.Run("a run without a key has no headers", func(t *testing.T) {
		t.Parallel()
		c := of(newCommand("waiting"), tenant, "")
		b.executeCommand(t, c)
		started := b.history(t, c)[0].GetWorkflowExecutionStartedEventAttributes()
		require.Nil(t, started.GetHeader().GetFields())
		require.Contains(t, string(started.GetInput().GetPayloads()[0].GetData()), c.Run.OwnerID.String())
	})

	t.Run("results are decrypted whatever the run was started with", func(t *testing.T) {
		t.Parallel()
		for _, started := range []string{"", keyID} {
			c := of(newAction("encrypted"), tenant, started)
			b.executeCommand(t, c)
			end := b.awaitOutcome(t, c)
			require.Equal(t, domain.RunCompleted, end.Status)
			require.JSONEq(t, plain, string(end.Result))
			require.Empty(t, end.Message)
		}
	})

	t.Run("a result that cannot be decrypted is nil with a reason", func(t *testing.T) {
		t.Parallel()
		for name, c := range map[string]domain.DueCommand{
			"altered": of(newAction("altered"), tenant, ""), "huge": of(newAction("huge"), tenant, ""),
			"of another tenant": of(newAction("encrypted"), uuid.New(), ""),
		} {
			b.executeCommand(t, c)
			end := b.awaitOutcome(t, c)
			require.Equal(t, domain.RunCompleted, end.Status, name)
			require.Nil(t, end.Result, name)
			require.Contains(t, end.Message, "cannot be decrypted", name)
		}
	})

	t.Run("an unavailable key is waited for", func(t *testing.T) {
		t.Parallel()
		away := errors.New("the database is away")
		offline := withKeys(t, b, func(context.Context, uuid.UUID, string) (domain.Secret, error) { return domain.Secret{}, away })
		c := of(newAction("encrypted"), tenant, "")
		b.executeCommand(t, c)
		b.awaitOutcome(t, c)
		_, err := offline.Outcome(t.Context(), c.Run, time.Now())
		require.ErrorIs(t, err, away)
	})

	t.Run("a lost key fails its command only", func(t *testing.T) {
		t.Parallel()
		for _, failure := range []error{domain.ErrKeyLost, context.DeadlineExceeded} {
			keyless := withKeys(t, b, func(context.Context, uuid.UUID, string) (domain.Secret, error) { return domain.Secret{}, failure })
			c := of(newCommand("waiting"), tenant, keyID)
			_, err := keyless.Execute(t.Context(), c)
			require.ErrorContains(t, err, failure.Error())
			require.False(t, engine.Unavailable(err), "Temporal is not to blame")
			_, err = b.client.DescribeWorkflow(t.Context(), c.Run.WorkflowID, "")
			require.Error(t, err, "nothing starts in the open")
			b.executeCommand(t, c)
		}
		none := withKeys(t, b, nil)
		_, err := none.Execute(t.Context(), of(newCommand("waiting"), tenant, keyID))
		require.ErrorContains(t, err, "the encryption key is lost")
	})
}
