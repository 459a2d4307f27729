package resource

import "slices"

// Kind is the kind of resource that a manifest describes.
type Kind string

// The kinds. Definitions describes them.
const (
	KindTenant                     Kind = "Tenant"
	KindUser                       Kind = "User"
	KindApplication                Kind = "Application"
	KindGroup                      Kind = "Group"
	KindDataStructure              Kind = "DataStructure"
	KindEncryptionKey              Kind = "EncryptionKey"
	KindDataSource                 Kind = "DataSource"
	KindCalendar                   Kind = "Calendar"
	KindProcessDefinition          Kind = "ProcessDefinition"
	KindBusinessArtifactDefinition Kind = "BusinessArtifactDefinition"
	KindWebhookSubscription        Kind = "WebhookSubscription"
	KindRobot                      Kind = "Robot"
	KindNotificationReceiver       Kind = "NotificationReceiver"
	KindAbsence                    Kind = "Absence"
)

// Definition describes a kind.
type Definition struct {
	Kind Kind
	// New makes an empty spec of the kind.
	New func() Spec
	// Secrets reports whether secrets are issued to resources of the kind.
	Secrets bool
	// ShortNames are names of the kind on the command line, in addition to its name in lower case and the plural of
	// that.
	ShortNames []string
}

// Definitions describes every kind, in the order in which manifests are applied: a kind comes after the kinds to
// which it refers, except for the robots that process definitions name and the data sources of data structures.
func Definitions() []Definition {
	return []Definition{
		{Kind: KindTenant, New: newOf[TenantSpec]},
		{Kind: KindUser, New: newOf[UserSpec], Secrets: true},
		{Kind: KindApplication, New: newOf[ApplicationSpec], Secrets: true, ShortNames: []string{"app", "apps"}},
		{Kind: KindGroup, New: newOf[GroupSpec]},
		{Kind: KindDataStructure, New: newOf[DataStructureSpec], ShortNames: []string{"structure", "structures", "ds"}},
		{Kind: KindEncryptionKey, New: newOf[EncryptionKeySpec], ShortNames: []string{"key", "keys", "ek"}},
		{Kind: KindDataSource, New: newOf[DataSourceSpec], ShortNames: []string{"source", "sources"}},
		{Kind: KindCalendar, New: newOf[CalendarSpec]},
		{
			Kind: KindProcessDefinition, New: newOf[ProcessDefinitionSpec],
			ShortNames: []string{"process", "processes", "proc", "procs", "pd"},
		},
		{
			Kind: KindBusinessArtifactDefinition, New: newOf[BusinessArtifactDefinitionSpec],
			ShortNames: []string{"artifact", "artifacts", "bad"},
		},
		{
			Kind: KindWebhookSubscription, New: newOf[WebhookSubscriptionSpec], Secrets: true,
			ShortNames: []string{"webhook", "webhooks", "wh"},
		},
		{Kind: KindRobot, New: newOf[RobotSpec]},
		{Kind: KindNotificationReceiver, New: newOf[NotificationReceiverSpec], ShortNames: []string{"receiver", "receivers", "nr"}},
		{Kind: KindAbsence, New: newOf[AbsenceSpec]},
	}
}

func newOf[T any, P interface {
	*T
	Spec
}]() Spec {
	return P(new(T))
}

// Definition returns the definition of the kind, and false for one that does not
// exist.
func (k Kind) Definition() (Definition, bool) {
	all := Definitions()
	i := slices.IndexFunc(all, func(d Definition) bool { return d.Kind == k })
	if i < 0 {
		return Definition{}, false
	}
	return all[i], true
}

// Kinds lists every kind in the order in which manifests are applied.
func Kinds() []Kind { return kindsOf(func(Definition) bool { return true }) }

// SecretOwners lists the kinds of resources with secrets.
func SecretOwners() []Kind { return kindsOf(func(d Definition) bool { return d.Secrets }) }

func kindsOf(include func(Definition) bool) []Kind {
	var kinds []Kind
	for _, d := range Definitions() {
		if include(d) {
			kinds = append(kinds, d.Kind)
		}
	}
	return kinds
}

// newSpec returns an empty spec of the kind, nil for a kind that does not exist.
func newSpec(kind Kind) Spec {
	if d, ok := kind.Definition(); ok {
		return d.New()
	}
	return nil
}
