package api_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api"
	oasa "github.com/procession-dev/procession/api/shapea/oas"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	data "github.com/procession-dev/procession/examples/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

// downloads returns the paths of a file of a robot in both shapes.
func downloads(id uuid.UUID, key domain.RobotAssetKey) []string {
	rest := apitest.RobotPath(id, "/~actions/download-source-code")
	if !key.Source() {
		rest = apitest.RobotPath(id, "/~actions/download-asset?"+apitest.AssetQuery(key))
	}
	return []string{apitest.ShapeA + rest, apitest.ShapeB + rest}
}

func TestTheDemoRobotIsDownloadedAsItIs(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	s.LoadFiles()
	for name, c := range map[string]struct {
		key  domain.RobotAssetKey
		make func() ([]byte, error)
	}{
		"kyc-bot.zip":                  {domain.RobotAssetKey{}, data.RobotPackage},
		"node-20.0.0-linux-x86_64.zip": {demo.RobotAsset(), data.RobotRuntime},
	} {
		want, err := c.make()
		require.NoError(t, err)
		digest := sha256.Sum256(want)
		for _, path := range downloads(demo.Robot(), c.key) {
			got := s.Get(200, demo.LoanWorker(), path)
			require.Equal(t, string(want), got.Body)
			require.Equal(t, "application/zip", got.Header.Get("Content-Type"))
			require.Equal(t, fmt.Sprint(len(want)), got.Header.Get("Content-Length"))
			require.Equal(t, `"`+hex.EncodeToString(digest[:])+`"`, got.Header.Get("ETag"))
			require.Equal(t, `attachment; filename="`+name+`"; filename*=UTF-8''`+name, got.Header.Get("Content-Disposition"))
		}
	}
	for _, base := range []string{apitest.ShapeA, apitest.ShapeB} {
		source := apitest.Decode[oasb.Robot](t, s.Get(200, demo.LoanWorker(), base+apitest.RobotPath(demo.Robot(), ""))).SourceFile
		got := s.Get(200, demo.LoanWorker(), downloads(demo.Robot(), domain.RobotAssetKey{})[0])
		digest := sha256.Sum256([]byte(got.Body))
		require.Equal(t, hex.EncodeToString(digest[:]), source.ContentHash)
		require.EqualValues(t, len(got.Body), source.ContentLength)
		require.Equal(t, "kyc-bot.zip", source.Name)
		require.Equal(t, "application/zip", source.ContentType)
	}
	// Loading the same manifests again makes no change.
	before := s.Snapshot()
	s.LoadFiles()
	require.Equal(t, before, s.Snapshot())
}

func TestPartsOfFilesOfARobot(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	for _, key := range []domain.RobotAssetKey{{}, demo.RobotAsset()} {
		s.UploadRobot("demo", "KYC_BOT", key, "a.bin", "application/octet-stream", "0123456789")
		for _, path := range downloads(demo.Robot(), key) {
			s.RequireParts(path)
		}
	}
}

func TestAssetIsIdentifiedByAllParameters(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	s.UploadRobot("demo", "KYC_BOT", domain.RobotAssetKey{}, "a.zip", "application/zip", "source")
	keys := []domain.RobotAssetKey{
		{Type: "PYTHON", Version: "3.12", Platform: "LINUX", Architecture: "X86_64"},
		{Type: "PYTHON_PIP", Version: "3.12", Platform: "LINUX", Architecture: "X86_64"},
		{Type: "PYTHON", Version: "3.13 ü&", Platform: "LINUX", Architecture: "X86_64"},
		{Type: "PYTHON", Version: "3.12", Platform: "MAC_OS", Architecture: "X86_64"},
		{Type: "PYTHON", Version: "3.12", Platform: "LINUX", Architecture: "X86_32"},
	}
	for i, key := range keys {
		s.UploadRobot("demo", "KYC_BOT", key, "a.zip", "application/zip", fmt.Sprint("asset ", i))
	}
	for i, key := range keys {
		for _, path := range downloads(demo.Robot(), key) {
			require.Equal(t, fmt.Sprint("asset ", i), s.Get(200, demo.LoanWorker(), path).Body)
		}
	}
	absent := keys[0]
	absent.Platform = "WINDOWS"
	for _, path := range downloads(demo.Robot(), absent) {
		s.Refused(404, "NOT_FOUND", demo.LoanWorker(), http.MethodGet, path, "")
	}
	for name, broken := range map[string]string{
		"type": "type=RUBY", "platform": "platform=AIX", "architecture": "architecture=ARM", "version": "version=",
	} {
		path := strings.Replace(downloads(demo.Robot(), keys[0])[1], name+"="+map[string]string{
			"type": "PYTHON", "platform": "LINUX", "architecture": "X86_64", "version": "3.12",
		}[name], broken, 1)
		got := s.Send(contracttest.Invalid(apitest.Request(t, demo.LoanWorker(), http.MethodGet, path, "")))
		require.Equal(t, 400, got.Status, path)
		require.Equal(t, name, apitest.Decode[contracttest.ErrorBody](t, got).Errors[0].Location)
	}
}

