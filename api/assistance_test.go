package api_test

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/assistance"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/internal/testkit/contracttest"
)

// approval is a task of a loan that the loan worker owns.
func (s *service) approval() uuid.UUID {
	s.t.Helper()
	return s.item(s.loan().ID, "APPROVE_LOAN", ownedBy(demo.LoanWorker())).ID
}

// assistAtOnce asks for assistance at the same time, once for each request, and counts
// the answers by their status.
func (s *service) assistAtOnce(task uuid.UUID, requests []uuid.UUID) map[int]int {
	s.t.Helper()
	counts := map[int]int{}
	var mu sync.Mutex
	var group sync.WaitGroup
	for _, id := range requests {
		r := request(s.t, demo.LoanWorker(), http.MethodPost, itemPath(task, assistanceAction), assistanceBody(id))
		group.Go(func() {
			got, err := s.exchange(r)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				s.t.Error(err)
			}
			counts[got.status]++
			if got.status == 409 && !strings.Contains(got.body, `"AI_RUN_PENDING"`) {
				s.t.Error(got.body)
			}
		})
	}
	group.Wait()
	return counts
}

// The table of the specification, section 3.3.
func TestAssistanceTriggers(t *testing.T) {
	t.Parallel()
	s := newService(t)
	task := s.approval()
	worker := demo.LoanWorker()
	s.refused(404, "NOT_FOUND", worker, "GET", itemPath(task, assistanceAction), "")

	different := make([]uuid.UUID, 200)
	same := make([]uuid.UUID, 200)
	one := uuid.New()
	for i := range different {
		different[i], same[i] = uuid.New(), one
	}
	require.Equal(t, map[int]int{202: 1, 409: 199}, s.assistAtOnce(task, different))
	require.NoError(t, s.carryOut(task))
	require.EqualValues(t, 1, s.provider.asked.Load())
	first := s.runOf(worker, task)
	require.Equal(t, oasb.ProcessItemAiAssistanceStateCOMPLETED, first.State)

	// The same record, replaced.
	require.Equal(t, map[int]int{202: 1, 200: 199}, s.assistAtOnce(task, same))
	require.Equal(t, one, s.runOf(worker, task).RequestID)
	s.refused(409, "AI_RUN_PENDING", worker, "POST", itemPath(task, assistanceAction), assistanceBody(first.RequestID))
	require.NoError(t, s.carryOut(task))
	require.EqualValues(t, 2, s.provider.asked.Load())
	require.Equal(t, oasb.ProcessItemAiAssistanceStateCOMPLETED, s.assist(200, worker, task, one).State)
	require.ErrorIs(t, s.carryOut(task), app.ErrAssistanceOver)
	require.EqualValues(t, 2, s.provider.asked.Load())

	// A run that has failed makes room as well, for a request that was refused before.
	s.assist(202, worker, task, first.RequestID)
	key := domain.AssistanceKey{ItemID: task, Run: 3}
	require.NoError(t, s.app.FailAssistance(t.Context(), key, "INTERNAL"))
	require.Equal(t, oasb.ProcessItemAiAssistanceStateFAILED, s.assist(200, worker, task, first.RequestID).State)
	s.assist(202, worker, task, uuid.New())
	// Late results of a run that was replaced are ignored.
	before := s.snapshot()
	require.NoError(t, s.app.FailAssistance(t.Context(), key, "INTERNAL"))
	require.ErrorIs(t, s.app.FinishAssistance(t.Context(), key), app.ErrAssistanceOver)
	require.Equal(t, before, s.snapshot())
	require.Equal(t, 1, s.count("SELECT count(*) FROM item_assistance"))
}

// The members of a run depend on its state.
func TestWhatIsShownOfARun(t *testing.T) {
	t.Parallel()
	s := newService(t)
	worker := demo.LoanWorker()
	members := func(task uuid.UUID) []string {
		var names []string
		for name := range decode[map[string]any](t, s.get(200, worker, itemPath(task, assistanceAction))) {
			names = append(names, name)
		}
		return names
	}
	task := s.approval()
	s.assist(202, worker, task, uuid.New())
	require.ElementsMatch(t, []string{
		"requestId", "state", "startedAt", "embeddingPending", "embeddingProcessing", "retryAfterSeconds",
	}, members(task))
	require.EqualValues(t, 2, *s.runOf(worker, task).RetryAfterSeconds)
	s.ticks.Add(60_000)
	require.InDelta(t, 15, *s.runOf(worker, task).RetryAfterSeconds, 1)
	s.ticks.Add(300_000)
	require.EqualValues(t, 30, *s.runOf(worker, task).RetryAfterSeconds)
	require.NoError(t, s.carryOut(task))
	require.ElementsMatch(t, []string{
		"requestId", "state", "startedAt", "finishedAt", "model", "finishReason", "answer",
	}, members(task))
	run := s.runOf(worker, task)
	require.Equal(t, assistance.BuiltinModel, *run.Model)
	require.Equal(t, "stop", *run.FinishReason)
	require.Equal(t, oasb.ProcessItemAiAssistanceAnswerTypeSUGGESTION, run.Answer.Type)

	s.assist(202, worker, task, uuid.New())
	require.NoError(t, s.app.FailAssistance(t.Context(), domain.AssistanceKey{ItemID: task, Run: 2}, "TIMEOUT"))
	require.ElementsMatch(t, []string{
		"requestId", "state", "startedAt", "finishedAt", "errorCode", "errorMessage",
	}, members(task))
	require.Equal(t, "TIMEOUT", *s.runOf(worker, task).ErrorCode)
}

