package shapeb_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

// newMessage returns the body of a message with the given members of its message block.
func newMessage(process uuid.UUID, members string) string {
	return `{"type":"MESSAGE","processId":"` + process.String() + `","processItemDefinitionCode":"NOTE","message":{` +
		members + `}}`
}

func TestMessagesCarryTextAndData(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := s.Process(demo.Alice(), claims(s)).ID
	// CommonMark means something by spaces at the end of a line.
	text := "# Hi  \r\n*a* <b>&amp;</b> \t\u00a0 é\u202e 😀\n\n"
	quoted, err := json.Marshal(text)
	require.NoError(t, err)
	const address = `"dataStructureDataDefinitionCode":"ADDRESS"`

	both := s.Post(201, demo.Alice(), "/process-items",
		newMessage(process, `"text":`+string(quoted)+`,"data":{"valid":false,"value":{"CITY":"A"}},`+address))
	got := apitest.Decode[oasb.ProcessItem](t, both)
	require.Equal(t, text, *got.Message.Text)
	require.Equal(t, "ADDRESS", *got.Message.DataStructureDataDefinitionCode)
	require.True(t, *got.Message.Data.Valid)
	require.Nil(t, got.Task)
	require.Equal(t, both.Body, s.Get(200, demo.Alice(), apitest.ItemPath(got.ID, "")).Body)

	// Data that violates its structure is stored with its violations.
	invalid := apitest.Decode[oasb.ProcessItem](t, s.Post(201, demo.Alice(), "/process-items",
		newMessage(process, `"data":{"value":{"CITY":5}},`+address)))
	require.Nil(t, invalid.Message.Text)
	require.False(t, *invalid.Message.Data.Valid)
	require.Equal(t, "/CITY", *invalid.Message.Data.Errors[0].PropertyPath)
	require.Equal(t, "type", *invalid.Message.Data.Errors[0].Type)

	listed := s.Get(200, demo.Alice(), "/process-items?type=MESSAGE&sort=createdAt")
	require.NotContains(t, listed.Body, `"data":`)
	page := apitest.Decode[oasb.ProcessItemPage](t, listed)
	require.Equal(t, text, *page.Content[0].Message.Text)
	require.Equal(t, "ADDRESS", *page.Content[1].Message.DataStructureDataDefinitionCode)
	require.Nil(t, page.Content[1].Message.Text)

	longest := strings.Repeat("é", 100_000)
	longText := apitest.Decode[oasb.ProcessItem](t, s.Post(201, demo.Alice(), "/process-items", newMessage(process, `"text":"`+longest+`"`)))
	require.Equal(t, longest, *longText.Message.Text)
}

// The data structure is the one that the version of the process was published
// with.
func TestMessageDataIsOfThePinnedStructure(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := s.Process(demo.Alice(), claims(s)).ID
	s.Define(apitest.Document("demo", "DataStructure", "ADDRESS", `{"name":"Address","schema":{"type":"object","required":["ZIP"]}}`))
	kept := apitest.Decode[oasb.ProcessItem](t, s.Post(201, demo.Alice(), "/process-items",
		newMessage(process, `"data":{"value":{"CITY":"A"}},"dataStructureDataDefinitionCode":"ADDRESS"`)))
	require.True(t, *kept.Message.Data.Valid)
}

