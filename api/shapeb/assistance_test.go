package shapeb_test

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

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/assistance"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

// assistAtOnce asks for assistance at the same time, once for each request, and counts
// the answers by their status.
func assistAtOnce(s *apitest.Service, task uuid.UUID, requests []uuid.UUID) map[int]int {
	s.T.Helper()
	counts := map[int]int{}
	var mu sync.Mutex
	var group sync.WaitGroup
	for _, id := range requests {
		r := apitest.Request(s.T, demo.LoanWorker(), http.MethodPost, apitest.ItemPath(task, apitest.AssistanceAction), apitest.AssistanceBody(id))
		group.Go(func() {
			got, err := s.Exchange(r)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				s.T.Error(err)
			}
			counts[got.Status]++
			if got.Status == 409 && !strings.Contains(got.Body, `"AI_RUN_PENDING"`) {
				s.T.Error(got.Body)
			}
		})
	}
	group.Wait()
	return counts
}

// The table of the specification, section 3.3.
func TestAssistanceTriggers(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	task := s.Approval()
	worker := demo.LoanWorker()
	s.Refused(404, "NOT_FOUND", worker, "GET", apitest.ItemPath(task, apitest.AssistanceAction), "")

	different := make([]uuid.UUID, 200)
	same := make([]uuid.UUID, 200)
	one := uuid.New()
	for i := range different {
		different[i], same[i] = uuid.New(), one
	}
	require.Equal(t, map[int]int{202: 1, 409: 199}, assistAtOnce(s, task, different))
	require.NoError(t, s.CarryOut(task))
	require.EqualValues(t, 1, s.Provider.Asked.Load())
	first := s.RunOf(worker, task)
	require.Equal(t, oasb.ProcessItemAiAssistanceStateCOMPLETED, first.State)

	// The same record, replaced.
	require.Equal(t, map[int]int{202: 1, 200: 199}, assistAtOnce(s, task, same))
	require.Equal(t, one, s.RunOf(worker, task).RequestID)
	s.Refused(409, "AI_RUN_PENDING", worker, "POST", apitest.ItemPath(task, apitest.AssistanceAction), apitest.AssistanceBody(first.RequestID))
	require.NoError(t, s.CarryOut(task))
	require.EqualValues(t, 2, s.Provider.Asked.Load())
	require.Equal(t, oasb.ProcessItemAiAssistanceStateCOMPLETED, s.Assist(200, worker, task, one).State)
	require.ErrorIs(t, s.CarryOut(task), app.ErrAssistanceOver)
	require.EqualValues(t, 2, s.Provider.Asked.Load())

	// A run that has failed makes room as well, for a request that was refused before.
	s.Assist(202, worker, task, first.RequestID)
	key := domain.AssistanceKey{ItemID: task, Run: 3}
	require.NoError(t, s.App.FailAssistance(t.Context(), key, "INTERNAL"))
	require.Equal(t, oasb.ProcessItemAiAssistanceStateFAILED, s.Assist(200, worker, task, first.RequestID).State)
	s.Assist(202, worker, task, uuid.New())
	// Late results of a run that was replaced are ignored.
	before := s.Snapshot()
	require.NoError(t, s.App.FailAssistance(t.Context(), key, "INTERNAL"))
	require.ErrorIs(t, s.App.FinishAssistance(t.Context(), key), app.ErrAssistanceOver)
	require.Equal(t, before, s.Snapshot())
	require.Equal(t, 1, s.Count("SELECT count(*) FROM item_assistance"))
}

