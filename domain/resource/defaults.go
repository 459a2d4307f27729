package resource

import "github.com/procession-dev/procession/domain"

func (s *TenantSpec) fillDefaults() {
	orDefault(&s.Plan, domain.PlanFree)
	orDefault(&s.TimeZone, "Etc/UTC")
}

func (s *UserSpec) fillDefaults() {
	orDefault(&s.Role, domain.RoleMember)
	fillSecrets(s.AccessTokens)
}

func (s *ApplicationSpec) fillDefaults() {
	orDefault(&s.Role, domain.RoleMember)
	fillSecrets(s.Secrets)
}

func (*GroupSpec) fillDefaults() {}

func (*DataStructureSpec) fillDefaults() {}

func (*EncryptionKeySpec) fillDefaults() {}

func (s *ProcessDefinitionSpec) fillDefaults() {
	orDefault(&s.State, StatePublished)
	if s.Engine != nil {
		orDefault(&s.Engine.SignalShape, domain.SignalShapeB)
	}
	fillElements(s.Elements)
	for i := range s.Items {
		fillElements(s.Items[i].Elements)
		if assistance := s.Items[i].Assistance; assistance != nil {
			orDefault(&assistance.Answer, AnswerSuggestion)
		}
	}
}

func (*BusinessArtifactDefinitionSpec) fillDefaults() {}

func (s *WebhookSubscriptionSpec) fillDefaults() {
	orDefault(&s.PayloadVersion, domain.PayloadB)
}

func (s *RobotSpec) fillDefaults() {
	orDefault(&s.SourceType, "PACKAGE")
}

func fillSecrets(secrets []SecretSpec) {
	for i := range secrets {
		secrets[i].ExpiresAt = toUTC(secrets[i].ExpiresAt)
	}
}

func fillElements(elements []ElementSpec) {
	for i := range elements {
		if elements[i].Type == domain.ElementField {
			orDefault(&elements[i].FieldType, FieldString)
		}
	}
}

func orDefault[T comparable](value *T, standard T) {
	var none T
	if *value == none {
		*value = standard
	}
}
