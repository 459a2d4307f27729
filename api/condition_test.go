package api_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

// unconditional returns the operations that only read, although their method is not
// GET.
func unconditional() []string {
	return []string{
		"admin.handOverWork", "admin.previewRepair", "admin.issueDirectoryToken", "admin.revokeDirectoryToken",
		"B.prepareBusinessArtifactCreateArtifact", "B.prepareBusinessArtifactStartProcess", "admin.evaluateAvailability",
		"admin.previewBulkOperation", "B.readNotifications",
	}
}

var (
	subjectByID   = regexp.MustCompile(`^.*/(processes|process-items|tasks|business-artifacts|actions|incidents|bulk-operations|webhook-deliveries)/[0-9a-f-]{36}`)
	subjectByCode = regexp.MustCompile(`^(.*/admin/v1)/(robots|webhooks|notification-receivers|encryption-keys|resources/\w+)/([\w-]+)`)
)

// subject returns the path of the resource that a write is about, "" for a collection and
// for a process or a task of the administration API, which has no reads of them.
func subject(op operation) string {
	kinds := map[string]string{
		"robots": "resources/Robot", "webhooks": "resources/WebhookSubscription", "notification-receivers": "resources/NotificationReceiver", "encryption-keys": "resources/EncryptionKey",
	}
	path, query, _ := strings.Cut(op.path, "?")
	if strings.HasPrefix(path, apitest.AdminAPI+"/tasks/") || strings.HasPrefix(path, apitest.AdminAPI+"/processes/") {
		return ""
	}
	if found := subjectByCode.FindStringSubmatch(path); found != nil {
		if kind, ok := kinds[found[2]]; ok {
			found[2] = kind
		}
		return strings.Join(found[1:], "/") + "?" + query
	}
	return subjectByID.FindString(path)
}

// conditionalRequest returns a request for the operation with a header more.
func conditionalRequest(t *testing.T, as demo.Account, op operation, header, value string) *http.Request {
	t.Helper()
	r := apitest.Request(t, as, op.method, op.path, op.body)
	r.Header.Set(header, value)
	return r
}

// requireStale requires that an operation is refused for its precondition, with the
// tag that a read of its subject has, and that the refusal names it.
func requireStale(s *apitest.Service, as demo.Account, name string, op operation, stale string) {
	s.T.Helper()
	got := s.Send(conditionalRequest(s.T, as, op, "If-Match", stale))
	require.Equal(s.T, 412, got.Status, "%s: %s", name, got.Body)
	failure := apitest.Decode[contracttest.ErrorBody](s.T, got)
	require.Equal(s.T, "PRECONDITION_FAILED", failure.Errors[0].Code, name)
	require.Equal(s.T, "If-Match", failure.Errors[0].Location, name)
	path := subject(op)
	if path == "" {
		return
	}
	current := s.Get(200, as, path).Header.Get("ETag")
	require.NotEqual(s.T, stale, current, name)
	require.Equal(s.T, current, got.Header.Get("ETag"), "%s: %s", name, got.Body)
	require.Contains(s.T, failure.Errors[0].Message, current, name)
}

// requireConditions requires that every write of a contract takes preconditions.
func requireConditions(t *testing.T, name string) (write bool) {
	t.Helper()
	contract, id := contractOf(name)
	described := contract.Describe(t, id)
	headers := described.Parameters["header"]
	require.Contains(t, headers, "Prefer", name)
	write = described.Method != http.MethodGet && !slices.Contains(unconditional(), name)
	require.Equal(t, write, slices.Contains(headers, "If-Match"), name)
	if described.Method == http.MethodGet {
		require.Equal(t, described.Tagged, slices.Contains(headers, "If-None-Match"), name)
	}
	return write
}

func TestStaleWritesAreRefused(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	f := newFixture(s)
	worker := demo.LoanWorker()
	operations := f.operations()
	stale := map[string]string{}
	for _, name := range operationNames() {
		if path := subject(operations[name]); path != "" && stale[path] == "" {
			stale[path] = s.Get(200, worker, path).Header.Get("ETag")
		}
	}
	s.Call(200, worker, http.MethodPut, apitest.ProcessPath(f.process, "/metadata"), `{"metadata":{"value":{"A":2}}}`)
	s.Call(200, worker, http.MethodPut, "/business-artifacts/"+f.artifact.String()+"/data", `{"data":{"value":{"name":"Other"}}}`)
	s.Post(200, worker, apitest.ItemPath(f.task, "/task/~actions/append-log"), `{"level":"INFO","message":"done"}`)

	before := s.Snapshot()
	for _, name := range operationNames() {
		if !requireConditions(t, name) {
			continue
		}
		op := operations[name]
		path := subject(op)
		version := stale[path]
		if path == "" || s.Get(200, worker, path).Header.Get("ETag") == version {
			// Resources that do not exist yet or have no other version yet.
			version = `"0.0"`
		}
		requireStale(s, worker, name, op, version)
	}
	require.Equal(t, before, s.Snapshot())
}

