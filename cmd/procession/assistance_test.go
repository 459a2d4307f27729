package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/assistance"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/formtest"
)

// newFeatureStack starts everything with changed settings.
func newFeatureStack(t *testing.T, change func(*testStack)) *testStack {
	t.Helper()
	s := newStack(t, false)
	s.stopService()
	change(s)
	s.startService()
	s.awaitReady()
	return s
}

// approval creates a task in which a loan is approved, with a document attached,
// and returns its path.
func (s *testStack) approval(contentType, name string, content []byte) string {
	s.t.Helper()
	process := s.loan()
	query := "/~actions/upload-document?" + url.Values{"fileContentType": {contentType}, "fileName": {name}}.Encode()
	answer, err := s.http.Do(s.documentRequest(s.t.Context(), http.MethodPost, process+query, bytes.NewReader(content)))
	require.NoError(s.t, err)
	defer func() { _ = answer.Body.Close() }()
	var stored struct{ DocumentURI string }
	require.NoError(s.t, json.NewDecoder(answer.Body).Decode(&stored))
	require.NotEmpty(s.t, stored.DocumentURI)
	status, item := s.call(demo.Alice(), http.MethodPost, "/process-items", map[string]any{
		"type": "TASK", "processId": strings.TrimPrefix(process, "/processes/"), "processItemDefinitionCode": "APPROVE_LOAN",
		"task": map[string]any{"data": map[string]any{"value": map[string]any{
			"FIRST_NAME": "Ada", "LAST_NAME": "Lovelace", "AMOUNT": 12000, "ATTACHMENT": stored.DocumentURI,
		}}},
	})
	require.Equal(s.t, http.StatusCreated, status, item)
	return "/process-items/" + field[string](s.t, item, "id")
}

// assist asks for assistance as Bob.
func (s *testStack) assist(task string) {
	s.t.Helper()
	status, body := s.call(demo.Bob(), http.MethodPost, task+"/~actions/ai-assistance", map[string]any{"requestId": uuid.New()})
	require.Equal(s.t, http.StatusAccepted, status, body)
}

// awaitAnswer waits until Bob's run is completed and returns it.
func (s *testStack) awaitAnswer(task string) map[string]any {
	s.t.Helper()
	var run map[string]any
	s.await("the run to end", func() bool {
		var status int
		status, run = s.call(demo.Bob(), http.MethodGet, task+"/~actions/ai-assistance", nil)
		return status == http.StatusOK && run["state"] != "PENDING"
	})
	require.Equal(s.t, "COMPLETED", run["state"], run)
	return run
}

// The built-in provider cites the document that is attached to the demo's
// approval, and its form can be downloaded as PDF.
func TestApprovalsAreAssisted(t *testing.T) {
	t.Parallel()
	s := newFeatureStack(t, func(s *testStack) { s.config.AssistanceBuiltin, s.config.FormsAsDocuments = true, true })
	formtest.RequirePool(t)
	statement := bombPDF("4 0 R", packedStream(t, "BT /F 10 Tf 50 700 Td (Ada Lovelace earns 5,000 EUR a month and asks for a loan.) Tj "+
		"0 -20 Td (It rained on Sunday.) Tj ET"), "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>")
	task := s.approval("application/pdf", "statement.pdf", statement)
	s.assist(task)
	run := s.awaitAnswer(task)
	require.Equal(t, assistance.BuiltinModel, run["model"])
	require.Contains(t, field[string](t, run, "answer", "text"), "Ada Lovelace earns 5,000 EUR a month")
	require.Contains(t, field[string](t, run, "answer", "text"), "statement.pdf")

	answer, err := s.http.Do(s.documentRequest(t.Context(), http.MethodGet,
		task+"/task/data/~actions/download-webforms-as-document?propertyPath=", nil))
	require.NoError(t, err)
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, "application/pdf", answer.Header.Get("Content-Type"), string(content))
	require.True(t, bytes.HasPrefix(content, []byte("%PDF-")))
}

// heldModel is a provider that answers when the test says so.
type heldModel struct {
	*httptest.Server
	mu                   sync.Mutex
	requests, embeddings int
	// reached receives each question; hold is called before each is answered.
	reached chan struct{}
	hold    func(n int)
}

