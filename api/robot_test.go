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

	"github.com/procession-dev/procession/administer"
	"github.com/procession-dev/procession/api"
	oasa "github.com/procession-dev/procession/api/shapea/oas"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	data "github.com/procession-dev/procession/examples/demo"
	"github.com/procession-dev/procession/internal/testkit/contracttest"
)

// downloads are the paths of a file of a robot in both shapes.
func downloads(id uuid.UUID, key domain.RobotAssetKey) []string {
	rest := robotPath(id, "/~actions/download-source-code")
	if !key.Source() {
		rest = robotPath(id, "/~actions/download-asset?"+assetQuery(key))
	}
	return []string{shapeA + rest, shapeB + rest}
}

func TestTheDemoRobotIsDownloadedAsItIs(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.loadFiles()
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
			got := s.get(200, demo.LoanWorker(), path)
			require.Equal(t, string(want), got.body)
			require.Equal(t, "application/zip", got.header.Get("Content-Type"))
			require.Equal(t, fmt.Sprint(len(want)), got.header.Get("Content-Length"))
			require.Equal(t, `"`+hex.EncodeToString(digest[:])+`"`, got.header.Get("ETag"))
			require.Equal(t, `attachment; filename="`+name+`"; filename*=UTF-8''`+name, got.header.Get("Content-Disposition"))
		}
	}
	for _, base := range []string{shapeA, shapeB} {
		source := decode[oasb.Robot](t, s.get(200, demo.LoanWorker(), base+robotPath(demo.Robot(), ""))).SourceFile
		got := s.get(200, demo.LoanWorker(), downloads(demo.Robot(), domain.RobotAssetKey{})[0])
		digest := sha256.Sum256([]byte(got.body))
		require.Equal(t, hex.EncodeToString(digest[:]), source.ContentHash)
		require.EqualValues(t, len(got.body), source.ContentLength)
		require.Equal(t, "kyc-bot.zip", source.Name)
		require.Equal(t, "application/zip", source.ContentType)
	}
	// Loading the same manifests again changes nothing.
	before := s.snapshot()
	s.loadFiles()
	require.Equal(t, before, s.snapshot())
}

func TestPartsOfFilesOfARobot(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, key := range []domain.RobotAssetKey{{}, demo.RobotAsset()} {
		s.uploadRobot("demo", "KYC_BOT", key, "a.bin", "application/octet-stream", "0123456789")
		for _, path := range downloads(demo.Robot(), key) {
			s.requireParts(path)
		}
	}
}

func TestAnAssetIsWhatAllParametersName(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.uploadRobot("demo", "KYC_BOT", domain.RobotAssetKey{}, "a.zip", "application/zip", "source")
	keys := []domain.RobotAssetKey{
		{Type: "PYTHON", Version: "3.12", Platform: "LINUX", Architecture: "X86_64"},
		{Type: "PYTHON_PIP", Version: "3.12", Platform: "LINUX", Architecture: "X86_64"},
		{Type: "PYTHON", Version: "3.13 ü&", Platform: "LINUX", Architecture: "X86_64"},
		{Type: "PYTHON", Version: "3.12", Platform: "MAC_OS", Architecture: "X86_64"},
		{Type: "PYTHON", Version: "3.12", Platform: "LINUX", Architecture: "X86_32"},
	}
	for i, key := range keys {
		s.uploadRobot("demo", "KYC_BOT", key, "a.zip", "application/zip", fmt.Sprint("asset ", i))
	}
	for i, key := range keys {
		for _, path := range downloads(demo.Robot(), key) {
			require.Equal(t, fmt.Sprint("asset ", i), s.get(200, demo.LoanWorker(), path).body)
		}
	}
	absent := keys[0]
	absent.Platform = "WINDOWS"
	for _, path := range downloads(demo.Robot(), absent) {
		s.refused(404, "NOT_FOUND", demo.LoanWorker(), http.MethodGet, path, "")
	}
	for name, broken := range map[string]string{
		"type": "type=RUBY", "platform": "platform=AIX", "architecture": "architecture=ARM", "version": "version=",
	} {
		path := strings.Replace(downloads(demo.Robot(), keys[0])[1], name+"="+map[string]string{
			"type": "PYTHON", "platform": "LINUX", "architecture": "X86_64", "version": "3.12",
		}[name], broken, 1)
		got := s.send(contracttest.Invalid(request(t, demo.LoanWorker(), http.MethodGet, path, "")))
		require.Equal(t, 400, got.status, path)
		require.Equal(t, name, decode[contracttest.ErrorBody](t, got).Errors[0].Location)
	}
}

