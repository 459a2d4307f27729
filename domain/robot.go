package domain

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
)

// RobotSourceType says what the source of a robot is.
type RobotSourceType string

// The sources are archives of any layout and wheels of Robot Framework.
const (
	RobotSourcePackage RobotSourceType = "PACKAGE"
	RobotSourceWheel   RobotSourceType = "ROBOT_FRAMEWORK_PYTHON_WHEEL"
)

// RobotAssetType says what an asset of a robot is good for.
type RobotAssetType string

// RobotAssetPlatform is the operating system that an asset is for.
type RobotAssetPlatform string

// RobotAssetArchitecture is the processor that an asset is for.
type RobotAssetArchitecture string

// RobotAssetKey tells the assets of a robot apart. The zero key is that of its
// source package.
type RobotAssetKey struct {
	Type         RobotAssetType
	Version      string
	Platform     RobotAssetPlatform
	Architecture RobotAssetArchitecture
}

// Source reports whether the key is that of the source package.
func (k RobotAssetKey) Source() bool { return k == RobotAssetKey{} }

// maxAssetVersion is the length of the version of an asset, in characters.
const maxAssetVersion = 50

// Check refuses a version of an asset that the database cannot keep. The other
// members are words of the contract, which the request was checked against before.
func (k RobotAssetKey) Check() error {
	if k.Source() {
		return nil
	}
	if length := utf8.RuneCountInString(k.Version); length == 0 || length > maxAssetVersion {
		return Invalid(LocationQuery, "version", "must have 1 to 50 characters")
	}
	if strings.ContainsFunc(k.Version, unicode.IsControl) || strings.TrimSpace(k.Version) == "" {
		return Invalid(LocationQuery, "version", "must be text on one line that is not blank")
	}
	return nil
}

// Robot is a downloadable automation package (specification section 2.18).
// Source is nil until a package was uploaded.
type Robot struct {
	ID          uuid.UUID
	TenantID    uuid.UUID
	Code        string
	Name        string
	Description string
	SourceType  RobotSourceType
	Source      *RobotFile
	Worker      RobotWorker
	Audit
}

// RobotWorker says who runs a robot in the engine. All of it may be empty; with
// a WorkflowType there are a TaskQueue and a RunnerID.
type RobotWorker struct {
	WorkflowType string
	TaskQueue    string
	RunnerID     uuid.UUID
}

// RobotFile is the source package or an asset of a robot, without its bytes.
// UploadedBy and UploadedAt tell of the upload.
type RobotFile struct {
	ID          uuid.UUID
	Key         RobotAssetKey
	Name        string
	ContentType string
	Size        int64
	SHA256      [32]byte
	UploadedBy  uuid.UUID
	UploadedAt  time.Time
}

// NewRobotFile is a document as a file of a robot.
func NewRobotFile(key RobotAssetKey, d *Document) RobotFile {
	return RobotFile{
		ID: d.ID, Key: key, Name: d.Name, ContentType: d.ContentType, Size: d.Size, SHA256: d.SHA256,
		UploadedBy: d.CreatedBy, UploadedAt: d.CreatedAt,
	}
}

// RobotVariable is an environment variable of a robot. Its value is sealed.
type RobotVariable struct {
	RobotID    uuid.UUID
	Name       string
	Sealed     []byte
	ModifiedBy uuid.UUID
	ModifiedAt time.Time
}

// TaskRobot is what a task definition says of the robot that assists with its
// tasks: the robot's code and the operation that is asked of it.
type TaskRobot struct {
	Code      string `json:"code"`
	Operation string `json:"operation"`
}

// AssistingRobot is a robot that can be started for a task.
type AssistingRobot struct {
	ID        uuid.UUID
	Worker    RobotWorker
	Operation string
	// EncryptionKey is the code of the key of the process definition, "" for none.
	EncryptionKey string
}

// TaskRobotRequest is what the workflow of a robot is told of its task when it
// starts. It is kept with the run, so that a retry tells the same.
type TaskRobotRequest struct {
	ProcessID uuid.UUID `json:"processId"`
	RobotID   uuid.UUID `json:"robotId"`
	Operation string    `json:"operation"`
}

// NewTaskRobotRun is the run of the workflow of a robot that assists with a
// task. A task has one each time it is claimed, so the workflow id is derived
// from the id of the run.
func NewTaskRobotRun(id uuid.UUID, task *ProcessItem, robot AssistingRobot, namespace string) EngineRun {
	return EngineRun{
		ID: id, TenantID: task.TenantID, Kind: RunKindTaskRobot, OwnerID: task.ID, Namespace: namespace,
		WorkflowID: "task-robot-" + id.String(), WorkflowType: robot.Worker.WorkflowType,
		TaskQueue: robot.Worker.TaskQueue, State: RunPending,
		Robot: &TaskRobotRequest{ProcessID: task.ProcessID, RobotID: robot.ID, Operation: robot.Operation},
	}
}
