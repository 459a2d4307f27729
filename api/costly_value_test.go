package api_test

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// costlyService is a service with a process that has metadata with expensive validation.
type costlyService struct {
	*apitest.Service
	process uuid.UUID
}

func newCostly(t *testing.T, connections int32) costlyService {
	t.Helper()
	s := apitest.NewServiceWithin(t, apitest.Bounds{Limits: persistence.Limits{Requests: connections}})
	id := uuid.New()
	s.Define(apitest.Identified("demo", "ProcessDefinition", "COSTLY", id, `{"name":"Costly",`+
		`"engine":{"workflowType":"Costly","taskQueue":"QUEUE_COSTLY","runner":"loan-worker"},"metadataSchema":{"properties":{`+
		`"SHORT":{"type":"string","maxLength":20,"pattern":"(a?){900}b"},"LONG":{"type":"string","pattern":"(a?){300}b"}}},`+
		`"permissions":{"initiators":[{"user":"alice"}],"managers":[{"user":"alice"}]}}`))
	return costlyService{s, s.Process(demo.Alice(), id).ID}
}

func (c *costlyService) put(member string, size int) apitest.Answer {
	return c.Send(apitest.Request(c.T, demo.Alice(), http.MethodPut, apitest.ProcessPath(c.process, "/metadata"),
		`{"metadata":{"value":{"`+member+`":"`+strings.Repeat("a", size)+`"}}}`))
}

func TestValueBeyondTheBudgetIsRefused(t *testing.T) {
	t.Parallel()
	c := newCostly(t, 4)
	before := c.Snapshot()
	got := c.put("LONG", 1_000_000)
	require.Equal(t, 400, got.Status, got.Body)
	require.Contains(t, got.Body, "takes too much work")
	require.Equal(t, before, c.Snapshot())
	got = c.put("SHORT", 1_000_000)
	require.Equal(t, 200, got.Status, got.Body)
	require.Contains(t, got.Body, `"maxLength"`)
	require.NotContains(t, got.Body, `"pattern"`)
}

// TestLongValidationsLeaveRoomForOthers requires that reads overtake long validations. There are fewer connections than
// validations: a read that waited for them would see most of them end.
func TestLongValidationsLeaveRoomForOthers(t *testing.T) { //nolint:paralleltest // other tests would delay its reads
	c := newCostly(t, 3)
	var busy sync.WaitGroup
	var ended atomic.Int32
	const validations, parallel = 8, 2
	for range validations {
		busy.Go(func() {
			defer ended.Add(1)
			if got := c.put("LONG", 40_000); got.Status != http.StatusOK {
				t.Errorf("%d: %s", got.Status, got.Body)
			}
		})
	}
	reads, overtaken := 0, 0
	for ended.Load() < validations {
		before := ended.Load()
		got := c.Send(apitest.Request(t, demo.Carol(), http.MethodGet, "/processes", ""))
		require.Equal(t, http.StatusOK, got.Status, got.Body)
		reads++
		if ended.Load()-before > parallel {
			overtaken++
		}
	}
	busy.Wait()
	t.Logf("%d reads beside %d long validations, %d of them slower than %d validations", reads, validations, overtaken, parallel)
	require.GreaterOrEqual(t, reads, validations/parallel)
	require.Less(t, 2*overtaken, reads)
}