func TestAdminStaleWriteIsRefused(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	operations := makeThings(s, "north", "stale").operations()
	before := s.Snapshot()
	for _, id := range apitest.Contracts["admin"].Operations() {
		as := s.As("owner")
		switch id {
		case "releaseProcessItemTask":
			as = s.As("candidate")
		case "repairProcess":
			as = s.As("manager")
		case "issueOperatorAccess":
			as = s.Operator
		}
		if requireConditions(t, "admin."+id) {
			requireStale(s.Service, as, id, operations[id], `"0.0"`)
		}
	}
	require.Equal(t, before, s.Snapshot())

	group := operations["apply_GROUP"]
	path := apitest.ResourcePath("north", "Group", "GROUP-stale", "")
	tag := s.Get(200, s.As("owner"), path).Header.Get("ETag")
	require.Equal(t, 200, s.Send(conditionalRequest(t, s.As("owner"), group, "If-Match", tag)).Status)
	requireStale(s.Service, s.As("owner"), "apply_GROUP", operation{method: "DELETE", path: path}, tag)
	robot := operations["uploadRobotSource"]
	tag = s.Get(200, s.As("owner"), subject(robot)).Header.Get("ETag")
	require.Equal(t, 200, s.Send(conditionalRequest(t, s.As("owner"), robot, "If-Match", tag)).Status)
	requireStale(s.Service, s.As("owner"), "uploadRobotSource", robot, tag)
}

func TestConditionalReads(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	operations := newFixture(s).operations()
	seen := 0
	for _, name := range operationNames() {
		contract, id := contractOf(name)
		op := operations[name]
		if described := contract.Describe(t, id); !described.Tagged || op.method != http.MethodGet || strings.Contains(name, "ownload") {
			continue
		}
		seen++
		tag := s.Get(200, demo.LoanWorker(), op.path).Header.Get("ETag")
		require.Regexp(t, `^"[^"]+"$`, tag, name)
		for _, c := range []struct {
			header, value string
			status        int
		}{
			{"If-None-Match", tag, 304},
			{"If-None-Match", `"other", W/` + tag, 304},
			{"If-None-Match", strings.TrimSuffix(tag, `"`) + `-gzip"`, 304},
			{"If-None-Match", "*", 304},
			{"If-None-Match", `"other"`, 200},
			{"If-Match", tag, 200},
			{"If-Match", "*", 200},
			{"If-Match", `"other"`, 412},
			{"If-Match", "W/" + tag, 412},
		} {
			got := s.Send(conditionalRequest(t, demo.LoanWorker(), op, c.header, c.value))
			require.Equal(t, c.status, got.Status, "%s %s: %s: %s", name, c.header, c.value, got.Body)
			require.Equal(t, tag, got.Header.Get("ETag"), name)
			require.Equal(t, c.status == 304, got.Body == "", name)
		}
	}
	require.Greater(t, seen, 15)
}

// A tag identifies the version, which is the same in both shapes and for every caller,
// and the representation for the caller.
func TestTagsFollowVersionAndRepresentation(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := s.Loan().ID
	version := func(tag string) string { v, _, _ := strings.Cut(tag, "."); return v }
	tag := func(base string) string {
		return s.Get(200, demo.LoanWorker(), base+apitest.ProcessPath(process, "")).Header.Get("ETag")
	}
	a, b := tag(apitest.ShapeA), tag(apitest.ShapeB)
	require.Equal(t, version(a), version(b))
	require.NotEqual(t, a, b)

	// A process created from it changes the tag of its representation, but not
	// its version.
	s.Post(201, demo.LoanWorker(), "/processes", `{"processDefinitionId":"`+demo.Loan().String()+`","relatedProcessId":"`+process.String()+`"}`)
	related := tag(apitest.ShapeB)
	require.Equal(t, version(b), version(related))
	require.NotEqual(t, b, related)

	update := operation{method: "PUT", path: apitest.ProcessPath(process, "/entity"), body: `{"entity":{"value":{"A":1}}}`}
	changed := s.Send(conditionalRequest(t, demo.LoanWorker(), update, "If-Match", a))
	require.Equal(t, 200, changed.Status, changed.Body)
	require.Equal(t, tag(apitest.ShapeB), changed.Header.Get("ETag"))
	require.NotEqual(t, version(b), version(tag(apitest.ShapeB)))
}

