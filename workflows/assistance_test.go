package workflows_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/assistance"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
)

const (
	providerKey = "key-of-the-provider"
	// runTime bounds a run.
	runTime = 15 * time.Second
)

// model is a provider with faults that the prompt selects: its first word is
// the name of the case.
type model struct {
	*httptest.Server
	mu         sync.Mutex
	requests   map[string]int
	embeddings int
	at         map[string][]time.Time
}

func newModel(t *testing.T) *model {
	t.Helper()
	m := &model{requests: map[string]int{}, at: map[string][]time.Time{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/embeddings", m.serveEmbeddings)
	mux.HandleFunc("POST /v1/chat/completions", m.serveChat)
	m.Server = httptest.NewServer(mux)
	t.Cleanup(m.Close)
	return m
}

func (m *model) newProvider(t *testing.T) assistance.Provider {
	t.Helper()
	c, err := assistance.NewClient(assistance.Config{
		BaseURL: m.URL + "/v1", Key: domain.NewSecret(providerKey), ChatModel: "chat", Embeddings: "embeddings",
		ChatTimeout: 2 * time.Second, Clock: time.Now,
	})
	require.NoError(t, err)
	return c
}

func (m *model) serveEmbeddings(w http.ResponseWriter, r *http.Request) {
	var in struct{ Input []string }
	_ = json.NewDecoder(r.Body).Decode(&in)
	m.mu.Lock()
	m.embeddings += len(in.Input)
	m.mu.Unlock()
	vectors, err := assistance.Builtin{}.Embed(r.Context(), in.Input)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	type datum struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	out := struct {
		Data []datum `json:"data"`
	}{}
	for i, vector := range vectors {
		out.Data = append(out.Data, datum{i, vector})
	}
	writeAnswer(w, out)
}

func (m *model) serveChat(w http.ResponseWriter, r *http.Request) {
	var in struct{ Messages []assistance.Message }
	_ = json.NewDecoder(r.Body).Decode(&in)
	prompt := in.Messages[len(in.Messages)-1].Content
	name, _, _ := strings.Cut(prompt, " ")
	m.mu.Lock()
	m.requests[name]++
	n := m.requests[name]
	m.at[name] = append(m.at[name], time.Now())
	m.mu.Unlock()
	say := func(content, reason string) {
		writeAnswer(w, map[string]any{"model": "chat-1", "choices": []any{map[string]any{
			"finish_reason": reason, "message": map[string]any{"content": content},
		}}})
	}
	fail := func(status int, retryAfter string) {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":{"message":"the words of the provider, %s"}}`, providerKey)
	}
	switch {
	case name == "down" || name == "mended" && n == 1:
		fail(http.StatusServiceUnavailable, "")
	case name == "limited", name == "busy" && n == 1:
		fail(http.StatusTooManyRequests, map[string]string{"limited": "3600", "busy": "3"}[name])
	case name == "slow", name == "hesitant" && n == 1:
		<-r.Context().Done()
	case name == "malformed":
		_, _ = w.Write([]byte(`{"choices":[{"message":`))
	case name == "truncated":
		say("The loan", "length")
	case name == "unauthorized":
		fail(http.StatusUnauthorized, "")
	default:
		say("An answer about "+prompt, "stop")
	}
}

func writeAnswer(w http.ResponseWriter, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(text)
}

func (m *model) requestCount(name string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.requests[name]
}

// enableAssistance enables assistance for all tasks of the floor.
func (f *fixture) enableAssistance(t *testing.T) {
	t.Helper()
	f.execStatement(t, `UPDATE item_definition_versions
		SET spec = '{"assistance":{"prompt":"{{ data.CASE }} is the case","answer":"SUGGESTION"}}'`)
}

func (f *fixture) execStatement(t *testing.T, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), f.url)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	_, err = conn.Exec(t.Context(), sql)
	require.NoError(t, err)
}

// startRun starts a run on a new task and returns its key.
func (f *fixture) startRun(t *testing.T, name string) domain.AssistanceKey {
	t.Helper()
	p := f.Create(t, f.Service, "loan")
	item := f.Task(t, f.Service, p, true)
	document, err := f.UploadProcessDocument(t.Context(), f.Call, p.ID,
		storage.File{Name: "a.txt", ContentType: "text/plain", Body: strings.NewReader("A secret of " + name + ".")})
	require.NoError(t, err)
	data, err := json.Marshal(map[string]string{"CASE": name, "A": app.DocumentURI(document)})
	require.NoError(t, err)
	_, err = f.UpdateProcessItemTaskData(t.Context(), f.Call, item.ID, data)
	require.NoError(t, err)
	run, begun, err := f.GenerateProcessItemAIAssistance(t.Context(), f.Call, item.ID, uuid.New())
	require.NoError(t, err)
	require.True(t, begun)
	return run.AssistanceKey
}