// A robot that cannot be run yet is not READY.
func TestRobotsWithoutASourcePackage(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	bare := s.ApplyRobot("demo", "BARE", `{"name":"Bare","runner":"loan-worker","sourceType":"ROBOT_FRAMEWORK_PYTHON_WHEEL"}`)
	s.UploadRobot("demo", "BARE", demo.RobotAsset(), "a.zip", "application/zip", "node")
	s.UploadRobot("demo", "KYC_BOT", domain.RobotAssetKey{}, "a.zip", "application/zip", "source")
	for path, want := range map[string][]uuid.UUID{
		apitest.ShapeA + "/robots":                       {demo.Robot(), bare},
		apitest.ShapeA + "/robots?filterContext=DEFAULT": {demo.Robot(), bare},
		apitest.ShapeA + "/robots?filterContext=READY":   {demo.Robot()},
		apitest.ShapeB + "/robots":                       {demo.Robot(), bare},
		apitest.ShapeB + "/robots?filterContext=DEFAULT": {demo.Robot(), bare},
		apitest.ShapeB + "/robots?filterContext=READY":   {demo.Robot()},
	} {
		found := s.List(demo.Alice(), path)
		var ids []uuid.UUID
		for _, r := range found.Content {
			ids = append(ids, r.ID)
		}
		require.Equal(t, want, ids, path)
		require.EqualValues(t, len(want), found.Metadata.TotalElements, path)
	}
	older := apitest.Decode[oasa.Robot](t, s.Get(200, demo.Alice(), apitest.ShapeA+apitest.RobotPath(bare, "")))
	require.Nil(t, older.SourceFile)
	require.Equal(t, oasa.RobotSourceTypeROBOTFRAMEWORKPYTHONWHEEL, older.SourceType)
	newer := apitest.Decode[oasb.Robot](t, s.Get(200, demo.Alice(), apitest.ShapeB+apitest.RobotPath(bare, "")))
	require.Nil(t, newer.SourceFile)
	require.Equal(t, oasb.RobotSourceTypeUNKNOWN, newer.SourceType)
	for _, path := range downloads(bare, demo.RobotAsset()) {
		require.Equal(t, "node", s.Get(200, demo.Alice(), path).Body)
	}
	for _, path := range downloads(bare, domain.RobotAssetKey{}) {
		s.Refused(404, "NOT_FOUND", demo.Alice(), http.MethodGet, path, "")
	}
}

