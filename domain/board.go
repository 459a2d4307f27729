package domain

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain/translation"
)

// BoardProcess is a process as a list for people shows it.
type BoardProcess struct {
	ID uuid.UUID
	// Subject is the title of the process.
	Subject        string
	State          ProcessState
	Condition      Condition
	DefinitionID   uuid.UUID
	DefinitionName translation.Name
	InitiatorName  string
	// OpenTasks counts the tasks that are not finished, whether they are visible or not.
	OpenTasks int
	// Indexed are the indexed members of the metadata, as they are compared.
	Indexed        map[string]string
	CreatedAt      time.Time
	LastModifiedAt time.Time
}

// Choice is something that a list can be narrowed to.
type Choice struct {
	ID   uuid.UUID
	Name translation.Name
}

// NamedMember is an indexed member with the translations of its label. Label has no source.
type NamedMember struct {
	IndexedMember

	Label translation.Name
}

// Board is a page of processes with the options of its filters. Fields are the indexed members of the metadata of the
// selected definition, ordered by name. Attention and Engine count the visible processes by standing, up to AttentionLimit.
type Board struct {
	Page[BoardProcess]

	Attention, Engine int64

	Definitions []Choice
	Fields      []NamedMember
}

// RelatedProcess is a process that a process comes from, or one that comes from it.
type RelatedProcess struct {
	ID             uuid.UUID
	Incoming       bool
	Subject        string
	State          ProcessState
	Condition      Condition
	DefinitionName translation.Name
	CreatedAt      time.Time
}

// ProcessPart is an item of a process for display. Name is the name of its definition, "" for a message without one;
// OwnerName is empty for an item without an owner. State is the state of a task.
type ProcessPart struct {
	ID         uuid.UUID
	Type       ItemType
	Name       translation.Name
	State      TaskState
	OwnerName  string
	AuthorID   uuid.UUID
	AuthorName string
	ThreadID   *uuid.UUID
	// Text and Data are the content of a message, DataStructureCode is the structure of Data.
	Text              string
	Data              *JSONValue
	DataStructureCode string
	// Mentions are the people that a message mentions.
	Mentions       []MentionedPerson
	CreatedAt      time.Time
	LastModifiedAt time.Time
}

// MentionedPerson is a person that a message mentions.
type MentionedPerson struct{ Name, Email string }

// TimelineEvent is an event of a process with the names of its participants. OwnerName is the name of the principal
// that a task was assigned to.
type TimelineEvent struct {
	Event

	ActorName, OwnerName string
	ItemName             translation.Name
	// Subject is the subject of the process.
	Subject string
}

// TimelineEventTypes returns the types of events in the timeline of a process: changes, but not reads. Each event is
// shown to callers to whom its subject is visible.
func TimelineEventTypes() []EventType {
	return []EventType{
		EventProcessCreated, EventProcessStateChanged, EventProcessDeleted, EventProcessInitiatorChanged,
		EventProcessMetadataSaved, EventProcessEntitySaved, EventProcessElementSaved, EventProcessElementDeleted,
		EventItemCreated, EventItemTaskStateChanged, EventItemTaskAssigned, EventItemTaskPlanned, EventItemTaskOverdue, EventItemTaskEscalated, EventItemTaskDataSaved,
		EventItemTaskElementSaved, EventItemTaskElementDeleted, EventItemTaskAssistanceAsked,
		EventDocumentUploaded, EventProcessActionCreated, EventProcessActionStateChanged, EventProcessRepaired,
	}
}

// NamedAction is a user action that was invoked on a process, with the name of the principal that did.
type NamedAction struct {
	ProcessAction

	AuthorName string
}

// NamedRepair is a repair with the name of its author.
type NamedRepair struct {
	Repair

	AuthorName string
}

// NamedDocument is a document with the name of the principal that uploaded it.
type NamedDocument struct {
	Document

	AuthorName string
}

// BoardArtifact is a business artifact for display. EditorName is the name of the last editor.
type BoardArtifact struct {
	BusinessArtifact

	// Indexed are the indexed members of the data, as they are compared.
	Indexed    map[string]string
	EditorName string
}

// ArtifactChoice is a business artifact definition that a list can be narrowed to, with the members of the data by
// which it can be filtered then.
type ArtifactChoice struct {
	ID      uuid.UUID
	Name    translation.Name
	Indexes []NamedMember
	// Creatable reports whether the user may create artifacts of the definition.
	Creatable bool
}

// ArtifactBoard is a page of business artifacts with the options of its filters.
type ArtifactBoard struct {
	Page[BoardArtifact]

	Definitions []ArtifactChoice
}

// NamedArtifactAction is an action that was invoked on a business artifact, with the name of the principal that did.
type NamedArtifactAction struct {
	BusinessArtifactAction

	AuthorName string
}

// ArtifactEventTypes returns the types of events that the timeline of a business artifact shows.
func ArtifactEventTypes() []EventType {
	return []EventType{
		EventArtifactCreated, EventArtifactDataSaved, EventArtifactDeleted, EventArtifactRestored,
		EventArtifactActionCreated, EventArtifactActionStateChanged, EventDocumentUploaded,
	}
}

// Choice returns the definition of an artifact, or one without a name.
func (b *ArtifactBoard) Choice(of *BoardArtifact) ArtifactChoice {
	for _, c := range b.Definitions {
		if c.ID == of.Definition.ID {
			return c
		}
	}
	return ArtifactChoice{}
}

// Title returns the first indexed member of an artifact, or its definition in the language of a reader and the beginning of
// its id.
func (c ArtifactChoice) Title(of *BoardArtifact, reader *translation.Reader) string {
	for _, index := range c.Indexes {
		if text := of.Indexed[index.Field]; text != "" {
			return text
		}
	}
	return strings.TrimSpace(c.Name.For(reader).Text + " " + of.ID.String()[:8])
}