// A robot that cannot be run yet is not READY.
func TestRobotsWithoutASourcePackage(t *testing.T) {
	t.Parallel()
	s := newService(t)
	bare := s.applyRobot("demo", "BARE", `{"name":"Bare","runner":"loan-worker","sourceType":"ROBOT_FRAMEWORK_PYTHON_WHEEL"}`)
	s.uploadRobot("demo", "BARE", demo.RobotAsset(), "a.zip", "application/zip", "node")
	s.uploadRobot("demo", "KYC_BOT", domain.RobotAssetKey{}, "a.zip", "application/zip", "source")
	for path, want := range map[string][]uuid.UUID{
		shapeA + "/robots":                       {demo.Robot(), bare},
		shapeA + "/robots?filterContext=DEFAULT": {demo.Robot(), bare},
		shapeA + "/robots?filterContext=READY":   {demo.Robot()},
		shapeB + "/robots":                       {demo.Robot(), bare},
		shapeB + "/robots?filterContext=DEFAULT": {demo.Robot(), bare},
		shapeB + "/robots?filterContext=READY":   {demo.Robot()},
	} {
		found := s.list(demo.Alice(), path)
		var ids []uuid.UUID
		for _, r := range found.Content {
			ids = append(ids, r.ID)
		}
		require.Equal(t, want, ids, path)
		require.EqualValues(t, len(want), found.Metadata.TotalElements, path)
	}
	older := decode[oasa.Robot](t, s.get(200, demo.Alice(), shapeA+robotPath(bare, "")))
	require.Nil(t, older.SourceFile)
	require.Equal(t, oasa.RobotSourceTypeROBOTFRAMEWORKPYTHONWHEEL, older.SourceType)
	newer := decode[oasb.Robot](t, s.get(200, demo.Alice(), shapeB+robotPath(bare, "")))
	require.Nil(t, newer.SourceFile)
	require.Equal(t, oasb.RobotSourceTypeUNKNOWN, newer.SourceType)
	for _, path := range downloads(bare, demo.RobotAsset()) {
		require.Equal(t, "node", s.get(200, demo.Alice(), path).body)
	}
	for _, path := range downloads(bare, domain.RobotAssetKey{}) {
		s.refused(404, "NOT_FOUND", demo.Alice(), http.MethodGet, path, "")
	}
}

func TestRobotsAreListed(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := []uuid.UUID{demo.Robot()}
	for _, code := range []string{"A", "B"} {
		ids = append(ids, s.applyRobot("demo", code, `{"name":"Bot"}`))
	}
	s.otherRobot()
	for _, code := range []string{"A", "B", "KYC_BOT"} {
		s.uploadRobot("demo", code, domain.RobotAssetKey{}, "a.zip", "application/zip", code)
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
		for _, base := range []string{shapeA, shapeB} {
			var found []uuid.UUID
			for _, r := range s.list(demo.Alice(), base+"/robots"+query).Content {
				found = append(found, r.ID)
			}
			require.Equal(t, want, found, query)
		}
	}
	inA := decode[struct{ Content []object }](t, s.get(200, demo.Alice(), shapeA+"/robots")).Content
	inB := decode[struct{ Content []object }](t, s.get(200, demo.Alice(), shapeB+"/robots")).Content
	for i := range inA {
		require.Equal(t, "ROBOT", inA[i]["objectType"])
		delete(inA[i], "objectType")
	}
	require.Equal(t, inB, inA)
	page := decode[oasa.RobotPage](t, s.get(200, demo.Alice(), shapeA+"/robots?size=0"))
	require.Equal(t, oasa.PagedObjectTypeROBOTPAGE, *page.ObjectType)
}

func TestBodiesOfRobots(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.loadFiles()
	require.NoError(t, s.administration.SetRobotVariable(t.Context(), operatorCaller(), robotKey("demo", "KYC_BOT"),
		"GREETING", domain.NewSecret(`<"é">`)))
	for shape, base := range map[string]string{"shape_a": shapeA, "shape_b": shapeB} {
		requireGolden(t, shape+"/robot", s.get(200, demo.LoanWorker(), base+robotPath(demo.Robot(), "")).hidingRandomIDs())
		requireGolden(t, shape+"/robot_page", s.get(200, demo.LoanWorker(), base+"/robots").hidingRandomIDs())
	}
	got := s.get(200, demo.Alice(), resourcePath("demo", "Robot", "KYC_BOT", "")).hidingRandomIDs()
	got.body = uploadTime.ReplaceAllString(got.body, `"uploadedAt":"2026-03-02T10:30:00.001Z"`)
	requireGolden(t, "admin/robot", got)
}

