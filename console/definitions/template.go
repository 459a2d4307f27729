package definitions

import (
	"embed"
	"strings"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/console/resources"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

//go:embed templates/*.yaml
var templateFiles embed.FS

// template is a template of a manifest. Name is the name of its file.
type template struct {
	Name  string
	Kind  resource.Kind
	Title string
	About string
	// Operators are the only ones who can use it.
	Operators bool
}

func manifestTemplates() []template {
	return []template{
		{"process", resource.KindProcessDefinition, ui.Text("Process of people"), ui.Text("Forms, a task and a user action; no program is needed."), false},
		{"workflow", resource.KindProcessDefinition, ui.Text("Process with a workflow"), ui.Text("Your worker decides the next steps."), false},
		{"artifact", resource.KindBusinessArtifactDefinition, ui.Text("Artifact"), ui.Text("An object with its own data that outlives processes."), false},
		{"structure", resource.KindDataStructure, ui.Text("Data structure"), ui.Text("The data that messages may carry."), false},
		{"webhook", resource.KindWebhookSubscription, ui.Text("Webhook"), ui.Text("Sends events to another system."), false},
		{
			"receiver", resource.KindNotificationReceiver, ui.Text("Notification receiver"),
			ui.Text("Somewhere to tell problems: mail, chat or webhook."), false,
		},
		{"user", resource.KindUser, ui.Text("User"), ui.Text("A person who signs in."), false},
		{"group", resource.KindGroup, ui.Text("Group"), ui.Text("People and applications that get rights together."), false},
		{"application", resource.KindApplication, ui.Text("Application"), ui.Text("A program that calls the service or runs workflows."), false},
		{"robot", resource.KindRobot, ui.Text("Robot"), ui.Text("A package that runners download and run."), false},
		{"tenant", resource.KindTenant, ui.Text("Tenant"), ui.Text("An isolated organization with its owner."), true},
	}
}

// templatesFor returns the templates that a caller can use.
func templatesFor(caller domain.Caller) []template {
	var usable []template
	for _, t := range manifestTemplates() {
		if !t.Operators || caller.Operator {
			usable = append(usable, t)
		}
	}
	return usable
}

// templateText returns a template with the tenant that the user administers and the code
// of the user in it, NOT_FOUND for an unknown one.
func (s *Screens) templateText(v *web.Visit, name string) (string, error) {
	text, err := templateFiles.ReadFile("templates/" + name + ".yaml")
	if err != nil {
		return "", domain.NotFound("page")
	}
	identity, err := s.Administration.RetrieveIdentity(v.Context(), v.Call)
	if err != nil {
		return "", err
	}
	tenant, user := "my-tenant", "me"
	for _, m := range identity.Memberships {
		if v.Call.Administration(m.TenantID).Administers() {
			tenant = m.TenantCode
			break
		}
	}
	err = s.Administration.FindResources(v.Context(), v.Call, administration.ResourceFilter{
		Kinds: []resource.Kind{resource.KindUser}, Tenants: []string{tenant}, Search: identity.Principal.Email,
	}, domain.PageRequest{Size: resources.PageSize}, nil, func(found *domain.Listing[resource.Stored]) error {
		return found.Each(func(r *resource.Stored) error {
			if spec, ok := r.Spec.(*resource.UserSpec); ok && domain.EqualEmails(spec.Email, identity.Principal.Email) {
				user = r.Metadata.Code
			}
			return nil
		})
	})
	return strings.NewReplacer("{{tenant}}", tenant, "{{user}}", user).Replace(string(text)), err
}
