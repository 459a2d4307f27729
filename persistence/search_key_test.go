package persistence_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/searchkey"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// TestSearchKeys checks which texts are equal in searches and which e-mail addresses are one address.
func TestSearchKeys(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	pgtest.Open(t, url)
	db, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close(t.Context()) })
	for _, c := range []struct {
		name, a, b    string
		search, email bool
	}{
		{"ASCII", "Carol@Demo.Example", "cAROL@dEMO.eXAMPLE", true, true},
		{"combining accent", "Zoë", norm.NFD.String("Zoë"), true, true},
		{"combining accent and case", "ZOË", norm.NFD.String("zoë"), true, true},
		{"two accents in another order", "a\u0323\u0302", "a\u0302\u0323", true, true},
		{"Hangul jamo", "한국", norm.NFD.String("한국"), true, true},
		{"accent matters", "Zoë", "Zoe", false, false},
		{"Turkish dotted I", "İstanbul", "istanbul", true, false},
		{"Turkish dotless i", "ISPARTA", "ısparta", true, false},
		{"German sharp s", "Straße", "STRASSE", true, false},
		{"capital sharp s", "STRAẞE", "straße", true, true},
		{"Greek final sigma", "ΟΔΟΣ", "οδος", true, true},
		{"sigma within", "οδοσ", "οδος", true, false},
		{"Greek accents", "Ϊ\u0301", "ΐ", true, true},
		{"ligature", "ﬁn", "FIN", true, false},
		{"Kelvin sign", "\u212a", "k", true, true},
		{"full-width case", "ＡＢＣ", "ａｂｃ", true, true},
		{"full-width is another text", "ＡＢＣ", "abc", false, false},
		{"Cyrillic", "ПРИВЕТ", "привет", true, true},
		{"look-alike", "аdmin", "admin", false, false},
	} {
		var search, email bool
		var key string
		require.NoError(t, db.QueryRow(t.Context(), `SELECT search_key($1) = search_key($2), email_key($1) = email_key($2), email_key($1)`, c.a, c.b).
			Scan(&search, &email, &key), c.name)
		require.Equal(t, c.search, search, c.name)
		require.Equal(t, c.search, searchkey.Equal(c.a, c.b), c.name)
		require.Equal(t, c.email, email, c.name)
		require.Equal(t, c.email, domain.EqualEmails(c.a, c.b), c.name)
		require.Equal(t, key, domain.EmailKey(c.a), c.name)
	}
	// A key is its own key, and a part of a text has a part of its key.
	var stable, part bool
	require.NoError(t, db.QueryRow(t.Context(), `
SELECT search_key(search_key('Straße İi ıI ﬁ ΟΔΟΣ')) = search_key('Straße İi ıI ﬁ ΟΔΟΣ'), search_key('Οδοσσεια 100%_ ß') LIKE search_key('%δοσ%100\%\_ SS')`).
		Scan(&stable, &part))
	require.True(t, stable)
	require.True(t, part)
}