// A principal that runs a robot reads its environment, in whichever way it comes to
// run it, and may list it as READY; one that may only download it does not.
func TestWhoSeesTheEnvironmentOfARobot(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := s.applyRobot("demo", "BOT", `{"name":"Bot","workflowType":"W","taskQueue":"q","runner":"stranger",`+
		`"permissions":{"viewers":[{"group":"REVIEWERS"},{"application":"reader"}]}}`)
	s.uploadRobot("demo", "BOT", domain.RobotAssetKey{}, "a.zip", "application/zip", "source")
	require.NoError(t, s.administration.SetRobotVariable(t.Context(), operatorCaller(), robotKey("demo", "BOT"), "TOKEN", domain.NewSecret("planted")))
	for _, base := range []string{shapeA, shapeB} {
		path := base + robotPath(id, "")
		for _, as := range []demo.Account{demo.Alice(), demo.Stranger()} {
			got := s.get(200, as, path)
			require.Equal(t, map[string]string{"TOKEN": "planted"}, decode[oasb.Robot](t, got).EnvironmentVariables, as.Name)
			require.Equal(t, "no-store", got.header.Get("Cache-Control"))
		}
		for _, as := range []demo.Account{demo.Bob(), demo.Reader()} {
			require.NotContains(t, s.get(200, as, path).body, "environmentVariables", as.Name)
			require.Contains(t, s.list(as, base+"/robots").ids(), id)
			require.NotContains(t, s.list(as, base+"/robots?filterContext=READY").ids(), id, "it cannot be run without its environment")
		}
		require.Contains(t, s.list(demo.Stranger(), base+"/robots?filterContext=READY").ids(), id)
		for _, as := range []demo.Account{demo.Carol(), demo.LoanWorker(), demo.OtherWorker()} {
			s.refused(404, "NOT_FOUND", as, http.MethodGet, path, "")
		}
	}
	for _, as := range []demo.Account{demo.Alice(), demo.Stranger(), demo.Bob()} {
		reads := 1
		if as.ID == demo.Bob().ID {
			reads = 0
		}
		require.Equal(t, reads, s.count(`SELECT count(*) FROM events WHERE type = 'ROBOT_ENVIRONMENT.READ'
			AND resource_id = $1 AND actor_id = $2`, id, as.ID), "once a day: %s", as.Name)
	}
	s.advance(24 * time.Hour)
	s.get(200, demo.Stranger(), shapeB+robotPath(id, ""))
	require.Equal(t, 3, s.count(`SELECT count(*) FROM events WHERE type = 'ROBOT_ENVIRONMENT.READ' AND resource_id = $1`, id))
	// Registering a worker for a robot gives no right on it.
	s.post(201, demo.LoanWorker(), "/workers",
		`{"identity":"w","taskQueue":"QUEUE_SAMPLE_LOAN","hostname":"h","ip":"127.0.0.1","robotIds":["`+id.String()+`"]}`)
	s.refused(404, "NOT_FOUND", demo.LoanWorker(), http.MethodGet, robotPath(id, ""), "")
	// Its processes' tasks being assisted by it does.
	s.assistLoans("BOT")
	require.Equal(t, map[string]string{"TOKEN": "planted"},
		decode[oasb.Robot](t, s.get(200, demo.LoanWorker(), robotPath(id, ""))).EnvironmentVariables)
	s.refused(404, "NOT_FOUND", demo.OtherWorker(), http.MethodGet, robotPath(id, ""), "")
}

