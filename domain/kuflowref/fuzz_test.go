package kuflowref_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/kuflowref"
)

// FuzzParse checks that no text makes Parse panic, and that a parsed reference is written so that it parses to
// the same, in text that needs no further escapes.
func FuzzParse(f *testing.F) {
	f.Add("kuflow-file:uri=" + inner + ";type=image/svg+xml;size=5;name=a b+%2B%zz;original-name=;x=%3d;")
	f.Add("kuflow-principal:id=" + first + ";type=USER;name=\x00é\xff;")
	f.Add("KUFLOW-business-artifact:definitionId=" + first + ";;id=" + second)
	f.Add("\u212auflow-process:id=" + first)
	f.Fuzz(func(t *testing.T, text string) {
		r, ok := kuflowref.Parse(text)
		kind, like := kuflowref.KindOf(text)
		if !ok {
			require.Nil(t, r)
			return
		}
		require.True(t, like)
		require.Equal(t, kind, r.Kind())
		written := r.String()
		require.True(t, plain(written), "%q", written)
		again, ok := kuflowref.Parse(written)
		require.True(t, ok, "%q", written)
		require.Equal(t, r, again)
		require.Equal(t, written, again.String())
	})
}

// FuzzParseURI checks the same for addresses of documents.
func FuzzParseURI(f *testing.F) {
	f.Add(inner)
	f.Add("KU:business-artifact-action-value/" + strings.ToUpper(first) + "/document/" + second)
	f.Add("kuflow-file:uri=" + inner + ";type=a/b;size=5;name=a;")
	f.Fuzz(func(t *testing.T, text string) {
		u, ok := kuflowref.ParseDocumentURI(text)
		if !ok {
			require.Zero(t, u)
			return
		}
		again, ok := kuflowref.ParseURI(u.String())
		require.True(t, ok)
		require.Equal(t, u, again)
	})
}

// Any content of the parts is preserved.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		runes := make([]rune, random.IntN(12))
		for i := range runes {
			switch random.IntN(4) {
			case 0:
				runes[i] = rune(random.IntN(0x80))
			case 1:
				runes[i] = rune(";=%+ :/&\"\\\r\n\x00"[random.IntN(13)])
			default:
				runes[i] = rune(random.IntN(utf8.MaxRune + 1))
			}
		}
		return strings.ToValidUTF8(string(runes), "")
	}
	types := []domain.PrincipalType{domain.PrincipalUser, domain.PrincipalApplication, domain.PrincipalSystem}
	for range 20_000 {
		a, b := uuid.New(), uuid.New()
		for _, r := range []kuflowref.Reference{
			kuflowref.File{URI: "x" + text(), Type: text(), Size: random.Int64(), Name: text(), OriginalName: text()},
			kuflowref.Principal{ID: a, Type: types[random.IntN(3)], Name: text()},
			kuflowref.Group{ID: a, Type: text(), Name: text()},
			kuflowref.BusinessArtifact{ID: a, DefinitionID: b, Title: text()},
			kuflowref.DataSource{ID: a, Name: text()},
			kuflowref.Process{ID: a, Name: text()},
		} {
			again, ok := kuflowref.Parse(r.String())
			if !ok || again.String() != r.String() {
				t.Fatalf("%#v is written %q", r, r.String())
			}
			require.Equal(t, r, again)
		}
	}
}
