package shapeb_test

import (
	"archive/zip"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// textOf returns the visible text of a PDF.
func textOf(t *testing.T, pdf string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "pdftotext", "-layout", "-", "-")
	cmd.Stdin = strings.NewReader(pdf)
	text, err := cmd.Output()
	require.NoError(t, err)
	return string(text)
}

// orders returns a process definition with a form.
func orders(s *apitest.Service) uuid.UUID {
	s.T.Helper()
	id := uuid.New()
	s.Define(apitest.Identified("demo", "ProcessDefinition", "ORDERS", id, `{"name":"Orders","subjectTemplate":"Order {{ NUMBER }}",`+
		`"metadataSchema":{"type":"object"},"items":[{"code":"FILL","type":"TASK","name":"Fill in",`+
		`"dataSchema":{"type":"object","properties":{"NAME":{"type":"string","title":"Full name"},`+
		`"SIZE":{"title":"Size","oneOf":[{"const":"S","title":"Small"},{"const":"L","title":"Large"}]},`+
		`"PHOTO":{"type":"string","format":"kuflow-file","title":"Photo"},`+
		`"PERSON":{"type":"object","title":"The person","properties":{"AGE":{"type":"integer","title":"Age"}}},`+
		`"LINES":{"type":"array","title":"Order line","items":{"type":"object","properties":{"WHAT":{"type":"string","title":"What"}}}}}},`+
		`"uiSchema":{"type":"VerticalLayout","elements":[{"type":"Control","scope":"#/properties/SIZE"},`+
		`{"type":"Control","scope":"#/properties/NAME","label":"Who"},{"type":"Control","scope":"#/properties/PHOTO"}]},`+
		`"candidates":[{"user":"bob"}]}],`+
		`"permissions":{"initiators":[{"user":"alice"}],"managers":[{"user":"alice"}]}}`))
	return id
}

// order returns a task of an order that Bob owns.
func order(s *apitest.Service, data string) oasb.ProcessItem {
	s.T.Helper()
	process := apitest.Decode[oasb.Process](s.T, s.Post(201, demo.Alice(), "/processes",
		`{"processDefinitionId":"`+orders(s).String()+`","metadata":{"value":{"NUMBER":17}}}`)).ID
	return apitest.Decode[oasb.ProcessItem](s.T, s.Post(201, demo.Alice(), "/process-items", `{"type":"TASK","processId":"`+
		process.String()+`","processItemDefinitionCode":"FILL"`+apitest.OwnedBy(demo.Bob())+`,"task":{"data":{"value":`+data+`}}}`))
}

func formPath(task uuid.UUID, pointer string) string {
	return apitest.ItemPath(task, apitest.FormsAction+"?"+url.Values{"propertyPath": {pointer}}.Encode())
}

// filesIn returns the texts of the PDFs in a ZIP, by their names.
func filesIn(t *testing.T, body string) map[string]string {
	t.Helper()
	archive, err := zip.NewReader(strings.NewReader(body), int64(len(body)))
	require.NoError(t, err)
	texts := map[string]string{}
	for _, file := range archive.File {
		opened, err := file.Open()
		require.NoError(t, err)
		content, err := io.ReadAll(opened)
		require.NoError(t, err)
		texts[file.Name] = textOf(t, string(content))
	}
	return texts
}

