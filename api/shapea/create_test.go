package shapea_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasa "github.com/procession-dev/procession/api/shapea/oas"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// principalsByName maps each way to name a principal to the principal it names.
// Names without a principal have the location of the expected error.
func principalsByName() map[string]struct {
	member string
	named  uuid.UUID
	wrong  string
} {
	type row = struct {
		member string
		named  uuid.UUID
		wrong  string
	}
	bob, worker, stranger := demo.Bob().ID.String(), demo.LoanWorker().ID.String(), uuid.NewString()
	return map[string]row{
		"id":                     {`{"id":"` + bob + `"}`, demo.Bob().ID, ""},
		"id of an application":   {`{"id":"` + worker + `","type":"APPLICATION"}`, demo.LoanWorker().ID, ""},
		"user":                   {`{"user":{"id":"` + bob + `"}}`, demo.Bob().ID, ""},
		"e-mail":                 {`{"user":{"email":"BOB@demo.example"}}`, demo.Bob().ID, ""},
		"application":            {`{"application":{"id":"` + worker + `"}}`, demo.LoanWorker().ID, ""},
		"all of it":              {`{"id":"` + bob + `","type":"USER","name":"B","user":{"id":"` + bob + `","email":"bob@demo.example"}}`, demo.Bob().ID, ""},
		"unknown id":             {`{"id":"` + stranger + `"}`, uuid.Nil, "/id"},
		"unknown user":           {`{"user":{"id":"` + stranger + `"}}`, uuid.Nil, "/user/id"},
		"unknown e-mail":         {`{"user":{"email":"no@demo.example"}}`, uuid.Nil, "/user/email"},
		"unknown application":    {`{"application":{"id":"` + stranger + `"}}`, uuid.Nil, "/application/id"},
		"application as a user":  {`{"user":{"id":"` + worker + `"}}`, uuid.Nil, "/user/id"},
		"user as an application": {`{"application":{"id":"` + bob + `"}}`, uuid.Nil, "/application/id"},
		"two principals":         {`{"id":"` + bob + `","user":{"id":"` + worker + `"}}`, uuid.Nil, "/user/id"},
		"user and application":   {`{"user":{"email":"bob@demo.example"},"application":{"id":"` + worker + `"}}`, uuid.Nil, "/application"},
		"of another tenant":      {`{"id":"` + demo.OtherWorker().ID.String() + `"}`, uuid.Nil, "/id"},
	}
}

func TestInitiatorsOfNewProcesses(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	body := func(members string) string {
		return `{"processDefinition":{"id":"` + demo.Loan().String() + `"}` + members + `}`
	}
	for name, c := range principalsByName() {
		made := body(`,"initiator":` + c.member)
		if c.wrong != "" {
			failure := s.Refused(400, "VALIDATION", demo.LoanWorker(), "POST", apitest.ShapeA+"/processes", made)
			require.Equal(t, "/initiator"+c.wrong, failure.Errors[0].Location, name)
			continue
		}
		process := apitest.Decode[oasa.Process](t, s.Post(201, demo.LoanWorker(), apitest.ShapeA+"/processes", made))
		require.Equal(t, c.named, *process.Initiator.ID, name)
	}
	for _, none := range []string{"", `,"initiator":{}`, `,"initiator":{"type":"USER"}`} {
		process := apitest.Decode[oasa.Process](t, s.Post(201, demo.LoanWorker(), apitest.ShapeA+"/processes", body(none)))
		require.Equal(t, demo.LoanWorker().ID, *process.Initiator.ID)
		require.Equal(t, demo.LoanWorker().ID, *process.Initiator.Application.ID)
	}
}

func TestOwnersOfNewTasks(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	loan := s.Loan().ID
	for name, c := range principalsByName() {
		made := `{"processId":"` + loan.String() + `","taskDefinition":{"code":"LOAN_APPLICATION"},"owner":` + c.member + `}`
		if c.wrong != "" {
			failure := s.Refused(400, "VALIDATION", demo.LoanWorker(), "POST", apitest.ShapeA+"/tasks", made)
			require.Equal(t, "/owner"+c.wrong, failure.Errors[0].Location, name)
			continue
		}
		task := apitest.Decode[oasa.Task](t, s.Post(201, demo.LoanWorker(), apitest.ShapeA+"/tasks", made))
		require.Equal(t, c.named, *task.Owner.ID, name)
		require.Equal(t, oasa.TaskStateCLAIMED, *task.State)
	}
}

