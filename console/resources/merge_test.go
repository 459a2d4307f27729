package resources_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/console/resources"
)

func TestMerge(t *testing.T) {
	t.Parallel()
	const base = "a\nb\nc\nd\ne\n"
	for name, c := range map[string]struct {
		ours, theirs, want string
		conflict           bool
	}{
		"none":                   {base, base, base, false},
		"ours":                   {"a\nB\nc\nd\ne\n", base, "a\nB\nc\nd\ne\n", false},
		"theirs":                 {base, "a\nb\nc\ne\n", "a\nb\nc\ne\n", false},
		"apart":                  {"A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\nf\n", "A\nb\nc\nd\nE\nf\n", false},
		"equal":                  {"a\nb\nX\nd\ne\n", "a\nb\nX\nd\ne\n", "a\nb\nX\nd\ne\n", false},
		"same line":              {"a\nb\nX\nd\ne\n", "a\nb\nY\nd\ne\n", "", true},
		"adjacent lines":         {"a\nX\nc\nd\ne\n", "a\nb\nY\nd\ne\n", "", true},
		"inserted at one place":  {"a\nb\nX\nc\nd\ne\n", "a\nb\nY\nc\nd\ne\n", "", true},
		"deleted and changed":    {"a\ne\n", "a\nb\nX\nd\ne\n", "", true},
		"deleted, changed apart": {"a\nc\nd\ne\n", "a\nb\nc\nd\nE\n", "a\nc\nd\nE\n", false},
	} {
		got, ok, err := resources.Merge(base, c.ours, c.theirs)
		require.NoError(t, err, name)
		require.Equal(t, c.conflict, !ok, name)
		require.Equal(t, c.want, got, name)
	}
}

// Changes of one side alone are taken as they are, and the order of the sides changes nothing.
func TestMergeIsSymmetric(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	change := func(lines []string) string {
		lines = slices.Clone(lines)
		for range random.IntN(4) {
			at := random.IntN(len(lines))
			lines = slices.Replace(lines, at, min(at+random.IntN(2), len(lines)), string(rune('A'+random.IntN(3)))+"\n")
		}
		return strings.Join(lines, "")
	}
	for range 2_000 {
		lines := make([]string, 12)
		for i := range lines {
			lines[i] = string(rune('a'+random.IntN(6))) + "\n"
		}
		base, ours, theirs := strings.Join(lines, ""), change(lines), change(lines)
		got, ok, err := resources.Merge(base, ours, theirs)
		require.NoError(t, err)
		mirrored, okMirrored, err := resources.Merge(base, theirs, ours)
		require.NoError(t, err)
		require.Equal(t, ok, okMirrored)
		require.Equal(t, got, mirrored)
		alone, ok, err := resources.Merge(base, ours, base)
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, ours, alone)
	}
}
