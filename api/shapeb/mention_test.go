package shapeb_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// A mention is a principal that may read the message. Other ones stay text.
func TestMentionsOfMessages(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := s.Process(demo.Alice(), claims(s)).ID
	for text, want := range map[string][]uuid.UUID{
		"@bob, please look":                         {demo.Bob().ID},
		"@BOB@demo.example and @alice":              {demo.Alice().ID, demo.Bob().ID},
		"@carol may not read the process":           nil,
		"@nobody @loan-worker `@bob` bob@a.example": nil,
		"no one": nil,
	} {
		created := s.Post(201, demo.Alice(), "/process-items", newMessage(process, `"text":"`+text+`"`))
		item := apitest.Decode[oasb.ProcessItem](t, created)
		require.ElementsMatch(t, want, item.Message.Mentions, text)
		require.Equal(t, created.Body, s.Get(200, demo.Alice(), apitest.ItemPath(item.ID, "")).Body)
	}
	page := apitest.Decode[oasb.ProcessItemPage](t, s.Get(http.StatusOK, demo.Bob(), "/process-items?type=MESSAGE&sort=createdAt&processId="+process.String()))
	mentioned := 0
	for _, item := range page.Content {
		mentioned += len(item.Message.Mentions)
	}
	require.Equal(t, 3, mentioned)
}
