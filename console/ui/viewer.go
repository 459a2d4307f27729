package ui

import (
	"context"
	"net/http"
	"slices"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/procession-dev/procession/console/assets"
	"github.com/procession-dev/procession/console/lang"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/form/locale"
)

// Names of the cookies with the preferences of users. They
// are set by the script of the pages, or by the form of the preferences.
const (
	LanguageCookie = "procession-language"
	ThemeCookie    = "procession-theme"
	ZoneCookie     = "procession-zone"
	KeysCookie     = "procession-keys"
)

// Viewer contains the user of a page and the preferences for it.
type Viewer struct {
	// User is the id of the signed-in user, "" for a visitor.
	User string
	// Name is the name of the signed-in user, "" for a visitor.
	Name string
	// Administers reports whether the user administers a tenant, AdministersDefinitions whether single process definitions.
	Administers, AdministersDefinitions bool
	// Attention are the counts in the navigation.
	Attention domain.AttentionCounts
	// Unread is the number of unread notifications, up to domain.NotificationBellLimit.
	Unread int
	// Language is one of lang.Languages.
	Language language.Tag
	// Locale is the language of dates and numbers, one of locale.Languages.
	Locale language.Tag
	// Reader reads the texts of definitions: in the language of the profile, else in the languages of the browser.
	Reader *translation.Reader
	// Theme is "light", "dark" or "" for the theme of the system.
	Theme string
	// NoKeys turns off keys that do something without Ctrl.
	NoKeys bool
	// Zone is the time zone of the profile, else of the browser, UTC until it is known.
	Zone      *time.Location
	Now       time.Time
	Path      string
	RequestID string
	// Nonce is the number with which the scripts and the style sheet of the page may be
	// loaded.
	Nonce  string
	Assets *assets.Set

	// accepted are the languages of the browser.
	accepted []language.Tag
}

// AdministrationEntries returns the entries of the navigation of administrators that the user may open.
func (v *Viewer) AdministrationEntries() []Entry {
	if !v.Administers && !v.AdministersDefinitions {
		return nil
	}
	return slices.DeleteFunc(AdministrationEntries(), func(e Entry) bool { return !v.Administers && !e.OfDefinitions })
}

// Read reads the preferences of the visitor from a request.
func (v *Viewer) Read(r *http.Request) {
	v.Language = lang.Match(cookieValue(r, LanguageCookie), r.Header.Get("Accept-Language"))
	v.Locale = matchLocale(v.Language, r.Header.Get("Accept-Language"), cookieValue(r, LanguageCookie) != "")
	v.accepted, _, _ = language.ParseAcceptLanguage(r.Header.Get("Accept-Language"))
	if cookieValue(r, LanguageCookie) != "" {
		v.accepted = append([]language.Tag{v.Language}, v.accepted...)
	}
	v.Reader = translation.NewReader(v.Language, v.accepted...)
	v.Zone, _ = LoadZone(cookieValue(r, ZoneCookie))
	v.Theme = Theme(cookieValue(r, ThemeCookie))
	v.NoKeys = cookieValue(r, KeysCookie) == KeysOff
}

// matchLocale returns the language of dates and numbers for an Accept-Language header. A chosen language of the console
// replaces a header with another one.
func matchLocale(console language.Tag, accepted string, chosen bool) language.Tag {
	found := locale.Match(accepted)
	written, _ := console.Base()
	if base, _ := found.Base(); chosen && base != written {
		return locale.Match(console.String())
	}
	return found
}

// Apply replaces the defaults of the browser by the profile of the user.
func (v *Viewer) Apply(p domain.Profile) {
	if p.Locale != "" {
		v.Locale = locale.Match(p.Locale)
		if own, err := language.Parse(p.Locale); err == nil {
			v.Reader = translation.NewReader(v.Language, append([]language.Tag{own}, v.accepted...)...)
		}
	}
	if zone, ok := LoadZone(p.TimeZone); ok {
		v.Zone = zone
	}
}

// zones are the time zones that were read from files last.
//
//nolint:gochecknoglobals // a cache that is the same for all
var zones, _ = lru.New[string, *time.Location](256)

// LoadZone returns the time zone with a name of the IANA database, UTC and false for other names.
func LoadZone(name string) (*time.Location, bool) {
	if zone, ok := zones.Get(name); ok {
		return zone, true
	}
	found, err := time.LoadLocation(name)
	if name == "" || err != nil || found == time.Local {
		return time.UTC, false
	}
	zones.Add(name, found)
	return found, true
}

// KeysOff is the value of KeysCookie that turns off keys.
const KeysOff = "off"

// Keys returns the value of KeysCookie that a form asks for.
func Keys(text string) string {
	if text == KeysOff {
		return KeysOff
	}
	return ""
}

// Theme returns a theme that is known, and "" for any other text.
func Theme(text string) string {
	if text == "light" || text == "dark" {
		return text
	}
	return ""
}

func cookieValue(r *http.Request, name string) string {
	found, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	return found.Value
}

type viewerKey struct{}

// WithViewer returns a context in which components find the viewer.
func WithViewer(ctx context.Context, v *Viewer) context.Context {
	return context.WithValue(ctx, viewerKey{}, v)
}

// ViewerOf returns the viewer of a page that is rendered in ctx.
func ViewerOf(ctx context.Context) *Viewer {
	v, ok := ctx.Value(viewerKey{}).(*Viewer)
	if !ok {
		return &Viewer{Language: language.English, Locale: language.English, Zone: time.UTC}
	}
	return v
}

// Text returns an English text that is given to T elsewhere.
func Text(text string) string { return text }

// T returns an English text in the language of the viewer, with the arguments put in
// as fmt.Sprintf does and integers in the notation of the viewer.
func T(ctx context.Context, text string, args ...any) string {
	return lang.Text(ViewerOf(ctx).Language, text, localize(ctx, args)...)
}

// LanguageName returns the name of a language in the language of the page, or its tag.
func LanguageName(ctx context.Context, tag string) string {
	parsed, err := language.Parse(tag)
	if err != nil {
		return tag
	}
	if name := display.Tags(ViewerOf(ctx).Language).Name(parsed); name != "" {
		return name
	}
	return tag
}
