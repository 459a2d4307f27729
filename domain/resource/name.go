package resource

// NameOf returns what a spec calls its resource: its display name, or the purpose of a key.
func NameOf(spec Spec) string {
	switch s := spec.(type) {
	case *TenantSpec:
		return s.Name
	case *UserSpec:
		return s.Name
	case *ApplicationSpec:
		return s.Name
	case *GroupSpec:
		return s.Name
	case *DataStructureSpec:
		return s.Name
	case *EncryptionKeySpec:
		return s.Description
	case *DataSourceSpec:
		return s.Name
	case *ProcessDefinitionSpec:
		return s.Name
	case *BusinessArtifactDefinitionSpec:
		return s.Name
	case *WebhookSubscriptionSpec:
		return s.Name
	case *RobotSpec:
		return s.Name
	default:
		return ""
	}
}
