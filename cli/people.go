package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/sdk/rest"
)

const (
	// mostPeople bounds how many users and applications are read for their codes.
	mostPeople = 5 * pageSize
	// mostNames bounds how many principals are asked for one by one for their names.
	mostNames = 50
)

// findPeople returns the codes of the users and applications of a tenant, or of all, that
// the caller administers, by their ids.
func (s *service) findPeople(ctx context.Context, tenant string) (map[uuid.UUID]string, error) {
	found, _, err := s.findResources(ctx, oasadmin.FindResourcesParams{Kind: principalKinds(), Tenant: filterOf(tenant)}, mostPeople)
	if err != nil {
		return nil, err
	}
	people := map[uuid.UUID]string{domain.SystemPrincipalID(): "the service"}
	for _, r := range found {
		if r.Metadata.ID != nil {
			people[*r.Metadata.ID] = r.Metadata.Code
		}
	}
	return people, nil
}

func principalKinds() []oasadmin.ResourceKind {
	return []oasadmin.ResourceKind{oasadmin.ResourceKindUser, oasadmin.ResourceKindApplication}
}

// principalFilter creates a filter of the principal that a flag names, or none.
func (s *service) principalFilter(ctx context.Context, argument, text, tenant string) ([]uuid.UUID, error) {
	if text == "" {
		return nil, nil
	}
	id, err := s.findPrincipal(ctx, argument, text, tenant)
	return []uuid.UUID{id}, err
}

// findPrincipal returns the id of the user or application with the given id or code, or of the user with
// the e-mail address. argument names the text in errors.
func (s *service) findPrincipal(ctx context.Context, argument, text, tenant string) (uuid.UUID, error) {
	if id, err := uuid.Parse(text); err == nil {
		return id, nil
	}
	params := oasadmin.FindResourcesParams{Kind: principalKinds(), Tenant: filterOf(tenant)}
	isEmail := strings.Contains(text, "@")
	if isEmail {
		params.Kind = params.Kind[:1]
	} else {
		params.Code = filterOf(text)
	}
	found, _, err := s.findResources(ctx, params, 0)
	if err != nil {
		return uuid.Nil, err
	}
	matches := map[uuid.UUID][]string{}
	for _, r := range found {
		var spec struct {
			Email string `json:"email"`
		}
		if r.Metadata.ID == nil || isEmail && (json.Unmarshal(r.Spec, &spec) != nil || !domain.EqualEmails(spec.Email, text)) {
			continue
		}
		matches[*r.Metadata.ID] = append(matches[*r.Metadata.ID], resourceLabel(r.Kind, r.Metadata.Code, tenantOf(r.Kind, r.Metadata), true))
	}
	return onlyMatch(argument, text, matches)
}

// onlyMatch returns the id of the only principal that was found.
func onlyMatch(argument, text string, matches map[uuid.UUID][]string) (uuid.UUID, error) {
	var all []string
	for id, names := range matches {
		if len(matches) == 1 {
			return id, nil
		}
		all = append(all, names...)
	}
	if len(all) == 0 {
		return uuid.Nil, &failure{kind: domain.KindNotFound, text: fmt.Sprintf(
			"%s: there is no user or application %s that you administer; give an id", argument, text)}
	}
	return uuid.Nil, usageError("%s: %s stands for several, %s: give an id", argument, text, strings.Join(all, ", "))
}

// findNames returns the names of principals by their ids, as far as the caller may see them.
func (s *service) findNames(ctx context.Context, ids []*uuid.UUID) (map[uuid.UUID]string, error) {
	missing := map[uuid.UUID]bool{}
	for _, id := range ids {
		if id != nil {
			missing[*id] = true
		}
	}
	names := map[uuid.UUID]string{}
	if len(missing) == 0 {
		return names, nil
	}
	answer, err := s.rest.FindPrincipals(ctx, &rest.FindPrincipalsParams{Size: new(pageSize)})
	page, err := receive[rest.PrincipalPage](s, answer, err)
	if err != nil {
		return nil, err
	}
	for _, p := range page.Content {
		if p.ID != nil {
			names[*p.ID] = valueOf(p.Name)
		}
	}
	requested := 0
	for id := range missing {
		if _, ok := names[id]; ok || requested == mostNames {
			continue
		}
		requested++
		answer, err := s.rest.RetrievePrincipal(ctx, id)
		found, err := receive[rest.Principal](s, answer, err)
		if err != nil && ExitCode(err) != ExitNotFound {
			return nil, err
		}
		names[id] = valueOf(found.Name)
	}
	return names, nil
}

// memberTenant returns the id of the tenant with the code, nil for none given. The
// caller must be a member: processes and tasks are shown to members only.
func (s *service) memberTenant(ctx context.Context, rows, code string) ([]uuid.UUID, error) {
	if code == "" {
		return nil, nil
	}
	answer, err := s.RetrieveIdentity(ctx)
	identity, err := receive[oasadmin.Identity](s, answer, err)
	if err != nil {
		return nil, err
	}
	for _, m := range identity.Memberships {
		if m.TenantCode == code {
			return []uuid.UUID{m.TenantID}, nil
		}
	}
	if !identity.Operator {
		return nil, notFoundError(string(resource.KindTenant) + "/" + code)
	}
	if _, err := s.retrieveResource(ctx, resource.KindTenant, code, code); err != nil {
		return nil, err
	}
	return nil, onlyMembers(rows, code)
}

// onlyMembers returns the failure of an operator that asks for the processes of a tenant.
func onlyMembers(rows, tenant string) error {
	return &failure{kind: domain.KindDenied, text: fmt.Sprintf(
		"only members of %s see its %s; as an operator you see its incidents, events, workers and definitions", tenant, rows)}
}

// checkMember returns why a list of work cannot but be empty: the caller is a member of
// no tenant.
func (s *service) checkMember(ctx context.Context, rows string) error {
	answer, err := s.RetrieveIdentity(ctx)
	identity, err := receive[oasadmin.Identity](s, answer, err)
	if err == nil && len(identity.Memberships) == 0 {
		err = onlyMembers(rows, "a tenant")
	}
	return err
}