func TestDefinitionsOfNewTasks(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	loan := s.Loan().ID
	first := apitest.Decode[oasa.Task](t, s.Post(201, demo.LoanWorker(), apitest.ShapeA+"/tasks",
		`{"processId":"`+loan.String()+`","taskDefinition":{"code":"LOAN_APPLICATION"}}`))
	require.Equal(t, oasa.TaskStateREADY, *first.State)
	require.Equal(t, "Loan application", *first.TaskDefinition.Name)
	id, version := first.TaskDefinition.ID.String(), first.TaskDefinition.Version.String()
	for definition, status := range map[string]int{
		`{"id":"` + id + `"}`: 201, `{"version":"` + version + `"}`: 201,
		`{"id":"` + id + `","version":"` + version + `","code":"LOAN_APPLICATION","name":"Whatever"}`: 201,
		`{"id":"` + id + `","code":"APPROVE_LOAN"}`:                                                   404, `{"version":"` + uuid.NewString() + `"}`: 404,
		`{"id":"` + version + `"}`: 404, `{"code":"NOTE"}`: 404,
	} {
		got := s.Call(status, demo.LoanWorker(), "POST", apitest.ShapeA+"/tasks",
			`{"processId":"`+loan.String()+`","taskDefinition":`+definition+`}`)
		if status == 201 {
			require.Equal(t, first.TaskDefinition, apitest.Decode[oasa.Task](t, got).TaskDefinition)
		} else {
			require.Contains(t, got.Body, `"location":"/taskDefinition"`)
		}
	}
	unnamed := s.Refused(400, "VALIDATION", demo.LoanWorker(), "POST", apitest.ShapeA+"/tasks",
		`{"processId":"`+loan.String()+`","taskDefinition":{}}`)
	require.Equal(t, "/taskDefinition/id", unnamed.Errors[0].Location)
}

func TestVersionsOfNewProcesses(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	version := s.Loan().ProcessDefinitionRef.Version.String()
	body := func(version string) string {
		return `{"processDefinition":{"id":"` + demo.Loan().String() + `","version":"` + version + `"}}`
	}
	s.Post(201, demo.LoanWorker(), apitest.ShapeA+"/processes", body(version))
	s.Refused(409, "DEFINITION_NOT_PUBLISHED", demo.LoanWorker(), "POST", apitest.ShapeA+"/processes", body(uuid.NewString()))
}

// Repeating a creation through either shape makes no change.
func TestCreatingAgainThroughEitherShape(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process, task := uuid.NewString(), uuid.NewString()
	newA := `{"id":"` + process + `","subject":"S","processDefinition":{"id":"` + demo.Loan().String() + `"}}`
	newB := `{"id":"` + process + `","processDefinitionId":"` + demo.Loan().String() + `"}`
	taskA := `{"id":"` + task + `","processId":"` + process + `","taskDefinition":{"code":"LOAN_APPLICATION"}}`
	taskB := `{"id":"` + task + `","type":"TASK","processId":"` + process + `","processItemDefinitionCode":"LOAN_APPLICATION"}`
	created := s.Post(201, demo.LoanWorker(), apitest.ShapeA+"/processes", newA)
	item := s.Post(201, demo.LoanWorker(), "/process-items", taskB)
	before := s.Snapshot()
	require.Equal(t, created.Body, s.Post(200, demo.LoanWorker(), apitest.ShapeA+"/processes", strings.Replace(newA, `"S"`, `"T"`, 1)).Body)
	s.Post(200, demo.LoanWorker(), "/processes", newB)
	require.Equal(t, item.Body, s.Post(200, demo.LoanWorker(), "/process-items", taskB).Body)
	s.Post(200, demo.LoanWorker(), apitest.ShapeA+"/tasks", taskA)
	require.Equal(t, before, s.Snapshot())
}

