package domain

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
)

// RobotSourceType is the format of the source of a robot.
type RobotSourceType string

// The sources are archives of any layout and wheels of Robot Framework.
const (
	RobotSourcePackage RobotSourceType = "PACKAGE"
	RobotSourceWheel   RobotSourceType = "ROBOT_FRAMEWORK_PYTHON_WHEEL"
)

// RobotAssetType is the purpose of an asset of a robot.
type RobotAssetType string

// RobotAssetPlatform is the operating system that an asset is for.
type RobotAssetPlatform string

// RobotAssetArchitecture is the processor that an asset is for.
type RobotAssetArchitecture string

// RobotAssetKey identifies an asset of a robot. The zero key identifies its source package.
type RobotAssetKey struct {
	Type         RobotAssetType
	Version      string
	Platform     RobotAssetPlatform
	Architecture RobotAssetArchitecture
}

// Source reports whether the key identifies the source package.
func (k RobotAssetKey) Source() bool { return k == RobotAssetKey{} }

// maxAssetVersion is the maximum length of the version of an asset, in characters.
const maxAssetVersion = 50

// Check refuses a version of an asset that the database cannot store. The other members are enumerated in the
// contract and checked with the request.
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

// Robot is a downloadable automation package (specification section 2.18). Source is nil until a package was
// uploaded.
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

// RobotWorker describes how a robot runs in the engine. All fields may be empty; a WorkflowType requires a
// TaskQueue and a RunnerID.
type RobotWorker struct {
	WorkflowType string
	TaskQueue    string
	RunnerID     uuid.UUID
}

// RobotFile is the source package or an asset of a robot, without its bytes. UploadedBy and UploadedAt describe
// the upload.
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

// NewRobotFile returns a document as a file of a robot.
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

// TaskRobot is the robot in a task definition that assists with its tasks: the robot's code and the operation
// requested from it.
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

// TaskRobotRequest is the input of the workflow of a robot about its task. It is stored with the run, so that a
// retry has the same input.
type TaskRobotRequest struct {
	ProcessID uuid.UUID `json:"processId"`
	RobotID   uuid.UUID `json:"robotId"`
	Operation string    `json:"operation"`
}

// NewTaskRobotRun returns the run of the workflow of a robot that assists with a task. A task has one each time
// it is claimed, so the workflow id is derived from the id of the run.
func NewTaskRobotRun(id uuid.UUID, task *ProcessItem, robot AssistingRobot, namespace string) EngineRun {
	return EngineRun{
		ID: id, TenantID: task.TenantID, Kind: RunKindTaskRobot, OwnerID: task.ID, Namespace: namespace,
		WorkflowID: taskRobotPrefix + id.String(), WorkflowType: robot.Worker.WorkflowType,
		TaskQueue: robot.Worker.TaskQueue, State: RunPending,
		Robot: &TaskRobotRequest{ProcessID: task.ProcessID, RobotID: robot.ID, Operation: robot.Operation},
	}
}