// The members of a run depend on its state.
func TestMembersOfARunDependOnItsState(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	worker := demo.LoanWorker()
	members := func(task uuid.UUID) []string {
		var names []string
		for name := range apitest.Decode[map[string]any](t, s.Get(200, worker, apitest.ItemPath(task, apitest.AssistanceAction))) {
			names = append(names, name)
		}
		return names
	}
	task := s.Approval()
	s.Assist(202, worker, task, uuid.New())
	require.ElementsMatch(t, []string{
		"requestId", "state", "startedAt", "embeddingPending", "embeddingProcessing", "retryAfterSeconds",
	}, members(task))
	require.EqualValues(t, 2, *s.RunOf(worker, task).RetryAfterSeconds)
	s.Ticks.Add(60_000)
	require.InDelta(t, 15, *s.RunOf(worker, task).RetryAfterSeconds, 1)
	s.Ticks.Add(300_000)
	require.EqualValues(t, 30, *s.RunOf(worker, task).RetryAfterSeconds)
	require.NoError(t, s.CarryOut(task))
	require.ElementsMatch(t, []string{
		"requestId", "state", "startedAt", "finishedAt", "model", "finishReason", "answer",
	}, members(task))
	run := s.RunOf(worker, task)
	require.Equal(t, assistance.BuiltinModel, *run.Model)
	require.Equal(t, "stop", *run.FinishReason)
	require.Equal(t, oasb.ProcessItemAiAssistanceAnswerTypeSUGGESTION, run.Answer.Type)

	s.Assist(202, worker, task, uuid.New())
	require.NoError(t, s.App.FailAssistance(t.Context(), domain.AssistanceKey{ItemID: task, Run: 2}, "TIMEOUT"))
	require.ElementsMatch(t, []string{
		"requestId", "state", "startedAt", "finishedAt", "errorCode", "errorMessage",
	}, members(task))
	require.Equal(t, "TIMEOUT", *s.RunOf(worker, task).ErrorCode)
}

func TestAssistanceIsOffUnlessConfigured(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	worker := demo.LoanWorker()
	process := s.Loan().ID
	note := apitest.Decode[oasb.ProcessItem](t, s.Post(201, worker, "/process-items", `{"type":"MESSAGE","processId":"`+
		process.String()+`","message":{"text":"t"}}`)).ID
	s.Refused(409, "FEATURE_DISABLED", worker, "POST", apitest.ItemPath(note, apitest.AssistanceAction), apitest.AssistanceBody(uuid.New()))
	survey := s.Item(s.Process(demo.Alice(), s.Surveys()).ID, "VISIT", apitest.OwnedBy(demo.Alice())).ID
	s.Refused(409, "FEATURE_DISABLED", demo.Alice(), "POST", apitest.ItemPath(survey, apitest.AssistanceAction), apitest.AssistanceBody(uuid.New()))

	task, request := s.Approval(), uuid.New()
	off := withoutFeatures(s)
	off.Refused(409, "FEATURE_DISABLED", worker, "POST", apitest.ItemPath(task, apitest.AssistanceAction), apitest.AssistanceBody(request))
	off.Refused(404, "NOT_FOUND", worker, "GET", apitest.ItemPath(task, apitest.AssistanceAction), "")
	for _, path := range []string{
		apitest.ItemPath(task, apitest.FormsAction+"?propertyPath="),
		apitest.TaskPathA(task, "/~actions/download-element-value-form-rendered?elementDefinitionCode=REPORT"),
	} {
		off.Refused(409, "FEATURE_DISABLED", worker, "GET", path, "")
	}
	// After FEATURE_DISABLED, existing runs can still be read and go on to
	// their end.
	s.Assist(202, worker, task, request)
	off.Assist(200, worker, task, request)
	key := domain.AssistanceKey{ItemID: task, Run: 1}
	code, _ := app.AssistanceFault(off.App.ReadAssistanceDocuments(t.Context(), key))
	require.Equal(t, "FEATURE_DISABLED", code)
	require.NoError(t, off.App.FailAssistance(t.Context(), key, code))
	require.Equal(t, "FEATURE_DISABLED", *off.RunOf(worker, task).ErrorCode)
}