func (f *fixture) awaitRun(t *testing.T, key domain.AssistanceKey) *domain.AssistanceRun {
	t.Helper()
	var run *domain.AssistanceRun
	require.Eventually(t, func() bool {
		var err error
		run, err = f.RetrieveProcessItemAIAssistance(t.Context(), f.Call, key.ItemID)
		require.NoError(t, err)
		return run.State != domain.AssistancePending
	}, timeout, 50*time.Millisecond)
	return run
}

func TestRunsOfAssistance(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	f := newFixture(t, func(o *app.Options) { o.Assistance, o.AssistanceTime = m.newProvider(t), runTime })
	f.enableAssistance(t)
	f.startComponents(t)
	// The run is requested while Temporal is down.
	early := f.startRun(t, "early")
	f.execStatement(t, "UPDATE item_assistance SET deadline = deadline + interval '1 minute'")
	f.stack.Start()
	require.Equal(t, domain.AssistanceCompleted, f.awaitRun(t, early).State)

	for name, want := range map[string]struct {
		state domain.AssistanceState
		code  string
		// calls is the number of requests to the model, 0 for several.
		calls int
	}{
		"fine":         {state: domain.AssistanceCompleted, calls: 1},
		"mended":       {state: domain.AssistanceCompleted, calls: 2},
		"busy":         {state: domain.AssistanceCompleted, calls: 2},
		"hesitant":     {state: domain.AssistanceCompleted, calls: 2},
		"down":         {state: domain.AssistanceFailed, code: "PROVIDER_UNAVAILABLE"},
		"slow":         {state: domain.AssistanceFailed, code: "TIMEOUT"},
		"limited":      {state: domain.AssistanceFailed, code: "RATE_LIMITED", calls: 1},
		"malformed":    {state: domain.AssistanceFailed, code: "INVALID_ANSWER", calls: 1},
		"truncated":    {state: domain.AssistanceFailed, code: "TRUNCATED", calls: 1},
		"unauthorized": {state: domain.AssistanceFailed, code: "PROVIDER_UNAUTHORIZED", calls: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			key := f.startRun(t, name)
			run := f.awaitRun(t, key)
			require.Equal(t, want.state, run.State, "%s: %s", run.ErrorCode, run.ErrorMessage)
			require.Equal(t, want.code, run.ErrorCode)
			if want.calls > 0 {
				require.Equal(t, want.calls, m.requestCount(name))
			}
			took := run.FinishedAt.Sub(run.StartedAt)
			require.Less(t, took, runTime+5*time.Second)
			switch name {
			case "fine":
				require.Equal(t, "chat-1", run.Model)
				require.Contains(t, run.Text, "A secret of fine.", "the document was read")
			case "busy":
				require.Greater(t, m.at[name][1].Sub(m.at[name][0]), 2900*time.Millisecond, "it was left alone")
			case "limited":
				require.Less(t, took, runTime/2, "there is no use in waiting")
			case "down":
				require.Greater(t, m.requestCount(name), 2)
				require.Contains(t, run.ErrorMessage, "503")
			}
			require.NotContains(t, run.ErrorMessage, providerKey)
			f.requireIDsOnly(t, key, name)
			f.requireNoKey(t)
		})
	}
}

// requireIDsOnly requires that the history contains ids only, no content of the
// run.
func (f *fixture) requireIDsOnly(t *testing.T, key domain.AssistanceKey, name string) {
	t.Helper()
	c := f.stack.Client(engine.DefaultNamespace)
	require.NoError(t, c.GetWorkflow(t.Context(), key.WorkflowID(), "").Get(t.Context(), nil))
	history := historyOf(t, c, key.WorkflowID())
	payload := regexp.MustCompile(`"data": *"([^"]*)"`)
	for _, event := range history.Events {
		text, err := protojson.Marshal(event)
		require.NoError(t, err)
		recorded := string(text)
		for _, found := range payload.FindAllStringSubmatch(recorded, -1) {
			decoded, err := base64.StdEncoding.DecodeString(found[1])
			require.NoError(t, err)
			recorded += string(decoded)
		}
		for _, word := range []string{"secret of", "is the case", "An answer", "words of the provider", providerKey} {
			require.NotContains(t, recorded, word)
		}
	}
	if *update && (name == "fine" || name == "limited") {
		writeHistory(t, "assistance_"+name+".json", history)
	}
}

func historyOf(t *testing.T, c client.Client, id string) *historypb.History {
	t.Helper()
	history := &historypb.History{}
	events := c.GetWorkflowHistory(t.Context(), id, "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		require.NoError(t, err)
		history.Events = append(history.Events, event)
	}
	return history
}

// requireNoKey requires that the provider's key is nowhere in the database, even
// if the provider's answer contains it.
func (f *fixture) requireNoKey(t *testing.T) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), f.url)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	rows, err := conn.Query(t.Context(), `SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'`)
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	for _, table := range tables {
		var found int
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM `+pgx.Identifier{table}.Sanitize()+
			` t WHERE t::text LIKE '%'||$1||'%'`, providerKey).Scan(&found))
		require.Zero(t, found, table)
	}
}
