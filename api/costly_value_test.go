package api_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

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

// TestLongValidationsLeaveRoomForOthers compares the duration of reads without and with 18 long validations.
// Each validation takes a twentieth of a second or more. There are fewer connections than validations.
func TestLongValidationsLeaveRoomForOthers(t *testing.T) {
	t.Parallel()
	c := newCostly(t, 3)
	var alone, beside time.Duration
	for range 5 { // The machine does other work as well.
		alone = c.slowestReads(func(n int) bool { return n == 200 })
		var busy sync.WaitGroup
		var left atomic.Int32
		left.Store(18)
		for range 18 {
			busy.Go(func() {
				defer left.Add(-1)
				if got := c.put("LONG", 10_000); got.Status != http.StatusOK {
					t.Errorf("%d: %s", got.Status, got.Body)
				}
			})
		}
		beside = c.slowestReads(func(int) bool { return left.Load() == 0 })
		busy.Wait()
		t.Logf("a read takes %v alone and %v beside long validations", alone, beside)
		if beside <= 2*alone {
			return
		}
	}
	require.LessOrEqual(t, beside, 2*alone)
}

// slowestReads returns the 99th percentile of the duration of reads by another caller.
func (c *costlyService) slowestReads(done func(n int) bool) time.Duration {
	var took []time.Duration
	for n := 0; !done(n); n++ {
		begin := time.Now()
		got := c.Send(apitest.Request(c.T, demo.Carol(), http.MethodGet, "/processes", ""))
		require.Equal(c.T, http.StatusOK, got.Status, got.Body)
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	return took[len(took)*99/100]
}