func TestSubjects(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	surveys := s.Surveys()
	subject := func(id uuid.UUID) string {
		return *apitest.Decode[oasa.Process](t, s.Get(200, demo.Alice(), apitest.ProcessPathA(id, ""))).Subject
	}
	require.Equal(t, "Mine", *s.Survey(surveys, `,"subject":"Mine"`).Subject)
	for metadata, want := range map[string]string{
		`{"CITY":"Bern","SITE":{"NUMBER":1.50}}`:      "Survey of Bern (1.50)",
		`{"CITY":["x"],"SITE":7}`:                     "Survey of  ()",
		`{"CITY":"` + strings.Repeat("é", 300) + `"}`: "Survey of " + strings.Repeat("é", 245),
	} {
		made := apitest.Decode[oasb.Process](t, s.Post(201, demo.Alice(), "/processes",
			`{"processDefinitionId":"`+surveys.String()+`","metadata":{"value":`+metadata+`}}`))
		require.Equal(t, want, subject(made.ID))
	}
	require.Equal(t, "Onboarding", subject(s.Process(demo.Alice(), demo.Onboarding()).ID))
}

// A15 and A29 hold a document against the schema at the path.
func TestDocumentsAreValidatedAgainstTheirSchema(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	p := s.PairThroughA(s.Surveys())
	for name, c := range map[string]struct {
		task                    bool
		path, contentType, file string
		size, status            int
		code                    string
	}{
		"media type":              {false, "#/properties/PLAN", "application/pdf", "a.bin", 16, 200, ""},
		"extension":               {false, "/properties/PLAN", "application/octet-stream", "a.DWG", 1, 200, ""},
		"neither":                 {false, "#/properties/PLAN", "image/png", "a.png", 1, 400, "DOCUMENT_TYPE"},
		"too large":               {false, "#/properties/PLAN", "application/pdf", "a.pdf", 17, 413, "DOCUMENT_TOO_LARGE"},
		"by reference":            {false, "#/properties/OTHER", "image/png", "a.png", 4, 200, ""},
		"too large by reference":  {false, "#/properties/OTHER", "image/png", "a.png", 5, 413, "DOCUMENT_TOO_LARGE"},
		"where it is defined":     {false, "#/$defs/small", "image/png", "a.png", 5, 413, "DOCUMENT_TOO_LARGE"},
		"nowhere":                 {false, "#/properties/NONE", "image/png", "a.png", 1, 400, "VALIDATION"},
		"no document":             {false, "#/properties/NAME", "image/png", "a.png", 1, 400, "VALIDATION"},
		"no pointer":              {false, "properties.PLAN", "image/png", "a.png", 1, 400, "VALIDATION"},
		"no media type":           {false, "#/properties/PLAN", "pdf", "a.pdf", 1, 400, "VALIDATION"},
		"of a task":               {true, "#/properties/PHOTO", "image/png", "a.png", 99, 200, ""},
		"of a task, another type": {true, "#/properties/PHOTO", "text/plain", "a.txt", 1, 400, "DOCUMENT_TYPE"},
		"of a task, nowhere":      {true, "#/properties/PLAN", "image/png", "a.png", 1, 400, "VALIDATION"},
	} {
		query := url.Values{"schemaPath": {c.path}, "fileContentType": {c.contentType}, "fileName": {c.file}}
		path := apitest.UploadPathA(apitest.ProcessPathA(p.Process, ""), "save-entity-document", query)
		if c.task {
			path = apitest.UploadPathA(apitest.TaskPathA(p.Task, ""), "save-json-forms-value-document", query)
		}
		body := strings.Repeat("x", c.size)
		if c.status == 200 {
			stored := apitest.Decode[struct{ Value string }](t, s.Post(200, demo.Alice(), path, body)).Value
			require.True(t, strings.HasPrefix(stored, "kuflow-file:uri=ku:process/"+p.Process.String()), name)
			continue
		}
		s.Refused(c.status, c.code, demo.Alice(), "POST", path, body)
	}
	require.Equal(t, 4, s.Count("SELECT count(*) FROM documents"))
	// Where there is no schema, every path will do.
	loan := s.Loan().ID
	s.Post(200, demo.LoanWorker(), apitest.UploadPathA(apitest.ProcessPathA(loan, ""), "save-entity-document",
		url.Values{"schemaPath": {"#/properties/ANY"}}), "text")
	s.Post(200, demo.Alice(), apitest.ProcessPathA(p.Process, "/~actions/complete"), "")
	s.Refused(403, "PROCESS_FINISHED", demo.Alice(), "POST", apitest.UploadPathA(apitest.ProcessPathA(p.Process, ""), "save-entity-document",
		url.Values{"schemaPath": {"#/properties/OTHER"}}), "text")
	s.Post(200, demo.Alice(), apitest.UploadPathA(apitest.TaskPathA(p.Task, ""), "save-json-forms-value-document",
		url.Values{"schemaPath": {"#/properties/PHOTO"}, "fileContentType": {"image/png"}}), "of an open task")
}

