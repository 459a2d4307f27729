// Package lang translates the texts of the console. Texts in the code are English; a
// catalogue holds each of them in another language.
package lang

import (
	"maps"
	"sync"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/message/catalog"
)

// Language is one that pages can be read in.
type Language struct {
	Tag language.Tag
	// Name is the name of the language in that language.
	Name string
}

// Languages returns all of them, English first.
func Languages() []Language {
	return []Language{{language.English, "English"}, {language.German, "Deutsch"}}
}

// catalogueTexts returns the catalogues of the languages but English.
func catalogueTexts() map[language.Tag]map[string]string {
	translated := map[string]string{}
	for _, more := range germanCatalogues() {
		maps.Copy(translated, more)
	}
	return map[language.Tag]map[string]string{language.German: translated}
}

func germanCatalogues() []map[string]string {
	return []map[string]string{
		germanTexts(), germanForms(), germanTasks(), germanPlanning(), germanProcesses(), germanEvents(), germanRun(), germanAudit(), germanRepair(), germanHealth(),
		germanEngine(), germanWork(), germanBulk(), germanDefinitions(), germanPeople(), germanReference(), germanTokens(), germanNotifications(), germanContext(),
	}
}

//nolint:gochecknoglobals // computed once and never changed
var (
	// translations and known are computed by the first page: commands and workers need neither.
	translations = sync.OnceValue(catalogueTexts)
	catalogue    = sync.OnceValue(buildCatalogue)
	matcher      = language.NewMatcher([]language.Tag{language.English, language.German})
	printers     = printerPools()
)

func buildCatalogue() catalog.Catalog {
	b := catalog.NewBuilder(catalog.Fallback(language.English))
	for tag, translated := range translations() {
		for text, translation := range translated {
			// It fails for placeholders that cannot be parsed, which the tests look for.
			_ = b.SetString(tag, text, translation)
		}
	}
	return b
}

// printerPools returns printers for each language. One is used by one goroutine at a time.
func printerPools() map[language.Tag]*sync.Pool {
	pools := map[language.Tag]*sync.Pool{}
	for _, l := range Languages() {
		pools[l.Tag] = &sync.Pool{New: func() any { return message.NewPrinter(l.Tag, message.Catalog(catalogue())) }}
	}
	return pools
}

// Match returns the best supported language for the user's choice, or for an Accept-Language header.
func Match(chosen, accepted string) language.Tag {
	_, index := language.MatchStrings(matcher, chosen, accepted)
	return Languages()[index].Tag
}

// Text returns an English text in one of Languages, with the arguments put in as fmt.Sprintf does and numbers as the language
// writes them. A text with a count has the plural form of its count.
func Text(tag language.Tag, text string, args ...any) string {
	if len(args) == 0 {
		if translated, ok := translations()[tag][text]; ok {
			return translated
		}
		return text
	}
	printer, _ := printers[tag].Get().(*message.Printer)
	defer printers[tag].Put(printer)
	if one, ok := chooseForm(tag, text, args); ok {
		return printer.Sprintf(message.Key(one, one), args...)
	}
	return printer.Sprintf(message.Key(text, text), args...)
}
