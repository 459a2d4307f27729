package definitions

import (
	"slices"
	"strconv"

	"github.com/procession-dev/procession/console/resources"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/domain/shell"
)

// detailView contains a manifest with its versions and rights.
type detailView struct {
	resource.Stored

	Text     string
	Versions []domain.PublishedVersion
	Rights   []resource.Right
	// Default is the language of the texts, Coverage are the languages with translations.
	Default  string
	Coverage []resource.Coverage
	// May reports whether the user may change it.
	May bool
	// Done describes the last action, "" for none.
	Done string
}

// findResource returns the manifest in the path of a visit.
func (s *Screens) findResource(v *web.Visit) (*detailView, error) {
	key, err := resources.KeyOf(v, resource.Kinds())
	if err != nil {
		return nil, err
	}
	found, err := s.Administration.RetrieveResource(v.Context(), v.Call, key)
	if err != nil {
		return nil, err
	}
	of := &detailView{Stored: *found, Rights: found.Spec.Rights(), May: resources.MayChange(v.Call.Caller, found)}
	if parts := found.Translatables(); len(parts) > 0 {
		of.Default, of.Coverage = parts[0].Default(), resource.CoverageOf(parts)
	}
	of.Text, err = resources.Text(found.Document)
	return of, err
}

// Show serves the page of a definition.
func (s *Screens) Show(v *web.Visit) (*web.Answer, error) {
	of, err := s.findResource(v)
	if err != nil {
		return nil, err
	}
	if of.Kind == resource.KindProcessDefinition {
		if of.Versions, err = s.Administration.FindDefinitionVersions(v.Context(), v.Call, of.Key()); err != nil {
			return nil, err
		}
	}
	if v.URL.Query().Has("applied") {
		of.Done = ui.T(v.Context(), "This is applied.")
	}
	return &web.Answer{Title: nameOf(&of.Stored), Area: area, Body: showPage(of)}, nil
}

// comparison contains the differences between two versions of a process definition.
type comparison struct {
	resource.Stored

	Versions []domain.PublishedVersion
	From, To int
	Parts    []resources.Part
}

// Compare shows the differences of two versions, by default of the last two.
func (s *Screens) Compare(v *web.Visit) (*web.Answer, error) {
	of, err := s.findResource(v)
	if err != nil {
		return nil, err
	}
	c := comparison{Stored: of.Stored}
	if c.Versions, err = s.Administration.FindDefinitionVersions(v.Context(), v.Call, of.Key()); err != nil {
		return nil, err
	}
	if len(c.Versions) < 2 {
		return nil, domain.NotFound("page")
	}
	c.From, c.To = c.Versions[1].Number, c.Versions[0].Number
	query := v.URL.Query()
	for name, number := range map[string]*int{"from": &c.From, "to": &c.To} {
		requested, err := strconv.Atoi(query.Get(name))
		if err == nil && slices.ContainsFunc(c.Versions, func(version domain.PublishedVersion) bool { return version.Number == requested }) {
			*number = requested
		}
	}
	before, err := s.versionText(v, of.Key(), c.From)
	if err != nil {
		return nil, err
	}
	after, err := s.versionText(v, of.Key(), c.To)
	if err != nil {
		return nil, err
	}
	if c.Parts, err = resources.Compare(before, after); err != nil {
		return nil, err
	}
	return &web.Answer{Title: nameOf(&c.Stored), Area: area, Body: comparePage(&c)}, nil
}

// versionText writes a version of a process definition with all that it pins.
func (s *Screens) versionText(v *web.Visit, key resource.Key, number int) (string, error) {
	version, err := s.Administration.RetrieveDefinitionVersion(v.Context(), v.Call, key, number)
	if err != nil {
		return "", err
	}
	text, err := resources.Text(version.Document)
	if err != nil {
		return "", err
	}
	pinned, err := pinnedText(version.DataStructures)
	return text + pinned, err
}

// manifestCommand returns a command about a resource.
func manifestCommand(verb string, key resource.Key) shell.Line {
	words := []string{"procession", verb, ui.KindCommand(key.Kind), key.Code}
	if key.Kind != resource.KindTenant {
		words = append(words, "--tenant", key.Tenant)
	}
	return shell.Command(words...)
}

// shellCommands returns the commands that correspond to the page and to its forms.
func (s *detailView) shellCommands() []shell.Line {
	commands := []shell.Line{manifestCommand("describe", s.Key())}
	if s.May {
		commands = append(commands, manifestCommand("edit", s.Key()))
	}
	if len(s.Versions) > 0 {
		commands = append(commands, shell.Command("procession", "versions", "list", s.Metadata.Code, "--tenant", s.TenantCode()))
	}
	return commands
}

func (c *comparison) shellCommands() []shell.Line {
	from, to, code, tenant := strconv.Itoa(c.From), strconv.Itoa(c.To), c.Metadata.Code, c.TenantCode()
	return []shell.Line{
		shell.Command("procession", "versions", "diff", code, from, to, "--tenant", tenant),
		shell.Command("procession", "versions", "restore", code, from, "--tenant", tenant),
	}
}