// A value appears where it is asked for by who may see it, and nowhere else.
func TestAValueOfTheEnvironmentIsNowhereElse(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := newService(t, func(o *api.Options) {
		o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	id := s.applyRobot("demo", "BOT", `{"name":"Bot","workflowType":"W","taskQueue":"q","runner":"loan-worker"}`)
	s.uploadRobot("demo", "BOT", domain.RobotAssetKey{}, "a.zip", "application/zip", "source")
	s.assistLoans("BOT")
	const planted = "planted-value"
	seen := func(got answer) {
		t.Helper()
		require.NotContains(t, got.body, planted)
		for name, values := range got.header {
			require.NotContains(t, strings.Join(values, " "), planted, name)
		}
	}
	put := func(name, body string) answer {
		return s.send(contracttest.Invalid(request(t, demo.Alice(), http.MethodPut, adminRobotPath("demo", "BOT", "/environment/"+name), body)))
	}
	got := put("TOKEN", `{"value":"`+planted+`"}`)
	require.Equal(t, 204, got.status, got.body)
	seen(got)
	for _, refused := range []answer{
		put("1TOKEN", `{"value":"`+planted+`"}`), put("TOKEN", `{"value":["`+planted+`"]}`), put("TOKEN", `{"valeu":"`+planted+`"}`),
		put("TOKEN", `{"value":"`+strings.Repeat(planted, 400)+`"}`), put("TOKEN", `{"value":"`+planted+`\u0000"}`),
		put("TOKEN", `{"value":"`+planted+`"`),
	} {
		require.Equal(t, 400, refused.status)
		seen(refused)
	}
	task := s.item(s.loan().ID, "APPROVE_LOAN", "").ID
	seen(s.post(200, demo.LoanWorker(), itemPath(task, "/task/~actions/claim"), ""))
	require.Equal(t, 1, s.count(`SELECT count(*) FROM engine_runs WHERE kind = 'TASK_ROBOT' AND owner_id = $1`, task))
	for _, path := range []string{
		shapeA + "/robots", shapeB + "/robots", adminAPI + "/resources?kind=Robot", resourcePath("demo", "Robot", "BOT", ""),
		itemPath(task, ""), taskPathA(task, ""),
	} {
		seen(s.get(200, demo.Alice(), path))
	}
	seen(s.post(200, demo.Alice(), applyPath, applying("", document("demo", "Robot", "BOT", `{"name":"Bot again",`+
		`"workflowType":"W","taskQueue":"q","runner":"loan-worker"}`))))
	require.Contains(t, s.get(200, demo.Alice(), robotPath(id, "")).body, planted)

	conn := s.connect()
	defer func() { _ = conn.Close(t.Context()) }()
	for table := range s.snapshot() {
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
	s := newService(t)
	path := adminRobotPath("demo", "KYC_BOT", "/source", fileQuery("application/zip", "../a b.zip"))
	kept := decode[struct{ Name string }](t, s.call(200, demo.Alice(), http.MethodPut, path, "kept"))
	require.Equal(t, "a b.zip", kept.Name)
	before := s.snapshot()
	s.refused(413, "DOCUMENT_TOO_LARGE", demo.Alice(), http.MethodPut, path, strings.Repeat("x", documentLimit+1))
	failure := s.refused(400, "VALIDATION", demo.Alice(), http.MethodPut,
		adminRobotPath("demo", "KYC_BOT", "/source", fileQuery("zip", "a.zip")), "x")
	require.Equal(t, "fileContentType", failure.Errors[0].Location)
	failure = s.refused(400, "VALIDATION", demo.Alice(), http.MethodPut, adminRobotPath("demo", "KYC_BOT", "/asset",
		"type=PYTHON&version=%20&platform=LINUX&architecture=X86_64", fileQuery("application/zip", "a.zip")), "x")
	require.Equal(t, "version", failure.Errors[0].Location)
	wrong := request(t, demo.Alice(), http.MethodPut, path, "{}")
	wrong.Header.Set("Content-Type", "application/json")
	require.Equal(t, 415, s.send(contracttest.Invalid(wrong)).status)
	s.refused(404, "NOT_FOUND", demo.Alice(), http.MethodDelete, adminRobotPath("demo", "KYC_BOT", "/asset", assetQuery(demo.RobotAsset())), "")
	s.refused(404, "NOT_FOUND", demo.Alice(), http.MethodDelete, adminRobotPath("demo", "KYC_BOT", "/environment/NONE"), "")
	require.Equal(t, before, s.snapshot())
	s.requireBlobs(1)
	require.Equal(t, "kept", s.get(200, demo.LoanWorker(), downloads(demo.Robot(), domain.RobotAssetKey{})[1]).body)
}

// assistLoans has a robot assist with the tasks APPROVE_LOAN of the tenant Demo.
func (s *service) assistLoans(robot string) {
	s.t.Helper()
	found, err := s.administration.RetrieveResource(s.t.Context(), operatorCaller(),
		administer.ResourceKey{Tenant: "demo", Kind: resource.KindProcessDefinition, Code: "LOAN"})
	require.NoError(s.t, err)
	spec, ok := found.Spec.(*resource.ProcessDefinitionSpec)
	require.True(s.t, ok)
	for i := range spec.Items {
		if spec.Items[i].Code == "APPROVE_LOAN" {
			spec.Items[i].Robot = &resource.ItemRobotSpec{Code: robot, Operation: "CHECK"}
		}
	}
	text, err := found.MarshalJSON()
	require.NoError(s.t, err)
	_, err = s.administration.ApplyResources(s.t.Context(), operatorCaller(), administer.ApplyRequest{Documents: []json.RawMessage{text}})
	require.NoError(s.t, err)
}

var uploadTime = regexp.MustCompile(`"uploadedAt":"2026-03-02T1[01]:30:[^"]*Z"`)
