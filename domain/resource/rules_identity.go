package resource

func (s *TenantSpec) checkSpec(r *report) {
	checkSchema(s.UserMetadataSchema, "/spec/userMetadataSchema", r)
	if s.SharedNamespace && s.Namespace == "" {
		r.add("/spec/namespace", "is required: it names the namespace that the tenant shares")
	}
	if s.Provisioning == nil {
		return
	}
	const rules = "/spec/provisioning/signIn"
	checkUnique(memberValues(s.Provisioning.SignIn, func(rule *SignInRule) string { return rule.Issuer }), rules, "issuer", r)
	for i := range s.Provisioning.SignIn {
		if c := s.Provisioning.SignIn[i].Create; c != nil && len(c.EmailDomains)+len(c.Values) == 0 {
			r.add(extendPointer(rules, i, "create"), "needs emailDomains or values: otherwise everyone at the issuer would become a member")
		}
	}
}

func (s *UserSpec) checkSpec(r *report) {
	checkSecrets(s.AccessTokens, "/spec/accessTokens", r)
}

func (s *ApplicationSpec) checkSpec(r *report) {
	checkSecrets(s.Secrets, "/spec/secrets", r)
	if s.Engine == nil {
		return
	}
	first := map[string]int{}
	for i, queue := range s.Engine.TaskQueues {
		place := extendPointer("/spec/engine/taskQueues", i)
		if before, twice := first[queue]; twice {
			r.add(place, "names the same as the element at index %d", before)
			continue
		}
		first[queue] = i
	}
}

func checkSecrets(secrets []SecretSpec, pointer string, r *report) {
	checkUnique(memberValues(secrets, func(s *SecretSpec) string { return s.Name }), pointer, "name", r)
	checkUnique(memberValues(secrets, func(s *SecretSpec) string { return s.SHA256 }), pointer, "sha256", r)
}

func (s *GroupSpec) checkSpec(r *report) {
	first := map[Member]int{}
	for i, m := range s.Members {
		if before, twice := first[m]; twice {
			r.add(extendPointer("/spec/members", i), "names the same as the element at index %d", before)
			continue
		}
		first[m] = i
	}
}
