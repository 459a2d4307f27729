package api_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/apitest"
)

const (
	allTasks = apitest.ShapeA + "/tasks?size=1000&sort=id"
	// longText is a text of 1 MiB that PostgreSQL cannot compress.
	longText = `(SELECT string_agg(md5(g || i.id::text), '') FROM generate_series(1, 32768) g)`
)

var tasksOfPage = flag.Int("page-tasks", 100, "how many tasks of 1 MiB the page has that must take little memory")

// heavyTasks creates tasks with 1 MiB of data each. A third of the data compresses well.
func heavyTasks(s *apitest.Service, n int) (ids []string) {
	s.T.Helper()
	p := s.Loan()
	for range n {
		ids = append(ids, s.Item(p.ID, "APPROVE_LOAN", "").ID.String())
	}
	execute(s, `UPDATE process_items i SET task_data_valid = true, task_data = json_build_object('TEXT',
	          CASE WHEN right(i.id::text, 1) < '5' THEN repeat('x', 1048576) ELSE `+longText+` END, 'N', 1.10)
	         WHERE i.type = 'TASK'`)
	return ids
}

// execute executes a statement.
func execute(s *apitest.Service, sql string) {
	s.T.Helper()
	conn := s.Connect()
	defer func() { _ = conn.Close(s.T.Context()) }()
	_, err := conn.Exec(s.T.Context(), sql)
	require.NoError(s.T, err)
}

// pageOfTasks is a page with the text of its content.
type pageOfTasks struct {
	Content  []json.RawMessage `json:"content"`
	Metadata json.RawMessage   `json:"metadata"`
}

// listTasks begins to read all tasks in one page.
func listTasks(s *apitest.Service, server *httptest.Server) *http.Response {
	s.T.Helper()
	r := apitest.Request(s.T, demo.LoanWorker(), http.MethodGet, allTasks, "")
	r.URL.Host, r.URL.Scheme, r.Host = strings.TrimPrefix(server.URL, "http://"), "http", ""
	r.Header.Set("Accept-Encoding", "identity")
	resp, err := server.Client().Do(r)
	require.NoError(s.T, err)
	require.Equal(s.T, http.StatusOK, resp.StatusCode)
	return resp
}

// heapWhile returns by how much the heap grows while work runs.
func heapWhile(work func()) int64 {
	heap := func() int64 {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(sample)
		return int64(sample[0].Value.Uint64())
	}
	debug.FreeOSMemory()
	defer debug.SetGCPercent(debug.SetGCPercent(25))
	base, peak := heap(), atomic.Int64{}
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			peak.Store(max(peak.Load(), heap()))
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
			}
		}
	})
	work()
	close(done)
	watching.Wait()
	return peak.Load() - base
}

//nolint:paralleltest // it measures the memory of the whole program
func TestAPageOfLargeTasksTakesLittleMemory(t *testing.T) {
	tasks := *tasksOfPage
	s := apitest.NewService(t)
	want := heavyTasks(s, tasks)
	server := httptest.NewServer(s.Handler)
	defer server.Close()
	var got []string
	grown := heapWhile(func() {
		resp := listTasks(s, server)
		defer func() { _ = resp.Body.Close() }()
		decoder := json.NewDecoder(resp.Body)
		for range 3 {
			_, err := decoder.Token() // {"content":[
			require.NoError(t, err)
		}
		for decoder.More() {
			var task struct {
				ID    string
				Value struct{ Data struct{ Text string } } `json:"jsonFormsValue"`
			}
			require.NoError(t, decoder.Decode(&task))
			require.Len(t, task.Value.Data.Text, 1<<20)
			got = append(got, task.ID)
		}
		rest, err := io.ReadAll(io.MultiReader(decoder.Buffered(), resp.Body))
		require.NoError(t, err)
		require.Equal(t, `],"metadata":{"page":0,"size":1000,"totalElements":`+strconv.Itoa(tasks)+
			`,"totalPages":1},"objectType":"TASK_PAGE"}`+"\n", string(rest))
	})
	require.Equal(t, want, got)
	require.Less(t, grown, int64(64<<20), "%d MiB of data", tasks)
}

