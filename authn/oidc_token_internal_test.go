package authn

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadGroups(t *testing.T) {
	t.Parallel()
	many := make([]string, maxClaimValues+1)
	for i := range many {
		many[i] = fmt.Sprintf("%q", fmt.Sprint(i))
	}
	for claim, want := range map[string][]string{
		`["b","a","b"]`:                     {"a", "b"},
		`"one"`:                             {"one"},
		`[]`:                                {},
		`["a",null,"","line\nbreak"]`:       {"a"},
		``:                                  nil,
		`null`:                              {},
		`["a",1]`:                           nil,
		`{"src":"claims"}`:                  nil,
		`true`:                              nil,
		"[" + strings.Join(many, ",") + "]": nil,
		`["` + strings.Repeat("x", maxClaimValue+1) + `"]`: nil,
	} {
		require.ElementsMatch(t, want, readGroups([]byte(claim)), claim)
	}
}