func TestUserActionDocumentsThroughShapeA(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	loan := s.Loan().ID
	action := s.Invoke(demo.LoanWorker(), loan, apitest.InvokeReport).ID
	path := func(action uuid.UUID) string {
		return apitest.UploadPathA(apitest.ProcessPathA(loan, ""), "save-user-action-value-document", url.Values{"userActionValueId": {action.String()}})
	}
	process := apitest.Decode[oasa.Process](t, s.Post(200, demo.LoanWorker(), path(action), "text"))
	require.Equal(t, loan, *process.ID)
	require.Empty(t, s.Post(304, demo.LoanWorker(), path(action), "text").Body)
	s.Refused(404, "NOT_FOUND", demo.LoanWorker(), "POST", path(uuid.New()), "text")
	s.Refused(409, "INVALID_STATE", demo.LoanWorker(), "POST", path(s.Invoke(demo.LoanWorker(), loan, apitest.InvokeUserAction("NUDGE")).ID), "text")
}

func TestLogEntriesWithIDs(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	task := s.Item(s.Loan().ID, "LOAN_APPLICATION", apitest.OwnedBy(demo.Carol())).ID
	entry := `{"id":"` + uuid.NewString() + `","createdAt":"2020-01-02T03:04:05.123456789+01:00","message":"m","level":"ERROR"}`
	path := apitest.TaskPathA(task, "/~actions/append-log")
	logged := s.Post(200, demo.Carol(), path, entry)
	require.Contains(t, logged.Body, `"createdAt":"2020-01-02T02:04:05.123456Z"`)
	before := s.Snapshot()
	require.Equal(t, logged.Body, s.Post(200, demo.Carol(), path, entry).Body, "a repeated entry is not added twice")
	require.Equal(t, before, s.Snapshot())
	for range apitest.LogLimit {
		s.Post(200, demo.Carol(), path, `{"message":"n","level":"INFO"}`)
	}
	logs := apitest.Decode[oasa.Task](t, s.Get(200, demo.Carol(), apitest.TaskPathA(task, ""))).Logs
	require.Len(t, logs, apitest.LogLimit)
	require.Equal(t, "n", logs[0].Message)
}

func TestAuthenticationsOfShapeA(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	for _, request := range []string{"ENGINE", "ENGINE_TOKEN"} {
		issued := apitest.Decode[oasa.Authentication](t, s.Post(200, demo.LoanWorker(), apitest.ShapeA+"/authentications", `{"type":"`+request+`"}`))
		require.EqualValues(t, request, *issued.Type)
		require.Equal(t, oasa.AuditedObjectTypeAUTHENTICATION, *issued.ObjectType)
		require.NotEmpty(t, issued.EngineToken.Token)
		require.Equal(t, issued.EngineToken.Token, *issued.Token)
		require.Equal(t, issued.EngineToken.ExpiredAt, *issued.ExpiredAt)
		require.Nil(t, issued.EngineCertificate)
	}
	issued := apitest.Decode[oasa.Authentication](t, s.Post(200, demo.LoanWorker(), apitest.ShapeA+"/authentications",
		`{"type":"ENGINE_CERTIFICATE","token":"ignored"}`))
	require.Equal(t, "demo", issued.EngineCertificate.Namespace)
	require.Nil(t, issued.Token)
	require.Nil(t, issued.ExpiredAt)
	require.Nil(t, issued.EngineToken)
}

func TestWorkersOfEitherShape(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	body := `{"id":"` + uuid.NewString() + `","objectType":"WORKER","identity":"w","taskQueue":"QUEUE_INSPECTION","hostname":"h","ip":"127.0.0.1"}`
	first := s.Post(201, demo.LoanWorker(), apitest.ShapeA+"/workers", body)
	require.Equal(t, "300", first.Header.Get("X-KF-DELAY-WINDOW"))
	again := s.Post(200, demo.LoanWorker(), "/workers", body)
	require.Equal(t, *apitest.Decode[oasa.Worker](t, first).ID, *apitest.Decode[oasb.Worker](t, again).ID)
	require.Equal(t, oasa.AuditedObjectTypeWORKER, *apitest.Decode[oasa.Worker](t, s.Post(200, demo.LoanWorker(), apitest.ShapeA+"/workers", body)).ObjectType)
}
