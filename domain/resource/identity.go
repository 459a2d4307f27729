package resource

import (
	"encoding/json"
	"time"

	"github.com/procession-dev/procession/domain"
)

// TenantSpec describes a tenant.
type TenantSpec struct {
	// Name is the display name of the tenant, 1..255 characters.
	Name string `json:"name" right:"no"`
	// Plan is FREE unless given.
	Plan domain.PricingPlan `json:"plan,omitempty" right:"no"`
	// Namespace is the Temporal namespace of the tenant's workflows. The service
	// chooses one unless it is given, and it never changes.
	Namespace string `json:"namespace,omitempty" right:"no"`
	// SharedNamespace allows other tenants with it to use Namespace, which must be given. The names of the tenant's
	// task queues then begin with the code of the tenant and a dot. It never changes.
	SharedNamespace bool `json:"sharedNamespace,omitempty" right:"no"`
	// Cluster is the name of the Temporal cluster of the namespace, the default one unless it is given. It never changes.
	Cluster string `json:"cluster,omitempty" right:"no"`
	// TimeZone is the IANA time zone passed to workflows, Etc/UTC unless given.
	TimeZone string `json:"timeZone,omitempty" right:"no"`
	// Directory selects who may list the users, applications and groups of the tenant; MEMBERS unless given.
	Directory Directory `json:"directory,omitempty" right:"yes"`
	// Retention sets shorter retention periods for the tenant.
	Retention *RetentionSpec `json:"retention,omitempty" right:"no"`
	// Provisioning configures the sources of users and groups in addition to manifests.
	Provisioning *ProvisioningSpec `json:"provisioning,omitempty" right:"yes"`
	// UserMetadataSchema is the JSON Schema of the metadata of the tenant's users.
	UserMetadataSchema json.RawMessage `json:"userMetadataSchema,omitempty" right:"no"`
}

// RetentionSpec has numbers of days after which data is removed; 0 is the time of the installation, which a tenant
// cannot extend.
type RetentionSpec struct {
	// Events is for the event log, at least 30 days.
	Events int `json:"events,omitempty" right:"no"`
	// Processes is for processes, from their end on.
	Processes int `json:"processes,omitempty" right:"no"`
	// Deleted is for processes and business artifacts, from their deletion on.
	Deleted int `json:"deleted,omitempty" right:"no"`
	// Deliveries is for webhook deliveries, from their end on, at most 30 days.
	Deliveries int `json:"deliveries,omitempty" right:"no"`
	// AssistanceCalls is for prompts and answers of AI assistance.
	AssistanceCalls int `json:"assistanceCalls,omitempty" right:"no"`
	// Incidents is for closed incidents, from their end on.
	Incidents int `json:"incidents,omitempty" right:"no"`
}

// ProvisioningSpec configures the sources of the users and groups of a tenant in addition to manifests.
type ProvisioningSpec struct {
	// Adopt lets directories take over users and groups that they did not create.
	Adopt bool `json:"adopt,omitempty" right:"yes"`
	// SignIn has one rule for each issuer with sign-ins that change users and groups.
	SignIn []SignInRule `json:"signIn,omitempty" right:"yes"`
}

// Directory selects who may list the people of a tenant.
type Directory string

// The directories.
const (
	// DirectoryMembers is open to all members.
	DirectoryMembers Directory = "MEMBERS"
	// DirectoryStaff is open to OWNERs and ADMINISTRATORs and to principals that manage processes. Others find
	// themselves, and the principals named in resources that are visible to them.
	DirectoryStaff Directory = "STAFF"
)

// UserSpec describes a user of a tenant. A person who is a user of several tenants is one principal, identified
// by the e-mail.
type UserSpec struct {
	// Name is the display name of the user, 1..255 characters.
	Name string `json:"name" right:"no"`
	// Email identifies the person, without regard to case.
	Email string `json:"email" right:"yes"`
	// Role is the user's role in the tenant, MEMBER unless given.
	Role domain.TenantRole `json:"role,omitempty" right:"yes"`
	// Disabled blocks the person from this tenant: credentials are refused and tasks cannot be assigned to the
	// person. Other tenants of the person are not affected.
	Disabled bool `json:"disabled,omitempty" right:"yes"`
	// Metadata is validated against the tenant's userMetadataSchema; invalid metadata is stored and marked as
	// not valid.
	Metadata json.RawMessage `json:"metadata,omitempty" right:"no"`
	// AccessTokens are the declared personal access tokens of the user in this tenant. Tokens issued by the
	// service are not changed.
	AccessTokens []SecretSpec `json:"accessTokens,omitempty" right:"yes"`
	// ClaimedGroups are the memberships by sign-ins. The service writes them; manifests do not change them.
	ClaimedGroups []ClaimedGroup `json:"claimedGroups,omitempty" right:"yes"`
}

// ApplicationSpec describes a program that calls the service.
type ApplicationSpec struct {
	// Name is the display name of the application, 1..255 characters.
	Name string `json:"name" right:"no"`
	// Role is the application's role in the tenant, MEMBER unless given.
	Role domain.TenantRole `json:"role,omitempty" right:"yes"`
	// Disabled prevents the application from authenticating.
	Disabled bool `json:"disabled,omitempty" right:"yes"`
	// Secrets are the declared secrets of the application, at most two. Secrets issued by the service are not
	// changed.
	Secrets []SecretSpec `json:"secrets,omitempty" right:"yes"`
	// Engine makes the application a worker in addition to the resources that name it as runner.
	Engine *WorkerSpec `json:"engine,omitempty" right:"within"`
}

// WorkerSpec lists the queues that an application serves in addition to the task queues of the definitions and robots
// that it runs.
type WorkerSpec struct {
	// TaskQueues are up to 50 queues of the tenant that the application's workers may poll and its workflows may use,
	// for example for activities only.
	TaskQueues []string `json:"taskQueues" right:"yes"`
}

// SecretSpec declares a secret by its hash, so that a manifest does not disclose a random secret.
type SecretSpec struct {
	// Name identifies the secret among the secrets of its owner, 1..50 characters.
	Name string `json:"name"`
	// SHA256 is the SHA-256 of the secret in lower-case hexadecimal.
	SHA256 string `json:"sha256"`
	// ExpiresAt is the time at which the secret stops working; never unless given.
	ExpiresAt *time.Time `json:"expiresAt,omitempty"`
}

// GroupSpec describes a group of principals to which rights can be granted.
type GroupSpec struct {
	// Name is the display name of the group, 1..255 characters.
	Name string `json:"name" right:"no"`
	// Members are users and applications of the tenant.
	Members []Member `json:"members,omitempty" right:"yes"`
}

// Member names a principal by the code of its manifest. Exactly one field is set.
type Member struct {
	User        string `json:"user,omitempty"`
	Application string `json:"application,omitempty"`
}

// Grantee names the holder of a right. Exactly one field is set.
type Grantee struct {
	User        string `json:"user,omitempty"`
	Application string `json:"application,omitempty"`
	Group       string `json:"group,omitempty"`
	// Role is PROCESS_INITIATOR or EVERYONE.
	Role string `json:"role,omitempty"`
}

// The roles of grantees: the initiator of the process in question, and all active users of the tenant.
const (
	RoleProcessInitiator = "PROCESS_INITIATOR"
	RoleEveryone         = "EVERYONE"
)