func TestRobotsAreListed(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	ids := []uuid.UUID{demo.Robot()}
	for _, code := range []string{"A", "B"} {
		ids = append(ids, s.ApplyRobot("demo", code, `{"name":"Bot"}`))
	}
	s.OtherRobot()
	for _, code := range []string{"A", "B", "KYC_BOT"} {
		s.UploadRobot("demo", code, domain.RobotAssetKey{}, "a.zip", "application/zip", code)
	}
	for query, want := range map[string][]uuid.UUID{
		"":                     {ids[0], ids[1], ids[2]},
		"?sort=createdAt,desc": {ids[2], ids[1], ids[0]},
		"?sort=lastModifiedAt": {ids[1], ids[2], ids[0]},
		"?size=1&page=1":       {ids[1]},
		"?tenantId=" + demo.TenantDemo().String():     {ids[0], ids[1], ids[2]},
		"?tenantId=" + demo.TenantOther().String():    nil,
		"?tenantId=" + uuid.NewString() + "&size=5":   nil,
		"?filterContext=READY&sort=id&size=1&page=99": nil,
	} {
		for _, base := range []string{apitest.ShapeA, apitest.ShapeB} {
			var found []uuid.UUID
			for _, r := range s.List(demo.Alice(), base+"/robots"+query).Content {
				found = append(found, r.ID)
			}
			require.Equal(t, want, found, query)
		}
	}
	inA := apitest.Decode[struct{ Content []map[string]any }](t, s.Get(200, demo.Alice(), apitest.ShapeA+"/robots")).Content
	inB := apitest.Decode[struct{ Content []map[string]any }](t, s.Get(200, demo.Alice(), apitest.ShapeB+"/robots")).Content
	for i := range inA {
		require.Equal(t, "ROBOT", inA[i]["objectType"])
		delete(inA[i], "objectType")
	}
	require.Equal(t, inB, inA)
	page := apitest.Decode[oasa.RobotPage](t, s.Get(200, demo.Alice(), apitest.ShapeA+"/robots?size=0"))
	require.Equal(t, oasa.PagedObjectTypeROBOTPAGE, *page.ObjectType)
}

func TestBodiesOfRobots(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	s.LoadFiles()
	require.NoError(t, s.Administration.SetRobotVariable(t.Context(), apitest.OperatorCall(), apitest.RobotKey("demo", "KYC_BOT"),
		"GREETING", domain.NewSecret(`<"é">`)))
	for shape, base := range map[string]string{"shape_a": apitest.ShapeA, "shape_b": apitest.ShapeB} {
		apitest.RequireGolden(t, shape+"/robot", s.Get(200, demo.LoanWorker(), base+apitest.RobotPath(demo.Robot(), "")).HidingRandomIDs())
		apitest.RequireGolden(t, shape+"/robot_page", s.Get(200, demo.LoanWorker(), base+"/robots").HidingRandomIDs())
	}
	got := s.Get(200, demo.Alice(), apitest.ResourcePath("demo", "Robot", "KYC_BOT", "")).HidingRandomIDs()
	got.Body = uploadTime.ReplaceAllString(got.Body, `"uploadedAt":"2026-03-02T10:30:00.001Z"`)
	apitest.RequireGolden(t, "admin/robot", got)
}

// A principal that runs a robot reads its environment, in whichever way it comes to
// run it, and may list it as READY; one that may only download it does not.
func TestReadersOfTheEnvironmentOfARobot(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	id := s.ApplyRobot("demo", "BOT", `{"name":"Bot","workflowType":"W","taskQueue":"q","runner":"stranger",`+
		`"permissions":{"viewers":[{"group":"REVIEWERS"},{"application":"reader"}]}}`)
	s.UploadRobot("demo", "BOT", domain.RobotAssetKey{}, "a.zip", "application/zip", "source")
	require.NoError(t, s.Administration.SetRobotVariable(t.Context(), apitest.OperatorCall(), apitest.RobotKey("demo", "BOT"), "TOKEN", domain.NewSecret("planted")))
	for _, base := range []string{apitest.ShapeA, apitest.ShapeB} {
		path := base + apitest.RobotPath(id, "")
		for _, as := range []demo.Account{demo.Alice(), demo.Stranger()} {
			got := s.Get(200, as, path)
			require.Equal(t, map[string]string{"TOKEN": "planted"}, apitest.Decode[oasb.Robot](t, got).EnvironmentVariables, as.Name)
			require.Equal(t, "no-store", got.Header.Get("Cache-Control"))
		}
		for _, as := range []demo.Account{demo.Bob(), demo.Reader()} {
			require.NotContains(t, s.Get(200, as, path).Body, "environmentVariables", as.Name)
			require.Contains(t, s.List(as, base+"/robots").IDs(), id)
			require.NotContains(t, s.List(as, base+"/robots?filterContext=READY").IDs(), id, "it cannot be run without its environment")
		}
		require.Contains(t, s.List(demo.Stranger(), base+"/robots?filterContext=READY").IDs(), id)
		for _, as := range []demo.Account{demo.Carol(), demo.LoanWorker(), demo.OtherWorker()} {
			s.Refused(404, "NOT_FOUND", as, http.MethodGet, path, "")
		}
	}
	for _, as := range []demo.Account{demo.Alice(), demo.Stranger(), demo.Bob()} {
		reads := 1
		if as.ID == demo.Bob().ID {
			reads = 0
		}
		require.Equal(t, reads, s.Count(`SELECT count(*) FROM events WHERE type = 'ROBOT_ENVIRONMENT.READ'
			AND resource_id = $1 AND actor_id = $2`, id, as.ID), "once a day: %s", as.Name)
	}
	s.Advance(24 * time.Hour)
	s.Get(200, demo.Stranger(), apitest.ShapeB+apitest.RobotPath(id, ""))
	require.Equal(t, 3, s.Count(`SELECT count(*) FROM events WHERE type = 'ROBOT_ENVIRONMENT.READ' AND resource_id = $1`, id))
	// Registering a worker for a robot gives no right on it.
	s.Post(201, demo.LoanWorker(), "/workers",
		`{"identity":"w","taskQueue":"QUEUE_SAMPLE_LOAN","hostname":"h","ip":"127.0.0.1","robotIds":["`+id.String()+`"]}`)
	s.Refused(404, "NOT_FOUND", demo.LoanWorker(), http.MethodGet, apitest.RobotPath(id, ""), "")
	// Its processes' tasks being assisted by it does.
	assistLoans(s, "BOT")
	require.Equal(t, map[string]string{"TOKEN": "planted"},
		apitest.Decode[oasb.Robot](t, s.Get(200, demo.LoanWorker(), apitest.RobotPath(id, ""))).EnvironmentVariables)
	s.Refused(404, "NOT_FOUND", demo.OtherWorker(), http.MethodGet, apitest.RobotPath(id, ""), "")
}

