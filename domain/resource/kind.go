package resource

// Kind names what a document describes.
type Kind string

// The kinds, in the order in which one may need another to be there, but for the
// robots that process definitions name and the data sources of data structures.
const (
	KindTenant                     Kind = "Tenant"
	KindUser                       Kind = "User"
	KindApplication                Kind = "Application"
	KindGroup                      Kind = "Group"
	KindDataStructure              Kind = "DataStructure"
	KindEncryptionKey              Kind = "EncryptionKey"
	KindDataSource                 Kind = "DataSource"
	KindProcessDefinition          Kind = "ProcessDefinition"
	KindBusinessArtifactDefinition Kind = "BusinessArtifactDefinition"
	KindWebhookSubscription        Kind = "WebhookSubscription"
	KindRobot                      Kind = "Robot"
)

// Kinds lists every kind in the order in which they are applied.
func Kinds() []Kind {
	return []Kind{
		KindTenant, KindUser, KindApplication, KindGroup, KindDataStructure, KindEncryptionKey,
		KindDataSource, KindProcessDefinition, KindBusinessArtifactDefinition, KindWebhookSubscription, KindRobot,
	}
}

// newSpec makes an empty spec of the kind, nil for a kind that does not exist.
func newSpec(kind Kind) Spec {
	switch kind {
	case KindTenant:
		return &TenantSpec{}
	case KindUser:
		return &UserSpec{}
	case KindApplication:
		return &ApplicationSpec{}
	case KindGroup:
		return &GroupSpec{}
	case KindDataStructure:
		return &DataStructureSpec{}
	case KindEncryptionKey:
		return &EncryptionKeySpec{}
	case KindDataSource:
		return &DataSourceSpec{}
	case KindProcessDefinition:
		return &ProcessDefinitionSpec{}
	case KindBusinessArtifactDefinition:
		return &BusinessArtifactDefinitionSpec{}
	case KindWebhookSubscription:
		return &WebhookSubscriptionSpec{}
	case KindRobot:
		return &RobotSpec{}
	}
	return nil
}