func newHeldModel(t *testing.T) *heldModel {
	t.Helper()
	m := &heldModel{reached: make(chan struct{}, 10), hold: func(int) {}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /embeddings", func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Input []string }
		_ = json.NewDecoder(r.Body).Decode(&in)
		m.mu.Lock()
		m.embeddings += len(in.Input)
		m.mu.Unlock()
		vectors, _ := assistance.Builtin{}.Embed(r.Context(), in.Input)
		data := make([]map[string]any, len(vectors))
		for i, vector := range vectors {
			data[i] = map[string]any{"index": i, "embedding": vector}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
	})
	mux.HandleFunc("POST /chat/completions", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		m.mu.Lock()
		m.requests++
		n := m.requests
		m.mu.Unlock()
		m.reached <- struct{}{}
		m.hold(n)
		_, _ = io.WriteString(w, `{"model":"held","choices":[{"finish_reason":"stop","message":{"content":"An answer."}}]}`)
	})
	m.Server = httptest.NewServer(mux)
	t.Cleanup(m.Close)
	return m
}

func (m *heldModel) counts() (requests, embeddings int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.requests, m.embeddings
}

const modelKey = "sk-do-not-show"

// use points a stack at the provider.
func (m *heldModel) use(s *testStack) {
	keyFile := filepath.Join(s.dir, "model.key")
	require.NoError(s.t, os.WriteFile(keyFile, []byte(modelKey+"\n"), 0o600))
	s.config.AssistanceURL, s.config.AssistanceKeyFile = m.URL, keyFile
	s.config.AssistanceModel, s.config.AssistanceEmbeddingModel = "chat", "embeddings"
}

// A service that is killed during a model call repeats the call and no other step.
func TestKilledWhileTheModelThinks(t *testing.T) {
	t.Parallel()
	m := newHeldModel(t)
	s := newFeatureStack(t, m.use)
	released := make(chan struct{})
	defer close(released)
	m.hold = func(n int) {
		if n == 1 {
			<-released
		}
	}
	task := s.approval("text/plain", "a.txt", []byte("Ada earns 5,000 EUR."))
	s.assist(task)
	<-m.reached
	s.killService()
	_, embedded := m.counts()
	s.startService()
	require.Equal(t, "An answer.", field[string](t, s.awaitAnswer(task), "answer", "text"))
	requests, embeddedInAll := m.counts()
	require.Equal(t, 2, requests)
	require.Equal(t, embedded, embeddedInAll)
	s.requireNoKey()
}

// A service that is killed once the answer is there does not ask again.
func TestKilledAfterTheAnswer(t *testing.T) {
	t.Parallel()
	m := newHeldModel(t)
	s := newFeatureStack(t, m.use)
	conn, err := pgx.Connect(t.Context(), s.config.DatabaseURL)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	tx, err := conn.Begin(t.Context())
	require.NoError(t, err)
	locked := make(chan error, 10)
	m.hold = func(n int) {
		// The last step waits for this, the answer does not.
		if n == 1 {
			_, err := tx.Exec(context.Background(), "SELECT 1 FROM item_assistance FOR UPDATE")
			locked <- err
		}
	}
	task := s.approval("text/plain", "a.txt", []byte("Ada earns 5,000 EUR."))
	s.assist(task)
	<-m.reached
	require.NoError(t, <-locked)
	s.await("the answer to be kept", func() bool {
		var n int
		require.NoError(t, tx.QueryRow(t.Context(), "SELECT count(*) FROM assistance_calls WHERE answered_at IS NOT NULL").Scan(&n))
		return n == 1
	})
	s.killService()
	require.NoError(t, tx.Rollback(t.Context()))
	s.startService()
	require.Equal(t, "An answer.", field[string](t, s.awaitAnswer(task), "answer", "text"))
	requests, _ := m.counts()
	require.Equal(t, 1, requests)
	s.requireNoKey()
}

// requireNoKey requires that the service logs the key of the provider nowhere.
func (s *testStack) requireNoKey() {
	s.t.Helper()
	logged, err := os.ReadFile(filepath.Join(s.dir, "service.log"))
	require.NoError(s.t, err)
	require.NotEmpty(s.t, logged)
	require.NotContains(s.t, string(logged), modelKey)
}