func TestAssistanceIsOffUnlessConfigured(t *testing.T) {
	t.Parallel()
	s := newService(t)
	worker := demo.LoanWorker()
	process := s.loan().ID
	note := decode[oasb.ProcessItem](t, s.post(201, worker, "/process-items", `{"type":"MESSAGE","processId":"`+
		process.String()+`","message":{"text":"t"}}`)).ID
	s.refused(409, "FEATURE_DISABLED", worker, "POST", itemPath(note, assistanceAction), assistanceBody(uuid.New()))
	survey := s.item(s.process(demo.Alice(), s.surveys()).ID, "VISIT", ownedBy(demo.Alice())).ID
	s.refused(409, "FEATURE_DISABLED", demo.Alice(), "POST", itemPath(survey, assistanceAction), assistanceBody(uuid.New()))

	task, request := s.approval(), uuid.New()
	off := s.withoutFeatures()
	off.refused(409, "FEATURE_DISABLED", worker, "POST", itemPath(task, assistanceAction), assistanceBody(request))
	off.refused(404, "NOT_FOUND", worker, "GET", itemPath(task, assistanceAction), "")
	for _, path := range []string{
		itemPath(task, formsAction+"?propertyPath="),
		taskPathA(task, "/~actions/download-element-value-form-rendered?elementDefinitionCode=REPORT"),
	} {
		off.refused(409, "FEATURE_DISABLED", worker, "GET", path, "")
	}
	// After FEATURE_DISABLED, existing runs can still be read and go on to
	// their end.
	s.assist(202, worker, task, request)
	off.assist(200, worker, task, request)
	key := domain.AssistanceKey{ItemID: task, Run: 1}
	code, _ := app.AssistanceFault(off.app.ReadAssistanceDocuments(t.Context(), key))
	require.Equal(t, "FEATURE_DISABLED", code)
	require.NoError(t, off.app.FailAssistance(t.Context(), key, code))
	require.Equal(t, "FEATURE_DISABLED", *off.runOf(worker, task).ErrorCode)
}

// A run reads the documents of the task, reports those that it cannot read, and
// embeds each content once.
func TestAssistanceReadsDocuments(t *testing.T) {
	t.Parallel()
	s := newService(t)
	worker := demo.LoanWorker()
	task := s.approval()
	process := processPath(s.retrieveItem(task).ProcessID, "")
	text := s.uploadAs(worker, process, "text/plain", "income.txt", "Ada earns 5,000 a month. She has no debts.")
	broken := s.uploadAs(worker, process, "application/pdf", "broken.pdf", "%PDF-1.4 and no more")
	picture := s.uploadAs(worker, process, "image/png", "me.png", "png")
	s.call(200, worker, http.MethodPut, itemPath(task, "/task/data"), `{"data":{"value":{"LAST_NAME":"Love<lace>","A":"`+text+
		`","B":["`+broken+`",{"C":"`+picture+`"}],"D":"`+text+`","E":"`+
		strings.Replace(text, documentOf(t, text).String(), uuid.NewString(), 1)+`"}}}`)
	s.uploadPhoto(worker, task, "A photo that is text.", nil)
	s.assist(202, worker, task, uuid.New())
	require.NoError(t, s.carryOut(task))
	run := s.runOf(worker, task)
	problems := map[string]string{}
	for _, d := range run.Documents {
		problems[d.Name] = ""
		if d.Problem != nil {
			problems[d.Name] = string(*d.Problem)
		}
	}
	require.Len(t, run.Documents, 5)
	require.Equal(t, map[string]string{"income.txt": "UNREADABLE", "broken.pdf": "BROKEN", "me.png": "UNSUPPORTED_TYPE", "note.txt": ""},
		problems, "of the two income.txt the last one is not there")
	require.Contains(t, run.Answer.Text, "Ada earns 5,000 a month.")
	embedded := s.provider.embedded.Load()
	require.EqualValues(t, 3, embedded, "two passages and the prompt")
	require.Contains(t, s.provider.last.Prompt, "Love<lace>")

	s.assist(202, worker, task, uuid.New())
	require.NoError(t, s.carryOut(task))
	require.Equal(t, embedded+1, s.provider.embedded.Load(), "only the prompt is embedded again")
	require.Equal(t, 2, s.count("SELECT count(*) FROM document_embeddings WHERE vector IS NOT NULL"))

	// The prompts and answers of both runs are stored.
	require.Equal(t, 2, s.count(`SELECT count(*) FROM assistance_calls
		WHERE item_id = $1 AND messages::text LIKE '%Ada earns%' AND answer_text LIKE '%Ada earns%' AND request IS NULL`, task))
	require.NoError(t, s.app.ForgetUnusedPassages(t.Context()))
	require.Equal(t, 2, s.count("SELECT count(*) FROM document_embeddings"))
	s.without("document_links", "true")
	s.without("documents", "name = 'income.txt'")
	require.NoError(t, s.app.ForgetUnusedPassages(t.Context()))
	require.Equal(t, 1, s.count("SELECT count(*) FROM document_embeddings"))
}