func TestTaskDataOnPaper(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	task := order(s, `{"NAME":"Ada Ωmega","SIZE":"L","PERSON":{"AGE":36},"LINES":[{"WHAT":"Tea"},{"WHAT":"Cake"}]}`).ID

	got := s.Get(200, demo.Bob(), formPath(task, ""))
	require.Equal(t, "application/pdf", got.Header.Get("Content-Type"))
	require.Contains(t, got.Header.Get("Content-Disposition"), `attachment; filename="Fill-in.pdf"`)
	require.Equal(t, "private, no-cache", got.Header.Get("Cache-Control"))
	text := textOf(t, got.Body)
	for _, part := range []string{"Fill in", "Orders: Order 17", "Who", "Ada Ωmega", "Size", "Large", "2026"} {
		require.Contains(t, text, part)
	}
	require.Less(t, strings.Index(text, "Large"), strings.Index(text, "Ada"), "in the order of the layout")
	require.Equal(t, got.Body, s.Get(200, demo.Alice(), formPath(task, "")).Body, "the same until something changes")

	// It is a download as any other.
	r := apitest.Request(t, demo.Bob(), http.MethodGet, formPath(task, ""), "")
	r.Header.Set("Range", "bytes=1-3")
	part := s.Send(r)
	require.Equal(t, 206, part.Status)
	require.Equal(t, got.Body[1:4], part.Body)
	r = apitest.Request(t, demo.Bob(), http.MethodGet, formPath(task, ""), "")
	r.Header.Set("If-None-Match", got.Header.Get("ETag"))
	require.Equal(t, 304, s.Send(r).Status)

	person := s.Get(200, demo.Bob(), formPath(task, "/PERSON"))
	require.Contains(t, person.Header.Get("Content-Disposition"), `filename="The-person.pdf"`)
	text = textOf(t, person.Body)
	require.Contains(t, text, "Fill in · Orders: Order 17")
	require.Contains(t, text, "36")
	require.NotContains(t, text, "Ada")

	lines := s.Get(200, demo.Bob(), formPath(task, "/LINES"))
	require.Equal(t, "application/zip", lines.Header.Get("Content-Type"))
	files := filesIn(t, lines.Body)
	require.Len(t, files, 2)
	require.Contains(t, files["Order-line-1.pdf"], "Tea")
	require.Contains(t, files["Order-line-2.pdf"], "Cake")
	one := s.Get(200, demo.Bob(), formPath(task, "/LINES/1"))
	require.Contains(t, textOf(t, one.Body), "Cake")

	saveData(s, demo.Bob(), task, `{"LINES":[{"WHAT":"Tea"}]}`)
	alone := s.Get(200, demo.Bob(), formPath(task, "/LINES"))
	require.Equal(t, "application/pdf", alone.Header.Get("Content-Type"), "one is not several")
}

func TestPlacesWithoutFormAreRefused(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	many := "[" + strings.Repeat(`{"A":1},`, 500) + `{"A":1}]`
	task := order(s, `{"NAME":"Ada","NONE":[],"MIXED":[{},1],"MANY":`+many+`}`).ID
	for _, pointer := range []string{"/NAME", "/NONE", "/MIXED", "/ABSENT", "/MANY/501"} {
		s.Refused(404, "NOT_FOUND", demo.Bob(), "GET", formPath(task, pointer), "")
	}
	s.Refused(409, "INVALID_STATE", demo.Bob(), "GET", formPath(task, "/MANY"), "")
	message := apitest.Decode[oasb.ProcessItem](t, s.Post(201, demo.LoanWorker(), "/process-items",
		`{"type":"MESSAGE","processId":"`+s.Loan().ID.String()+`","message":{"text":"t"}}`)).ID
	s.Refused(409, "INVALID_STATE", demo.LoanWorker(), "GET", formPath(message, ""), "")
}

func TestElementsOnPaper(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	task := s.Approval()
	path := func(code string) string {
		return apitest.TaskPathA(task, "/~actions/download-element-value-form-rendered?elementDefinitionCode="+code)
	}
	s.Refused(404, "NOT_FOUND", demo.LoanWorker(), "GET", path("REPORT"), "")
	s.Refused(404, "DEFINITION_NOT_FOUND", demo.LoanWorker(), "GET", path("ABSENT"), "")
	s.Refused(400, "VALIDATION", demo.LoanWorker(), "GET", path("NOTE"), "")
	s.SaveReports(demo.LoanWorker(), task, `{"FINDINGS":"A leak","DONE":true}`)
	got := s.Get(200, demo.LoanWorker(), path("REPORT"))
	require.Equal(t, "application/pdf", got.Header.Get("Content-Type"))
	text := textOf(t, got.Body)
	for _, part := range []string{"Report", "Approve the loan · Loan", "What was found", "A leak"} {
		require.Contains(t, text, part)
	}
	r := apitest.Request(t, demo.LoanWorker(), http.MethodGet, path("REPORT"), "")
	r.Header.Set("Range", "bytes=0-3")
	require.Equal(t, "%PDF", s.Send(r).Body)
	s.SaveReports(demo.LoanWorker(), task, `{"FINDINGS":"A leak","DONE":true}`, `{"FINDINGS":"A crack"}`)
	files := filesIn(t, s.Get(200, demo.LoanWorker(), path("REPORT")).Body)
	require.Len(t, files, 2)
	require.Contains(t, files["Report-2.pdf"], "A crack")
}

