package resource

import "github.com/procession-dev/procession/domain/translation"

// TranslatedName returns the name of the definition with a code, with its translations.
func (s *BusinessArtifactDefinitionSpec) TranslatedName(code string) translation.Name {
	return translation.ParseCached(s.I18n).Name(s.Name, code)
}

// Texts returns the texts of the definition for a reader, nil if there are no translations.
func (s *BusinessArtifactDefinitionSpec) Texts(reader *translation.Reader) *translation.Texts {
	return translation.New(reader, translation.ParseCached(s.I18n))
}

// ActionTexts returns the texts of an action for a reader, nil if there are no translations.
func (s *BusinessArtifactDefinitionSpec) ActionTexts(a *ArtifactActionSpec, reader *translation.Reader) *translation.Texts {
	return translation.New(reader, translation.ParseCached(a.I18n), translation.ParseCached(s.I18n))
}

// ActionName returns the name of an action with its translations.
func (s *BusinessArtifactDefinitionSpec) ActionName(a *ArtifactActionSpec) translation.Name {
	return translation.ParseCached(a.I18n).Name(a.Name, a.Code).Or(translation.ParseCached(s.I18n).Name(a.Name, a.Code))
}
