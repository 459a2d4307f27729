package pg

// Names of the versions v and t of definitions with their translations, as JSON of translation.Name. A missing version has
// the name "".
const (
	NameOfV = `coalesce(v.names, to_jsonb(v.name), '""')`
	NameOfT = `coalesce(t.names, to_jsonb(t.name), '""')`
)

// TranslationsOf returns the translations of the name of the version with an alias, as lines.
func TranslationsOf(alias string) string {
	return "coalesce((SELECT string_agg(m.value, chr(10)) FROM jsonb_each_text(" + alias + ".names -> 'in') m), '')"
}