// A value appears where it is asked for by who may see it, and nowhere else.
func TestAValueOfTheEnvironmentIsNowhereElse(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := apitest.NewService(t, func(o *api.Options) {
		o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	id := s.ApplyRobot("demo", "BOT", `{"name":"Bot","workflowType":"W","taskQueue":"q","runner":"loan-worker"}`)
	s.UploadRobot("demo", "BOT", domain.RobotAssetKey{}, "a.zip", "application/zip", "source")
	assistLoans(s, "BOT")
	const planted = "planted-value"
	seen := func(got apitest.Answer) {
		t.Helper()
		require.NotContains(t, got.Body, planted)
		for name, values := range got.Header {
			require.NotContains(t, strings.Join(values, " "), planted, name)
		}
	}
	put := func(name, body string) apitest.Answer {
		return s.Send(contracttest.Invalid(apitest.Request(t, demo.Alice(), http.MethodPut, apitest.AdminRobotPath("demo", "BOT", "/environment/"+name), body)))
	}
	got := put("TOKEN", `{"value":"`+planted+`"}`)
	require.Equal(t, 204, got.Status, got.Body)
	seen(got)
	for _, response := range []apitest.Answer{
		put("1TOKEN", `{"value":"`+planted+`"}`), put("TOKEN", `{"value":["`+planted+`"]}`), put("TOKEN", `{"valeu":"`+planted+`"}`),
		put("TOKEN", `{"value":"`+strings.Repeat(planted, 400)+`"}`), put("TOKEN", `{"value":"`+planted+`\u0000"}`),
		put("TOKEN", `{"value":"`+planted+`"`),
	} {
		require.Equal(t, 400, response.Status)
		seen(response)
	}
	task := s.Item(s.Loan().ID, "APPROVE_LOAN", "").ID
	seen(s.Post(200, demo.LoanWorker(), apitest.ItemPath(task, "/task/~actions/claim"), ""))
	require.Equal(t, 1, s.Count(`SELECT count(*) FROM engine_runs WHERE kind = 'TASK_ROBOT' AND owner_id = $1`, task))
	for _, path := range []string{
		apitest.ShapeA + "/robots", apitest.ShapeB + "/robots", apitest.AdminAPI + "/resources?kind=Robot", apitest.ResourcePath("demo", "Robot", "BOT", ""),
		apitest.ItemPath(task, ""), apitest.TaskPathA(task, ""),
	} {
		seen(s.Get(200, demo.Alice(), path))
	}
	seen(s.Post(200, demo.Alice(), apitest.ApplyPath, apitest.Applying("", apitest.Document("demo", "Robot", "BOT", `{"name":"Bot again",`+
		`"workflowType":"W","taskQueue":"q","runner":"loan-worker"}`))))
	require.Contains(t, s.Get(200, demo.Alice(), apitest.RobotPath(id, "")).Body, planted)

	conn := s.Connect()
	defer func() { _ = conn.Close(t.Context()) }()
	for table := range s.Snapshot() {
		var n int
		require.NoError(t, conn.QueryRow(t.Context(),
			`SELECT count(*) FROM `+table+` t WHERE t::text LIKE '%' || $1 || '%'
			    OR t::text LIKE '%' || encode($1::bytea, 'hex') || '%'`, planted).Scan(&n))
		require.Zero(t, n, table)
	}
	require.NotEmpty(t, log.String())
	require.NotContains(t, log.String(), planted)
}

func TestUploadsOfRobotsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	path := apitest.AdminRobotPath("demo", "KYC_BOT", "/source", apitest.FileQuery("application/zip", "../a b.zip"))
	kept := apitest.Decode[struct{ Name string }](t, s.Call(200, demo.Alice(), http.MethodPut, path, "kept"))
	require.Equal(t, "a b.zip", kept.Name)
	before := s.Snapshot()
	s.Refused(413, "DOCUMENT_TOO_LARGE", demo.Alice(), http.MethodPut, path, strings.Repeat("x", apitest.DocumentLimit+1))
	failure := s.Refused(400, "VALIDATION", demo.Alice(), http.MethodPut,
		apitest.AdminRobotPath("demo", "KYC_BOT", "/source", apitest.FileQuery("zip", "a.zip")), "x")
	require.Equal(t, "fileContentType", failure.Errors[0].Location)
	failure = s.Refused(400, "VALIDATION", demo.Alice(), http.MethodPut, apitest.AdminRobotPath("demo", "KYC_BOT", "/asset",
		"type=PYTHON&version=%20&platform=LINUX&architecture=X86_64", apitest.FileQuery("application/zip", "a.zip")), "x")
	require.Equal(t, "version", failure.Errors[0].Location)
	wrong := apitest.Request(t, demo.Alice(), http.MethodPut, path, "{}")
	wrong.Header.Set("Content-Type", "application/json")
	require.Equal(t, 415, s.Send(contracttest.Invalid(wrong)).Status)
	s.Refused(404, "NOT_FOUND", demo.Alice(), http.MethodDelete, apitest.AdminRobotPath("demo", "KYC_BOT", "/asset", apitest.AssetQuery(demo.RobotAsset())), "")
	s.Refused(404, "NOT_FOUND", demo.Alice(), http.MethodDelete, apitest.AdminRobotPath("demo", "KYC_BOT", "/environment/NONE"), "")
	require.Equal(t, before, s.Snapshot())
	s.RequireBlobs(1)
	require.Equal(t, "kept", s.Get(200, demo.LoanWorker(), downloads(demo.Robot(), domain.RobotAssetKey{})[1]).Body)
}

// assistLoans has a robot assist with the tasks APPROVE_LOAN of the tenant Demo.
func assistLoans(s *apitest.Service, robot string) {
	s.T.Helper()
	found, err := s.Administration.RetrieveResource(s.T.Context(), apitest.OperatorCall(),
		administration.ResourceKey{Tenant: "demo", Kind: resource.KindProcessDefinition, Code: "LOAN"})
	require.NoError(s.T, err)
	spec, ok := found.Spec.(*resource.ProcessDefinitionSpec)
	require.True(s.T, ok)
	for i := range spec.Items {
		if spec.Items[i].Code == "APPROVE_LOAN" {
			spec.Items[i].Robot = &resource.ItemRobotSpec{Code: robot, Operation: "CHECK"}
		}
	}
	text, err := found.MarshalJSON()
	require.NoError(s.T, err)
	_, err = s.Administration.ApplyResources(s.T.Context(), apitest.OperatorCall(), administration.ApplyRequest{Documents: []json.RawMessage{text}})
	require.NoError(s.T, err)
}

var uploadTime = regexp.MustCompile(`"uploadedAt":"2026-03-02T1[01]:30:[^"]*Z"`)
