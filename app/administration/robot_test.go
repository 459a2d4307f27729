package administration_test

import (
	"context"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/authn"
	blobs "github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// robots is a service with the robot BOT in the tenant north, which the
// application bot runs.
type robots struct {
	*configured
	documents *blobs.Store
	id        uuid.UUID
	clock     time.Time
}

const botSpec = `{"name":"Bot","workflowType":"Bot","taskQueue":"bots","runner":"bot"}`

func bot(spec string) json.RawMessage { return document("Robot", "north", "BOT", spec) }

func botKey() administration.ResourceKey {
	return administration.ResourceKey{Kind: resource.KindRobot, Tenant: "north", Code: "BOT"}
}

func newRobots(t *testing.T) *robots {
	t.Helper()
	r := &robots{configured: newConfigured(t), clock: time.Now().UTC().Truncate(time.Microsecond)}
	var err error
	r.documents, err = blobs.Open(t.Context(), "mem://")
	require.NoError(t, err)
	key, err := authn.LoadOrCreateSealKey(t.TempDir() + "/seal.key")
	require.NoError(t, err)
	sealer, err := authn.NewSealer(key)
	require.NoError(t, err)
	r.serve(storage.Options{Clock: func() time.Time { return r.clock }}, sealer, r.documents)
	r.apply(r.anna(), document("Application", "north", "bot", `{"name":"Bot"}`), bot(botSpec))
	r.id = r.configured.id(resource.KindRobot, "north", "BOT")
	return r
}

func (r *robots) anna() domain.Call { return r.caller("north", "anna", domain.RoleAdministrator) }

func (r *robots) upload(asset domain.RobotAssetKey, text string) (*domain.RobotFile, error) {
	return r.UploadRobotFile(r.t.Context(), r.anna(), botKey(), asset,
		storage.File{Name: "a.zip", ContentType: "application/zip", Body: strings.NewReader(text)})
}

// content reads the source package, "" when there is none.
func (r *robots) content() string {
	r.t.Helper()
	found, err := r.DownloadRobotSourceCode(r.t.Context(), r.anna(), r.id)
	if domain.HasCode(err, domain.CodeNotFound) {
		return ""
	}
	require.NoError(r.t, err)
	defer func() { _ = found.Content.Close() }()
	text, err := io.ReadAll(found.Content)
	require.NoError(r.t, err)
	return string(text)
}

// blobs counts stored blobs after the removal of expired ones.
func (r *robots) blobs(after time.Duration) int {
	r.t.Helper()
	r.clock = r.clock.Add(after)
	_, err := r.ExpireDocuments(r.t.Context(), 100)
	require.NoError(r.t, err)
	page, err := r.documents.List(r.t.Context(), "", 100, r.clock.Add(time.Hour))
	require.NoError(r.t, err)
	return len(page.Blobs)
}

func TestFilesOfARobotAreReplacedAndExpire(t *testing.T) {
	t.Parallel()
	r := newRobots(t)
	node := domain.RobotAssetKey{Type: "NODEJS", Version: "20.0.0", Platform: "LINUX", Architecture: "X86_64"}
	require.Empty(t, r.content())
	first, err := r.upload(domain.RobotAssetKey{}, "first")
	require.NoError(t, err)
	_, err = r.upload(node, "node")
	require.NoError(t, err)
	require.Equal(t, 2, r.blobs(24*time.Hour), "files of robots do not expire")

	second, err := r.upload(domain.RobotAssetKey{}, "second")
	require.NoError(t, err)
	require.NotEqual(t, first.ID, second.ID)
	require.Equal(t, "second", r.content())
	require.Equal(t, 3, r.blobs(time.Minute), "downloads that have begun go on")
	require.Equal(t, 2, r.blobs(time.Hour))
	require.Equal(t, "second", r.content())

	_, err = r.upload(domain.RobotAssetKey{}, strings.Repeat("x", 101))
	require.True(t, domain.HasCode(err, domain.CodeDocumentTooLarge), err)
	require.Equal(t, "second", r.content(), "a failure replaces nothing")
	require.Equal(t, 2, r.blobs(0))

	require.NoError(t, r.DeleteRobotFile(t.Context(), r.anna(), botKey(), domain.RobotAssetKey{}))
	require.Empty(t, r.content())
	err = r.DeleteRobotFile(t.Context(), r.anna(), botKey(), domain.RobotAssetKey{})
	require.True(t, domain.HasCode(err, domain.CodeNotFound), err)
	require.Equal(t, 1, r.blobs(time.Hour))
	require.NoError(t, r.DeleteResource(t.Context(), r.anna(), botKey(), "", nil))
	require.Zero(t, r.blobs(time.Hour), "the files go with the robot")
	require.Zero(t, r.count(`SELECT count(*) FROM robot_files`))
}

// Applying a manifest keeps uploaded files and set variables.
func TestApplyingARobotLeavesItsFilesAlone(t *testing.T) {
	t.Parallel()
	r := newRobots(t)
	source, err := r.upload(domain.RobotAssetKey{}, "first")
	require.NoError(t, err)
	require.NoError(t, r.SetRobotVariable(t.Context(), r.anna(), botKey(), "TOKEN", domain.NewSecret("s3cret")))
	require.Equal(t, []administration.ApplyAction{administration.ApplyUnchanged}, r.apply(r.anna(), bot(botSpec)))
	exported := json.RawMessage(strings.Replace(string(bot(botSpec)), `"spec"`, `"status":{"source":{"contentHash":"?"}},"spec"`, 1))
	require.Equal(t, []administration.ApplyAction{administration.ApplyUnchanged}, r.apply(r.anna(), exported))
	r.clock = r.clock.Add(time.Minute)
	require.Equal(t, []administration.ApplyAction{administration.ApplyConfigured}, r.apply(r.anna(), bot(strings.Replace(botSpec, "Bot", "Robot", 1))))
	require.Equal(t, "first", r.content())
	found, err := r.RetrieveResource(t.Context(), r.anna(), botKey())
	require.NoError(t, err)
	require.Equal(t, []domain.RobotFile{*source}, found.Robot.Files)
	require.Equal(t, []string{"TOKEN"}, found.Robot.Variables)
	details, err := r.RetrieveRobot(t.Context(), r.anna(), r.id)
	require.NoError(t, err)
	require.Equal(t, "Robot", details.Name)
	require.Equal(t, r.clock, details.LastModifiedAt)
	require.Equal(t, "s3cret", details.Environment["TOKEN"].Reveal())
}

func TestRobotsHaveSoManyAssetsAndVariables(t *testing.T) {
	t.Parallel()
	r := newRobots(t)
	asset := func(n int) domain.RobotAssetKey {
		return domain.RobotAssetKey{Type: "PYTHON", Version: strconv.Itoa(n), Platform: "LINUX", Architecture: "X86_64"}
	}
	for n := range administration.MaxRobotAssets {
		_, err := r.upload(asset(n), "x")
		require.NoError(t, err)
	}
	_, err := r.upload(asset(administration.MaxRobotAssets), "x")
	require.True(t, domain.HasCode(err, domain.CodeConflict), err)
	_, err = r.upload(asset(0), "another")
	require.NoError(t, err)
	_, err = r.upload(domain.RobotAssetKey{}, "source")
	require.NoError(t, err)

	set := func(n int) error {
		return r.SetRobotVariable(t.Context(), r.anna(), botKey(), "V"+strconv.Itoa(n), domain.NewSecret("v"))
	}
	for n := range administration.MaxRobotVariables {
		require.NoError(t, set(n))
	}
	require.True(t, domain.HasCode(set(administration.MaxRobotVariables), domain.CodeConflict))
	require.NoError(t, set(0))
}

// A value opens for its robot and its name only.
func TestVariablesAreSealedForTheirPlace(t *testing.T) {
	t.Parallel()
	r := newRobots(t)
	for _, name := range []string{"A", "B"} {
		require.NoError(t, r.SetRobotVariable(t.Context(), r.anna(), botKey(), name, domain.NewSecret("planted-"+name)))
	}
	for table, content := range r.dump() {
		require.NotContains(t, content, "planted", table)
	}
	_, err := r.connect().Exec(t.Context(), `
UPDATE robot_environment SET sealed = (SELECT o.sealed FROM robot_environment o WHERE o.name = 'A') WHERE name = 'B'`)
	require.NoError(t, err)
	_, err = r.RetrieveRobot(t.Context(), r.anna(), r.id)
	require.ErrorContains(t, err, "reading the environment of robot "+r.id.String())
	require.NotContains(t, err.Error(), "planted")
}

func TestRobotsThatAssistAreNeeded(t *testing.T) {
	t.Parallel()
	r := newRobots(t)
	r.apply(r.anna(), checking("BOT"), document("Robot", "north", "IDLE", `{"name":"Idle"}`))
	require.Equal(t, "/documents/0/spec/items/0/robot/code",
		r.requireRefusal(domain.CodeValidation, r.anna(), checking("NONE"))[0].Location)
	details := r.requireRefusal(domain.CodeValidation, r.anna(), checking("IDLE"))
	require.Equal(t, "/documents/0/spec/items/0/robot/code", details[0].Location)
	require.Equal(t, "Robot IDLE has no workflowType to start", details[0].Message)
	details = r.requireRefusal(domain.CodeValidation, r.anna(), bot(`{"name":"Bot"}`))
	require.Equal(t, "/documents/0/spec/workflowType", details[0].Location)
	require.Equal(t, "is required: ProcessDefinition CHECKING has the robot assist with its tasks", details[0].Message)
	err := r.DeleteResource(t.Context(), r.anna(), botKey(), "", nil)
	require.True(t, domain.HasCode(err, domain.CodeConflict), err)
	require.ErrorContains(t, err, "ProcessDefinition CHECKING needs Robot BOT")
	err = r.DeleteResource(t.Context(), r.anna(), administration.ResourceKey{Kind: resource.KindApplication, Tenant: "north", Code: "bot"}, "", nil)
	require.True(t, domain.HasCode(err, domain.CodeConflict), err)
	require.Equal(t, []administration.ApplyAction{administration.ApplyUnchanged, administration.ApplyUnchanged}, r.apply(r.anna(), checking("BOT"), bot(botSpec)))
}

// A concurrent change between the bytes and the record wins.
func TestUploadRobotFileIntoDeletedRobot(t *testing.T) {
	t.Parallel()
	r := newRobots(t)
	deleting := &onRead{Reader: strings.NewReader("x"), do: func() {
		require.NoError(t, r.DeleteResource(context.WithoutCancel(t.Context()), r.anna(), botKey(), "", nil))
	}}
	_, err := r.UploadRobotFile(t.Context(), r.anna(), botKey(), domain.RobotAssetKey{},
		storage.File{Name: "a.zip", ContentType: "application/zip", Body: deleting})
	require.True(t, domain.HasCode(err, domain.CodeNotFound), err)
	require.Zero(t, r.blobs(0))
	require.Zero(t, r.count(`SELECT count(*) FROM documents`))
}

// onRead does something before the first byte is read.
type onRead struct {
	io.Reader
	do func()
}

// Read reads from the reader.
func (o *onRead) Read(p []byte) (int, error) {
	if o.do != nil {
		o.do()
		o.do = nil
	}
	return o.Reader.Read(p)
}