func TestPreconditions(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	worker, id := demo.LoanWorker(), uuid.New()
	create := operation{method: "POST", path: "/processes", body: `{"id":"` + id.String() + `","processDefinitionId":"` + demo.Loan().String() + `","initiatorId":"` + demo.Carol().ID.String() + `"}`}
	status := func(as demo.Account, op operation, header, value string) int {
		return s.Send(contracttest.Invalid(conditionalRequest(t, as, op, header, value))).Status
	}
	require.Equal(t, 412, status(worker, create, "If-Match", "*"))
	require.Equal(t, 201, status(worker, create, "If-None-Match", "*"))
	require.Equal(t, 412, status(worker, create, "If-None-Match", "*"))
	require.Equal(t, 200, status(worker, create, "If-Match", "*"))
	tag := s.Get(200, worker, apitest.ProcessPath(id, "")).Header.Get("ETag")
	require.Equal(t, 200, status(worker, create, "If-Match", tag))

	cancel := operation{method: "POST", path: apitest.ProcessPath(id, "/~actions/cancel")}
	for value, want := range map[string]int{
		"W/" + tag: 412, `"x", "y"`: 412, "": 400, "x": 400, `"x`: 400, `"x" "y"`: 400, `*, "x"`: 400, "\x00": 400, "\xff": 400,
	} {
		require.Equal(t, want, status(worker, cancel, "If-Match", value), "%q", value)
	}
	// NOT_FOUND and ACCESS_DENIED take precedence over preconditions.
	require.Equal(t, 404, status(demo.OtherWorker(), cancel, "If-Match", `"x"`))
	require.Equal(t, 403, status(demo.Carol(), cancel, "If-Match", `"x"`))
	require.Equal(t, 200, status(worker, cancel, "If-Match", `"x", `+tag))
	// The state that a stale caller does not know is why it is refused.
	entity := operation{method: "PUT", path: apitest.ProcessPath(id, "/entity"), body: `{"entity":{"value":{}}}`}
	require.Equal(t, 412, status(worker, entity, "If-Match", tag))
	require.Equal(t, 403, status(worker, entity, "If-Match", "*"))
}

func TestOneOfManyConditionalWritersWins(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	f := newFixture(s)
	worker := demo.LoanWorker()
	all := f.operations()
	for _, name := range []string{
		"B.updateProcessItemTaskData", "A.actionsTaskSaveJsonFormsValueData", "B.updateProcessMetadata", "A.actionsProcessSaveEntityData",
		"B.updateBusinessArtifactData", "A.actionsTaskAppendLog", "B.createWorker",
	} {
		op := all[name]
		var tag string
		for range 2 {
			if path := subject(op); path != "" {
				tag = s.Get(200, worker, path).Header.Get("ETag")
			} else {
				tag = s.Send(apitest.Request(t, worker, op.method, op.path, op.body)).Header.Get("ETag")
			}
			statuses := make([]int, racers)
			var writers sync.WaitGroup
			for i := range racers {
				r := conditionalRequest(t, worker, op, "If-Match", tag)
				writers.Go(func() {
					if got, err := s.Exchange(r); err == nil {
						statuses[i] = got.Status
					}
				})
			}
			writers.Wait()
			counts := map[int]int{}
			for _, status := range statuses {
				counts[status]++
			}
			require.Equal(t, map[int]int{200: 1, 412: racers - 1}, counts, name)
		}
	}
}

// With handling=strict a parameter that an operation does not have is refused
// before anything happens; without it the answer names it.
func TestUnknownParameters(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	operations := map[string]operation{}
	for name, op := range newFixture(s.Service).operations() {
		operations[name] = op
	}
	for name, op := range makeThings(s, "north", "strict").operations() {
		operations["admin."+name] = op
	}
	before := s.Snapshot()
	for _, name := range slices.Sorted(maps.Keys(operations)) {
		contract, id := contractOf(name)
		if !slices.Contains(contract.Operations(), id) {
			continue
		}
		as, op := demo.LoanWorker(), operations[name]
		if contract == apitest.Contracts["admin"] {
			as = s.As("owner")
		}
		separator := "?"
		if strings.Contains(op.path, "?") {
			separator = "&"
		}
		op.path += separator + "stat=RUNNING"
		got := s.Send(contracttest.Invalid(conditionalRequest(t, as, op, "Prefer", `respond-async, Handling="strict"; x=1`)))
		require.Equal(t, 400, got.Status, "%s: %s", name, got.Body)
		require.Equal(t, "handling=strict", got.Header.Get("Preference-Applied"), name)
		failure := apitest.Decode[contracttest.ErrorBody](t, got)
		require.Equal(t, "stat", failure.Errors[0].Location, name)
		require.Equal(t, "query", failure.Errors[0].LocationType, name)
	}
	require.Equal(t, before, s.Snapshot())
	for _, name := range []string{"A.findTasks", "B.findProcesses", "B.retrieveProcess", "admin.findIncidents"} {
		as, op := demo.LoanWorker(), operations[name]
		if strings.HasPrefix(name, "admin.") {
			as = s.As("owner")
		}
		path, _, _ := strings.Cut(op.path, "?")
		got := s.Send(contracttest.Invalid(apitest.Request(t, as, op.method, path+"?stat=RUNNING&%00=1", "")))
		require.Equal(t, 200, got.Status, "%s: %s", name, got.Body)
		require.Equal(t, `"%00", "stat"`, got.Header.Get("Ignored-Parameters"), name)
	}
	response := s.Send(conditionalRequest(t, demo.LoanWorker(), operation{method: "GET", path: "/processes?size=1"}, "Prefer", "handling=strict"))
	require.Equal(t, 200, response.Status)
	require.Empty(t, response.Header.Get("Ignored-Parameters"))
	require.True(t, json.Valid([]byte(response.Body)))
}
