package resource

// NameOf returns the display name of a spec, or the purpose of a key.
func NameOf(spec Spec) string {
	if spec == nil {
		return ""
	}
	return spec.displayName()
}

func (s *TenantSpec) displayName() string                     { return s.Name }
func (s *UserSpec) displayName() string                       { return s.Name }
func (s *ApplicationSpec) displayName() string                { return s.Name }
func (s *GroupSpec) displayName() string                      { return s.Name }
func (s *DataStructureSpec) displayName() string              { return s.Name }
func (s *EncryptionKeySpec) displayName() string              { return s.Description }
func (s *DataSourceSpec) displayName() string                 { return s.Name }
func (s *ProcessDefinitionSpec) displayName() string          { return s.Name }
func (s *BusinessArtifactDefinitionSpec) displayName() string { return s.Name }
func (s *WebhookSubscriptionSpec) displayName() string        { return s.Name }
func (s *RobotSpec) displayName() string                      { return s.Name }