// A step that was done is not done again when the run is taken up in the middle.
func TestStepsOfAssistanceAreDoneOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	task := s.approval()
	s.assist(202, demo.LoanWorker(), task, uuid.New())
	s.provider.answers(func(assistance.Request) (assistance.Answer, error) {
		return assistance.Answer{}, &assistance.Error{Code: assistance.CodeUnavailable, Message: "gone"}
	})
	err := s.carryOut(task)
	code, message := app.AssistanceFault(err)
	require.Equal(t, "PROVIDER_UNAVAILABLE", code)
	require.Equal(t, "gone", message)
	s.provider.answers(nil)
	key := domain.AssistanceKey{ItemID: task, Run: 1}
	require.NoError(t, s.app.AskAssistanceModel(t.Context(), key))
	require.NoError(t, s.app.AskAssistanceModel(t.Context(), key))
	require.EqualValues(t, 2, s.provider.asked.Load())
	s.provider.answers(func(assistance.Request) (assistance.Answer, error) {
		return assistance.Answer{}, errors.New("not asked again")
	})
	require.NoError(t, s.carryOut(task))
}

// Unfinished runs are ended at their deadline.
func TestOverdueRunsTimeOut(t *testing.T) {
	t.Parallel()
	s := newService(t)
	task := s.approval()
	s.assist(202, demo.LoanWorker(), task, uuid.New())
	due, err := s.app.DispatchAssistance(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, due, 1)
	require.Equal(t, domain.AssistanceKey{ItemID: task, Run: 1}, due[0].AssistanceKey)
	again, err := s.app.DispatchAssistance(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, again, "a starter holds it")
	s.ticks.Add(11_000)
	again, err = s.app.DispatchAssistance(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, due, again, "it was not said to be started")
	s.ticks.Add(11_000)
	again, err = s.app.DispatchAssistance(t.Context(), due)
	require.NoError(t, err)
	require.Empty(t, again)
	require.NoError(t, s.app.NoteAssistanceFault(t.Context(), due[0].AssistanceKey, "RATE_LIMITED", "asked too often"))
	s.ticks.Add(600_000)
	_, err = s.app.DispatchAssistance(t.Context(), nil)
	require.NoError(t, err)
	run := s.runOf(demo.LoanWorker(), task)
	require.Equal(t, oasb.ProcessItemAiAssistanceStateFAILED, run.State)
	require.Equal(t, "TIMEOUT", *run.ErrorCode)
	require.Contains(t, *run.ErrorMessage, "asked too often")
}

func TestBodiesOfAssistance(t *testing.T) {
	t.Parallel()
	s := newService(t)
	worker := demo.LoanWorker()
	task := s.approval()
	process := processPath(s.retrieveItem(task).ProcessID, "")
	text := s.uploadAs(worker, process, "text/plain", "income.txt", "Ada Lovelace earns 5,000 a month.")
	picture := s.uploadAs(worker, process, "image/png", "me.png", "png")
	s.saveData(worker, task, `{"FIRST_NAME":"Ada","LAST_NAME":"Lovelace","A":"`+text+`","B":"`+picture+`"}`)
	see := func(name string) {
		requireGolden(t, "shape_b/ai_assistance_"+name, s.get(200, worker, itemPath(task, assistanceAction)))
	}
	s.assist(202, worker, task, uuid.MustParse("01970000-0000-7000-8000-000000000001"))
	see("pending")
	require.NoError(t, s.carryOut(task))
	see("completed")
	s.assist(202, worker, task, uuid.MustParse("01970000-0000-7000-8000-000000000002"))
	key := domain.AssistanceKey{ItemID: task, Run: 2}
	require.NoError(t, s.app.NoteAssistanceFault(t.Context(), key, "RATE_LIMITED", "the provider was asked too often"))
	require.NoError(t, s.app.FailAssistance(t.Context(), key, "RATE_LIMITED"))
	see("failed")
}