// A run reads the documents of the task, reports unreadable ones, and embeds each content
// once.
func TestAssistanceReadsDocuments(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	worker := demo.LoanWorker()
	task := s.Approval()
	process := apitest.ProcessPath(s.RetrieveItem(task).ProcessID, "")
	text := s.UploadAs(worker, process, "text/plain", "income.txt", "Ada earns 5,000 a month. She has no debts.")
	broken := s.UploadAs(worker, process, "application/pdf", "broken.pdf", "%PDF-1.4 and no more")
	picture := s.UploadAs(worker, process, "image/png", "me.png", "png")
	s.Call(200, worker, http.MethodPut, apitest.ItemPath(task, "/task/data"), `{"data":{"value":{"LAST_NAME":"Love<lace>","A":"`+text+
		`","B":["`+broken+`",{"C":"`+picture+`"}],"D":"`+text+`","E":"`+
		strings.Replace(text, apitest.DocumentOf(t, text).String(), uuid.NewString(), 1)+`"}}}`)
	s.UploadPhoto(worker, task, "A photo that is text.", nil)
	s.Assist(202, worker, task, uuid.New())
	require.NoError(t, s.CarryOut(task))
	run := s.RunOf(worker, task)
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
	embedded := s.Provider.Embedded.Load()
	require.EqualValues(t, 3, embedded, "two passages and the prompt")
	require.Contains(t, s.Provider.Last.Prompt, "Love<lace>")

	s.Assist(202, worker, task, uuid.New())
	require.NoError(t, s.CarryOut(task))
	require.Equal(t, embedded+1, s.Provider.Embedded.Load(), "only the prompt is embedded again")
	require.Equal(t, 2, s.Count("SELECT count(*) FROM document_embeddings WHERE vector IS NOT NULL"))

	// The prompts and answers of both runs are stored.
	require.Equal(t, 2, s.Count(`SELECT count(*) FROM assistance_calls
		WHERE item_id = $1 AND messages::text LIKE '%Ada earns%' AND answer_text LIKE '%Ada earns%' AND request IS NULL`, task))
	require.NoError(t, s.App.ForgetUnusedPassages(t.Context()))
	require.Equal(t, 2, s.Count("SELECT count(*) FROM document_embeddings"))
	deleteRows(s, "document_links", "true")
	deleteRows(s, "documents", "name = 'income.txt'")
	require.NoError(t, s.App.ForgetUnusedPassages(t.Context()))
	require.Equal(t, 1, s.Count("SELECT count(*) FROM document_embeddings"))
}

// A step that was done is not done again when the run is taken up in the middle.
func TestStepsOfAssistanceAreDoneOnce(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	task := s.Approval()
	s.Assist(202, demo.LoanWorker(), task, uuid.New())
	s.Provider.Answers(func(assistance.Request) (assistance.Answer, error) {
		return assistance.Answer{}, &assistance.Error{Code: assistance.CodeUnavailable, Message: "gone"}
	})
	err := s.CarryOut(task)
	code, message := app.AssistanceFault(err)
	require.Equal(t, "PROVIDER_UNAVAILABLE", code)
	require.Equal(t, "gone", message)
	s.Provider.Answers(nil)
	key := domain.AssistanceKey{ItemID: task, Run: 1}
	require.NoError(t, s.App.AskAssistanceModel(t.Context(), key))
	require.NoError(t, s.App.AskAssistanceModel(t.Context(), key))
	require.EqualValues(t, 2, s.Provider.Asked.Load())
	s.Provider.Answers(func(assistance.Request) (assistance.Answer, error) {
		return assistance.Answer{}, errors.New("not asked again")
	})
	require.NoError(t, s.CarryOut(task))
}

// Unfinished runs are ended at their deadline.
func TestOverdueRunsTimeOut(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	task := s.Approval()
	s.Assist(202, demo.LoanWorker(), task, uuid.New())
	due, err := s.App.DispatchAssistance(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, due, 1)
	require.Equal(t, domain.AssistanceKey{ItemID: task, Run: 1}, due[0].AssistanceKey)
	again, err := s.App.DispatchAssistance(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, again, "a starter holds it")
	s.Ticks.Add(11_000)
	again, err = s.App.DispatchAssistance(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, due, again, "it was not said to be started")
	s.Ticks.Add(11_000)
	again, err = s.App.DispatchAssistance(t.Context(), due)
	require.NoError(t, err)
	require.Empty(t, again)
	require.NoError(t, s.App.NoteAssistanceFault(t.Context(), due[0].AssistanceKey, "RATE_LIMITED", "too many requests"))
	s.Ticks.Add(600_000)
	_, err = s.App.DispatchAssistance(t.Context(), nil)
	require.NoError(t, err)
	run := s.RunOf(demo.LoanWorker(), task)
	require.Equal(t, oasb.ProcessItemAiAssistanceStateFAILED, run.State)
	require.Equal(t, "TIMEOUT", *run.ErrorCode)
	require.Contains(t, *run.ErrorMessage, "too many requests")
}

