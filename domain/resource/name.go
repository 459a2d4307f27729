package resource

// NameOf returns what a spec calls its resource: its display name, or the purpose of a key.
func NameOf(spec Spec) string {
	if spec == nil {
		return ""
	}
	return spec.name()
}

func (s *TenantSpec) name() string                     { return s.Name }
func (s *UserSpec) name() string                       { return s.Name }
func (s *ApplicationSpec) name() string                { return s.Name }
func (s *GroupSpec) name() string                      { return s.Name }
func (s *DataStructureSpec) name() string              { return s.Name }
func (s *EncryptionKeySpec) name() string              { return s.Description }
func (s *DataSourceSpec) name() string                 { return s.Name }
func (s *ProcessDefinitionSpec) name() string          { return s.Name }
func (s *BusinessArtifactDefinitionSpec) name() string { return s.Name }
func (s *WebhookSubscriptionSpec) name() string        { return s.Name }
func (s *RobotSpec) name() string                      { return s.Name }
