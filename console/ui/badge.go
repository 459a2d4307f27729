package ui

import (
	"context"
	"io"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// Badge contains the name, the icon and the colour of a state or a kind. As a component it
// shows all three.
type Badge struct {
	// Text is English. Icon is one of assets.Icons. Class is "" for the colour of text.
	Text, Icon, Class string
}

const (
	blue   = "text-blue"
	green  = "text-green"
	yellow = "text-yellow"
	red    = "text-red"
	grey   = "text-secondary"
)

// kind constrains BadgeOf to types that have badges.
type kind interface {
	domain.TaskState | domain.TaskPriority | domain.ProcessState | domain.ActionStatus | domain.IncidentState | domain.WebhookEndpointState |
		domain.WebhookDeliveryState | domain.MessageState | domain.Verdict | domain.InboxView | domain.ItemType | domain.ProcessActionType |
		domain.ArtifactActionType | resource.PublicationState | resource.Kind
}

// badges contains the badge of each value of the types of kind.
//
//nolint:gochecknoglobals // a table that is never changed
var badges = map[any]Badge{
	domain.TaskReady:     {Text("Ready"), "circle-dashed", blue},
	domain.TaskClaimed:   {Text("Claimed"), "user-check", yellow},
	domain.TaskCompleted: {Text("Completed"), "circle-check", green},
	domain.TaskCancelled: {Text("Cancelled"), "ban", grey},

	domain.PriorityLow:    {Text("Low priority"), "arrow-down", grey},
	domain.PriorityNormal: {Text("Normal priority"), "circle-dashed", ""},
	domain.PriorityHigh:   {Text("High priority"), "arrow-up", yellow},
	domain.PriorityUrgent: {Text("Urgent"), "alert-triangle", red},

	domain.ProcessRunning:   {Text("Running"), "circle-dashed", blue},
	domain.ProcessCompleted: {Text("Completed"), "circle-check", green},
	domain.ProcessCancelled: {Text("Cancelled"), "ban", grey},

	domain.ActionRequested: {Text("In progress"), "clock", blue},
	domain.ActionCompleted: {Text("Done"), "circle-check", green},
	domain.ActionError:     {Text("Failed"), "alert-circle", red},
	domain.ActionCanceled:  {Text("Cancelled"), "ban", grey},

	domain.IncidentOpen:      {Text("Open"), "alert-circle", red},
	domain.IncidentRetried:   {Text("Retried"), "refresh", green},
	domain.IncidentDismissed: {Text("Dismissed"), "check", grey},
	domain.IncidentResolved:  {Text("Resolved"), "circle-check", green},

	domain.EndpointActive:   {Text("Active"), "circle-check", green},
	domain.EndpointFailing:  {Text("Failing"), "alert-triangle", yellow},
	domain.EndpointNoSecret: {Text("Without a secret"), "key", yellow},
	domain.EndpointDisabled: {Text("Disabled"), "alert-circle", red},
	domain.EndpointPaused:   {Text("Paused"), "player-pause", grey},

	domain.DeliveryPending:   {Text("Waiting"), "clock", grey},
	domain.DeliveryRetrying:  {Text("Retrying"), "refresh", yellow},
	domain.DeliveryDead:      {Text("Given up"), "alert-circle", red},
	domain.DeliveryDropped:   {Text("Dropped"), "ban", red},
	domain.DeliveryDelivered: {Text("Delivered"), "circle-check", green},

	domain.MessagePending: {Text("Waiting"), "clock", grey},
	domain.MessageSent:    {Text("Sent"), "circle-check", green},
	domain.MessageDead:    {Text("Given up"), "alert-circle", red},

	domain.VerdictOK:      {Text("Passes"), "circle-check", green},
	domain.VerdictWarn:    {Text("Warning"), "alert-triangle", yellow},
	domain.VerdictFail:    {Text("Fails"), "alert-circle", red},
	domain.VerdictSkipped: {Text("Not checked"), "circle-dashed", grey},

	resource.StateDraft:     {Text("Draft"), "pencil", yellow},
	resource.StatePublished: {Text("Published"), "circle-check", green},
	resource.StateRetired:   {Text("Retired"), "ban", grey},

	domain.InboxToClaim:     {Text("To claim"), "inbox", ""},
	domain.InboxMine:        {Text("Mine"), "user", ""},
	domain.InboxSubstituted: {Text("For absent people"), "user-off", ""},
	domain.InboxDone:        {Text("Done by me"), "circle-check", ""},
	domain.InboxAll:         {Text("All tasks"), "list-details", ""},

	domain.ItemTask:    {Text("Task"), "checklist", ""},
	domain.ItemMessage: {Text("Message"), "message", ""},
	domain.ItemThread:  {Text("Thread"), "messages", ""},

	domain.ProcessActionDownloadable:        {Text("Makes a file"), "download", ""},
	domain.ProcessActionStartWorkflow:       {Text("Runs in the background"), "bolt", ""},
	domain.ProcessActionStartRelatedProcess: {Text("Starts a related process"), "route", ""},
	domain.ProcessActionCreateTask:          {Text("Adds a task"), "checklist", ""},
	domain.ProcessActionCreateMessage:       {Text("Writes a message"), "message", ""},
	domain.ProcessActionCreateThread:        {Text("Opens a thread"), "messages", ""},
	domain.ProcessActionSendSignal:          {Text("Sends a message to the running process"), "send", ""},

	domain.ArtifactActionDownloadable:   {Text("Makes a file"), "download", ""},
	domain.ArtifactActionStartProcess:   {Text("Starts a process"), "route", ""},
	domain.ArtifactActionCreateArtifact: {Text("Creates an artifact"), "plus", ""},
	domain.ArtifactActionStartWorkflow:  {Text("Runs in the background"), "bolt", ""},

	resource.KindTenant:                     {Text("Tenant"), "building", ""},
	resource.KindUser:                       {Text("User"), "user", ""},
	resource.KindApplication:                {Text("Application"), "app-window", ""},
	resource.KindGroup:                      {Text("Group"), "users-group", ""},
	resource.KindDataStructure:              {Text("Data structure"), "stack-2", ""},
	resource.KindEncryptionKey:              {Text("Encryption key"), "lock", ""},
	resource.KindDataSource:                 {Text("Data source"), "database", ""},
	resource.KindCalendar:                   {Text("Calendar"), "clock", ""},
	resource.KindProcessDefinition:          {Text("Process"), "route", ""},
	resource.KindBusinessArtifactDefinition: {Text("Artifact"), "files", ""},
	resource.KindWebhookSubscription:        {Text("Webhook"), "webhook", ""},
	resource.KindRobot:                      {Text("Robot"), "robot", ""},
	resource.KindNotificationReceiver:       {Text("Notification receiver"), "send", ""},
	resource.KindAbsence:                    {Text("Absence"), "user-off", ""},
}

// BadgeOf returns the badge of a state or a kind.
func BadgeOf[K kind](value K) Badge { return badges[value] }

// Name returns the name in the language of the viewer.
func (b Badge) Name(ctx context.Context) string { return T(ctx, b.Text) }

// Render implements templ.Component.
func (b Badge) Render(ctx context.Context, w io.Writer) error { return badge(b).Render(ctx, w) } //nolint:contextcheck // Render passes it on