// pixel is a PNG.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// An image is placed when it is visible to the caller; being named by the form
// is not enough.
func TestFormImagesMustBeVisible(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	item := order(s, `{}`)
	image, err := base64.StdEncoding.DecodeString(pixel)
	require.NoError(t, err)
	mine := s.UploadAs(demo.Bob(), apitest.ProcessPath(item.ProcessID, ""), "image/png", "mine.png", string(image))
	saveData(s, demo.Bob(), item.ID, `{"PHOTO":"`+mine+`"}`)
	placed := s.Get(200, demo.Bob(), formPath(item.ID, "")).Body
	require.Regexp(t, `/Subtype\s*/Image`, placed)

	foreign := s.UploadAs(demo.LoanWorker(), apitest.ProcessPath(s.Loan().ID, ""), "image/png", "theirs.png", string(image))
	saveData(s, demo.Bob(), item.ID, `{"PHOTO":"`+foreign+`"}`)
	listed := s.Get(200, demo.Bob(), formPath(item.ID, "")).Body
	require.NotRegexp(t, `/Subtype\s*/Image`, listed)
	require.Contains(t, textOf(t, listed), "theirs.png")
}

// Many forms are counted before any is made, and outside of the database.
func TestManyFormsAreCountedFirst(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	id := uuid.New()
	properties := ""
	for i := range 60 {
		properties += fmt.Sprintf(`,"FIELD_%d":{"type":"string","title":"Field %d"}`, i, i)
	}
	s.Define(apitest.Identified("demo", "ProcessDefinition", "MANY", id, `{"name":"Many","items":[{"code":"FILL","type":"TASK","name":"Fill in",`+
		`"dataSchema":{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{`+properties[1:]+`}}}}},`+
		`"candidates":[{"user":"bob"}]}],"permissions":{"initiators":[{"user":"alice"}],"managers":[{"user":"alice"}]}}`))
	process := s.Process(demo.Alice(), id).ID
	task := apitest.Decode[oasb.ProcessItem](t, s.Post(201, demo.Alice(), "/process-items", `{"type":"TASK","processId":"`+process.String()+
		`","processItemDefinitionCode":"FILL","task":{"data":{"value":{"rows":[`+strings.Repeat("{},", 20_000)+`{}]}}}}`)).ID
	begun := time.Now()
	refusal := s.Refused(409, "INVALID_STATE", demo.Alice(), "GET", formPath(task, "/rows"), "")
	require.Contains(t, refusal.Errors[0].Message, "more than 500 forms")
	require.Less(t, time.Since(begun), 8*time.Second, "on a machine that does much else")
}

// A caller may have one form made and eight wait.
func TestFormsOfACallerTakeTurns(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	task := order(s, `{"NAME":"Ada"}`).ID
	end, err := s.Forms.Acquire(t.Context(), demo.Bob().ID.String())
	require.NoError(t, err)
	s.Get(200, demo.Alice(), formPath(task, ""))
	answers := make(chan apitest.Answer, 9)
	for range 9 {
		r := apitest.Request(t, demo.Bob(), http.MethodGet, formPath(task, ""), "")
		go func() {
			got, _ := s.Exchange(r)
			answers <- got
		}()
	}
	response := <-answers
	require.Equal(t, 503, response.Status, response.Body)
	require.Contains(t, response.Body, "too many forms")
	end()
	for range 8 {
		require.Equal(t, 200, (<-answers).Status)
	}
}