func TestRefusedMessages(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := s.Process(demo.Alice(), claims(s)).ID
	before := s.Snapshot()
	for name, c := range map[string]struct {
		members, code, location string
		status                  int
	}{
		"unknown structure": {
			`"data":{"value":{}},"dataStructureDataDefinitionCode":"NONE"`,
			"DEFINITION_NOT_FOUND", "/message/dataStructureDataDefinitionCode", 404,
		},
		"structure of the tenant, not of the process": {
			`"data":{"value":{}},"dataStructureDataDefinitionCode":"UNUSED"`,
			"DEFINITION_NOT_FOUND", "/message/dataStructureDataDefinitionCode", 404,
		},
		"data of no structure": {
			`"text":"t","data":{"value":{}}`, "VALIDATION", "/message/dataStructureDataDefinitionCode", 400,
		},
		"structure without data": {
			`"text":"t","dataStructureDataDefinitionCode":"ADDRESS"`, "VALIDATION", "/message/data", 400,
		},
		"nothing": {``, "VALIDATION", "/message", 400},
		"U+0000":  {`"text":"a\u0000"`, "VALIDATION", "/message/text", 400},
	} {
		failure := s.Refused(c.status, c.code, demo.Alice(), http.MethodPost, "/process-items", newMessage(process, c.members))
		require.Equal(t, c.location, failure.Errors[0].Location, name)
	}
	for _, text := range []string{"", strings.Repeat("é", 100_001)} {
		bad := contracttest.Invalid(apitest.Request(t, demo.Alice(), http.MethodPost, "/process-items", newMessage(process, `"text":"`+text+`"`)))
		got := s.Send(bad)
		require.Equal(t, 400, got.Status)
		require.Equal(t, "/message/text", apitest.Decode[contracttest.ErrorBody](t, got).Errors[0].Location)
	}
	require.Equal(t, before, s.Snapshot())
}

// The workflow is signalled about messages and threads of persons, not about
// its own.
func TestMessageOfPersonSignalsWorkflow(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := s.Process(demo.Alice(), claims(s)).ID
	thread := `{"type":"THREAD","processId":"` + process.String() + `","processItemDefinitionCode":"TALK"}`
	withData := newMessage(process, `"data":{"value":{"CITY":"A"}},"dataStructureDataDefinitionCode":"ADDRESS"`)
	for _, body := range []string{thread, withData, newMessage(process, `"text":"t"`)} {
		s.Post(201, demo.LoanWorker(), "/process-items", body)
	}
	signals := func(condition string) int {
		return s.Count("SELECT count(*) FROM engine_commands WHERE kind = 'SIGNAL' AND signal_shape = 'B' AND " + condition)
	}
	require.Equal(t, 0, signals("true"))
	created := apitest.Decode[oasb.ProcessItem](t, s.Post(201, demo.Alice(), "/process-items", thread))
	require.Nil(t, created.Task)
	require.Nil(t, created.Message)
	require.Equal(t, "TALK", created.ProcessItemDefinitionRef.Code)
	require.Equal(t, 1, signals("item_type = 'THREAD' AND item_code = 'TALK' AND coalesce(data_code, '') = ''"))
	id := uuid.NewString()
	again := strings.Replace(withData, "{", `{"id":"`+id+`",`, 1)
	s.Post(201, demo.Alice(), "/process-items", again)
	s.Post(200, demo.Alice(), "/process-items", again)
	require.Equal(t, 1, signals("item_type = 'MESSAGE' AND item_code = 'NOTE' AND data_code = 'ADDRESS' AND item_id = '"+id+"'"))
	s.Post(201, demo.Alice(), "/process-items", newMessage(process, `"text":"t"`))
	require.Equal(t, 3, signals("true"))

	// Workflows of the older shape know of tasks only.
	older := *s.Survey(s.Surveys(), "").ID
	s.Post(201, demo.Alice(), "/process-items", newMessage(older, `"text":"t"`))
	s.Post(201, demo.Alice(), "/process-items", strings.Replace(thread, process.String(), older.String(), 1))
	require.Zero(t, s.Count("SELECT count(*) FROM engine_commands WHERE kind = 'SIGNAL' AND signal_shape = 'A'"))
	s.Post(200, demo.Alice(), apitest.TaskPathA(*s.Visit(older, "VISIT", "").ID, "/~actions/complete"), "")
	require.Equal(t, 1, s.Count("SELECT count(*) FROM engine_commands WHERE kind = 'SIGNAL' AND signal_shape = 'A'"))
}