func TestBodiesOfAssistance(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	worker := demo.LoanWorker()
	task := s.Approval()
	process := apitest.ProcessPath(s.RetrieveItem(task).ProcessID, "")
	text := s.UploadAs(worker, process, "text/plain", "income.txt", "Ada Lovelace earns 5,000 a month.")
	picture := s.UploadAs(worker, process, "image/png", "me.png", "png")
	saveData(s, worker, task, `{"FIRST_NAME":"Ada","LAST_NAME":"Lovelace","A":"`+text+`","B":"`+picture+`"}`)
	see := func(name string) {
		apitest.RequireGolden(t, "ai_assistance_"+name, s.Get(200, worker, apitest.ItemPath(task, apitest.AssistanceAction)))
	}
	s.Assist(202, worker, task, uuid.MustParse("01970000-0000-7000-8000-000000000001"))
	see("pending")
	require.NoError(t, s.CarryOut(task))
	see("completed")
	s.Assist(202, worker, task, uuid.MustParse("01970000-0000-7000-8000-000000000002"))
	key := domain.AssistanceKey{ItemID: task, Run: 2}
	require.NoError(t, s.App.NoteAssistanceFault(t.Context(), key, "RATE_LIMITED", "the provider was too many requests"))
	require.NoError(t, s.App.FailAssistance(t.Context(), key, "RATE_LIMITED"))
	see("failed")
}

// Messages and threads are helped with as tasks are, but for drafts.
func TestAssistanceWithMessagesAndThreads(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	definition := uuid.New()
	s.Define(apitest.Document("demo", "DataStructure", "PERSON", `{"name":"Person","schema":{}}`))
	s.Define(apitest.Identified("demo", "ProcessDefinition", "NOTES", definition, `{"name":"Notes","metadataSchema":{},"dataStructures":["PERSON"],"items":[
		{"code":"NOTE","type":"MESSAGE","name":"Note","assistance":{"prompt":"{{ text }}, {{ data.NAME }} and {{ metadata.M }}"}},
		{"code":"TALK","type":"THREAD","name":"Talk","assistance":{"prompt":"What about {{ metadata.M }}?"}}],
		"permissions":{"initiators":[{"user":"alice"}],"managers":[{"user":"alice"}],"viewers":[{"user":"bob"}]}}`))
	process := apitest.Decode[oasb.Process](t, s.Post(201, demo.Alice(), "/processes",
		`{"processDefinitionId":"`+definition.String()+`","metadata":{"value":{"M":"metadata"}}}`)).ID
	file := s.UploadAs(demo.Alice(), apitest.ProcessPath(process, ""), "text/plain", "income.txt", "Ada earns 5,000 a month.")
	create := func(kind, code, more string) uuid.UUID {
		t.Helper()
		return apitest.Decode[oasb.ProcessItem](t, s.Post(201, demo.Alice(), "/process-items", `{"type":"`+kind+`","processId":"`+
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
		s.Refused(404, "NOT_FOUND", demo.Alice(), "GET", apitest.ItemPath(item, apitest.AssistanceAction), "")
		s.Refused(403, "ACCESS_DENIED", demo.Bob(), "POST", apitest.ItemPath(item, apitest.AssistanceAction), apitest.AssistanceBody(uuid.New()))
		request := uuid.New()
		s.Assist(202, demo.Alice(), item, request)
		s.Assist(200, demo.Alice(), item, request)
		s.Refused(409, "AI_RUN_PENDING", demo.Alice(), "POST", apitest.ItemPath(item, apitest.AssistanceAction), apitest.AssistanceBody(uuid.New()))
		require.NoError(t, s.CarryOut(item))
		require.Contains(t, s.Provider.Last.Prompt, want.prompt)
		run := s.RunOf(demo.Bob(), item)
		require.Equal(t, oasb.ProcessItemAiAssistanceStateCOMPLETED, run.State)
		require.Len(t, run.Documents, want.documents)
		require.NotEmpty(t, run.Answer.Text)
	}
}

// withoutFeatures returns the service without any feature enabled.
func withoutFeatures(s *apitest.Service) *apitest.Service {
	s.T.Helper()
	bare, options := *s, s.Options
	bare.App = app.New(app.Options{
		Store: storage.New(storage.Options{DB: s.DB, Clock: s.Now}), TaskLogLimit: apitest.LogLimit, Documents: s.Documents,
	})
	options.Service = bare.App
	bare.Handler = apitest.Handler(s.T, options)
	bare.Client = contracttest.Client(contracttest.InProcess(bare.Handler), slices.Collect(maps.Values(apitest.Contracts))...)
	return &bare
}

// deleteRows deletes rows.
func deleteRows(s *apitest.Service, table, condition string) {
	s.T.Helper()
	conn := s.Connect()
	defer func() { _ = conn.Close(s.T.Context()) }()
	_, err := conn.Exec(s.T.Context(), "DELETE FROM "+table+" WHERE "+condition)
	require.NoError(s.T, err)
}