func TestLargePagesHaveTheFormOfSmallOnes(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	const tasks = 8
	heavyTasks(s, tasks)
	large := s.Get(200, demo.LoanWorker(), allTasks)
	require.Greater(t, len(large.Body), tasks<<20)
	require.Equal(t, "application/json", large.Header.Get("Content-Type"))
	page := apitest.Decode[pageOfTasks](t, large)
	require.Len(t, page.Content, tasks)
	for n := range tasks {
		small := s.Get(200, demo.LoanWorker(), apitest.ShapeA+"/tasks?size=1&sort=id&page="+strconv.Itoa(n))
		require.Equal(t, string(page.Content[n]), string(apitest.Decode[pageOfTasks](t, small).Content[0]))
	}
	require.Contains(t, large.Body, `","N":1.10}`, "members keep their order, and numbers their digits")
	second := apitest.Decode[pageOfTasks](t, s.Get(200, demo.LoanWorker(), apitest.ShapeA+"/tasks?size=3&sort=id&page=1"))
	require.Equal(t, page.Content[3:6], second.Content)
	require.JSONEq(t, `{"page":1,"size":3,"totalElements":8,"totalPages":3}`, string(second.Metadata))
}

func TestAllListsOfValuesMayBeLarge(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	for range 4 {
		s.Loan()
	}
	execute(s, `UPDATE processes i SET element_values = json_build_object('NAME', (SELECT json_agg(json_build_object(
	          'Type', 'STRING', 'Valid', true, 'Value', left(`+longText+`, 90000 - n))) FROM generate_series(1, 12) n))`)
	execute(s, `UPDATE tenant_users i SET metadata_valid = true, metadata = json_build_object('NOTE', `+longText+`)`)
	execute(s, `UPDATE resources i SET spec = jsonb_set(spec::jsonb, '{name}', to_jsonb(`+longText+`)) WHERE kind = 'User'`)
	for _, path := range []string{
		apitest.ShapeA + "/processes?size=100", apitest.ShapeA + "/tenant-users", apitest.ShapeB + "/tenant-users", apitest.AdminAPI + "/resources?kind=User",
	} {
		got := s.Get(200, demo.Alice(), path)
		page := apitest.Decode[struct {
			Content  []json.RawMessage
			Metadata struct{ TotalElements int }
		}](t, got)
		if !strings.HasPrefix(path, apitest.ShapeB) { // pages of Shape B have no metadata
			require.Greater(t, len(got.Body), 3<<20, path)
		}
		require.Len(t, page.Content, page.Metadata.TotalElements, path)
	}
}

func TestLargePageIsASnapshot(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	const tasks = 40
	heavyTasks(s, tasks)
	server := httptest.NewServer(s.Handler)
	defer server.Close()
	resp := listTasks(s, server)
	defer func() { _ = resp.Body.Close() }()
	body := bufio.NewReader(resp.Body)
	_, err := body.Peek(1)
	require.NoError(t, err)
	execute(s, "DELETE FROM process_items")
	var page pageOfTasks
	require.NoError(t, json.NewDecoder(body).Decode(&page))
	require.Len(t, page.Content, tasks)
	for _, task := range page.Content {
		require.Greater(t, len(task), 1<<20)
	}
}

func TestLargePageThatFailsHalfwayIsTruncated(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	heavyTasks(s, 40)
	server := httptest.NewServer(s.Handler)
	defer server.Close()
	resp := listTasks(s, server)
	defer func() { _ = resp.Body.Close() }()
	body := bufio.NewReader(resp.Body)
	_, err := body.Peek(1)
	require.NoError(t, err)
	require.Positive(t, s.Count(`SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
	  WHERE datname = current_database() AND query LIKE '%array_position%' AND pid <> pg_backend_pid()`))
	text, err := io.ReadAll(body)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.False(t, json.Valid(text))
	require.Len(t, apitest.Decode[pageOfTasks](t, s.Get(200, demo.LoanWorker(), allTasks)).Content, 40, "the service is as it was")
}

func TestListsOfValuesShareAMemory(t *testing.T) {
	t.Parallel()
	s := apitest.NewServiceWithin(t, apitest.Bounds{Limits: persistence.Limits{RequestTime: 2 * time.Second, ListMemory: persistence.MinListMemory}})
	heavyTasks(s, 30)
	server := httptest.NewServer(s.Handler)
	defer server.Close()
	resp := listTasks(s, server)
	defer func() { _ = resp.Body.Close() }()
	errorBody := s.Refused(503, string(domain.CodeUnavailable), demo.LoanWorker(), http.MethodGet, apitest.ShapeA+"/tasks", "")
	require.Contains(t, errorBody.Message, "memory")
	s.RetrieveProcess(s.Loan().ID)
	_, err := io.Copy(io.Discard, resp.Body)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		return s.Send(apitest.Request(t, demo.LoanWorker(), http.MethodGet, apitest.ShapeA+"/tasks?size=1", "")).Status == 200
	}, time.Minute, 10*time.Millisecond)
}