// Messages and threads are helped with as tasks are, but for drafts.
func TestAssistanceWithMessagesAndThreads(t *testing.T) {
	t.Parallel()
	s := newService(t)
	definition := uuid.New()
	s.define(document("demo", "DataStructure", "PERSON", `{"name":"Person","schema":{}}`))
	s.define(identified("demo", "ProcessDefinition", "NOTES", definition, `{"name":"Notes","metadataSchema":{},"dataStructures":["PERSON"],"items":[
		{"code":"NOTE","type":"MESSAGE","name":"Note","assistance":{"prompt":"{{ text }}, {{ data.NAME }} and {{ metadata.M }}"}},
		{"code":"TALK","type":"THREAD","name":"Talk","assistance":{"prompt":"What about {{ metadata.M }}?"}}],
		"permissions":{"initiators":[{"user":"alice"}],"managers":[{"user":"alice"}],"viewers":[{"user":"bob"}]}}`))
	process := decode[oasb.Process](t, s.post(201, demo.Alice(), "/processes",
		`{"processDefinitionId":"`+definition.String()+`","metadata":{"value":{"M":"metadata"}}}`)).ID
	file := s.uploadAs(demo.Alice(), processPath(process, ""), "text/plain", "income.txt", "Ada earns 5,000 a month.")
	create := func(kind, code, more string) uuid.UUID {
		t.Helper()
		return decode[oasb.ProcessItem](t, s.post(201, demo.Alice(), "/process-items", `{"type":"`+kind+`","processId":"`+
			process.String()+`","processItemDefinitionCode":"`+code+`"`+more+`}`)).ID
	}
	for item, want := range map[uuid.UUID]struct {
		prompt    string
		documents int
	}{
		create("MESSAGE", "NOTE", `,"message":{"text":"<text>","dataStructureDataDefinitionCode":"PERSON","data":{"value":{"NAME":"data","FILE":"`+
			file+`"}}}`): {"<text>, data and metadata", 1},
		create("THREAD", "TALK", ""): {"What about metadata?", 0},
	} {
		s.refused(404, "NOT_FOUND", demo.Alice(), "GET", itemPath(item, assistanceAction), "")
		s.refused(403, "ACCESS_DENIED", demo.Bob(), "POST", itemPath(item, assistanceAction), assistanceBody(uuid.New()))
		request := uuid.New()
		s.assist(202, demo.Alice(), item, request)
		s.assist(200, demo.Alice(), item, request)
		s.refused(409, "AI_RUN_PENDING", demo.Alice(), "POST", itemPath(item, assistanceAction), assistanceBody(uuid.New()))
		require.NoError(t, s.carryOut(item))
		require.Contains(t, s.provider.last.Prompt, want.prompt)
		run := s.runOf(demo.Bob(), item)
		require.Equal(t, oasb.ProcessItemAiAssistanceStateCOMPLETED, run.State)
		require.Len(t, run.Documents, want.documents)
		require.NotEmpty(t, run.Answer.Text)
	}
}

// withoutFeatures returns the service without any feature enabled.
func (s *service) withoutFeatures() *service {
	s.t.Helper()
	bare, options := *s, s.options
	bare.app = app.New(app.Options{
		Store: storage.New(storage.Options{DB: s.db, Clock: s.now}), TaskLogLimit: logLimit, Documents: s.documents,
	})
	options.Service = bare.app
	var err error
	bare.handler, err = api.NewRouter(options)
	require.NoError(s.t, err)
	bare.client = contracttest.Client(contracttest.InProcess(bare.handler), slices.Collect(maps.Values(contracts))...)
	return &bare
}

// without deletes rows.
func (s *service) without(table, condition string) {
	s.t.Helper()
	conn := s.connect()
	defer func() { _ = conn.Close(s.t.Context()) }()
	_, err := conn.Exec(s.t.Context(), "DELETE FROM "+table+" WHERE "+condition)
	require.NoError(s.t, err)
}
