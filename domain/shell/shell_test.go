package shell_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/shell"
)

func hostile() []string {
	texts := []string{
		"", " ", "process-1", "kid;touch${IFS}/tmp/x;#", "$(touch x)", "`touch x`", "a'b", "'; touch x; '", `a"b`, `a\`, `\'`, "a\nb",
		"a\rb", "a\tb", "\x03touch x\n", "\x1b[201~touch x\n", "\u009b201~x", "\u202egnp.x", "a\u200bb", "a\u00a0b", "&& x", "| x", "> x", "< x", "*",
		"?", "[a]", "{a,b}", "~", "~root", "!", "!!", "#", "=ls", "-x", "--", "a b", "%self", "^a^b", "ü", "日本", "\xff\xfe", "\xc3'", "\ufffd",
		"\x01" + "1f", "\x7f", "$'x'", `$'\''`, "\u2028",
	}
	all := make([]byte, 0, 255)
	for b := 1; b < 256; b++ {
		all = append(all, byte(b))
		texts = append(texts, string([]byte{byte(b)}), "a"+string([]byte{byte(b)})+"1")
	}
	return append(texts, string(all))
}

// Shells read every word unchanged and produce no other output.
func TestCommandIsReadByShells(t *testing.T) {
	t.Parallel()
	words := hostile()
	line := string(shell.Command(append([]string{"printf", `%s\0`}, words...)...))
	for _, name := range []string{"bash", "zsh", "ksh"} {
		path, err := exec.LookPath(name)
		if name != "bash" && err != nil {
			continue
		}
		require.NoError(t, err)
		command := exec.CommandContext(t.Context(), path, "-c", line)
		command.Dir = t.TempDir()
		command.Env = []string{"LC_ALL=C.UTF-8", "PATH=/usr/bin:/bin"}
		got, err := command.CombinedOutput()
		require.NoError(t, err, "%s: %s", name, got)
		require.Equal(t, words, strings.Split(strings.TrimSuffix(string(got), "\x00"), "\x00"), name)
	}
}

// Words without invisible characters are read by older shells too.
func TestVisibleWordsNeedNoEscapes(t *testing.T) {
	t.Parallel()
	for _, text := range hostile() {
		word := shell.Word(text)
		if strings.HasPrefix(word, "$'") {
			continue
		}
		got, err := exec.CommandContext(t.Context(), "sh", "-c", "printf %s "+word).Output()
		require.NoError(t, err, word)
		require.Equal(t, text, string(got))
	}
}

func TestWordHasNoInvisibleCharacters(t *testing.T) {
	t.Parallel()
	for _, text := range hostile() {
		for _, r := range shell.Word(text) {
			require.False(t, r < ' ' || r == 0x7f || r >= 0x80 && r <= 0xa0 || r == 0x202e || r == 0x200b || r == 0x2028, "%q", text)
		}
	}
	require.Equal(t, "LOAN", shell.Word("LOAN"))
	require.Equal(t, "'it'\\''s here'", shell.Word("it's here"))
	require.Equal(t, `$'\033[201~x'`, shell.Word("\x1b[201~x"))
	require.Equal(t, shell.Line("a 'b c' | d"), shell.Pipe(shell.Command("a", "b c"), shell.Command("d")))
}

func TestDoubleQuotedIsReadByShells(t *testing.T) {
	t.Parallel()
	for _, text := range hostile() {
		if text == "" || strings.HasSuffix(text, "\n") {
			continue
		}
		got, err := exec.CommandContext(t.Context(), "sh", "-c", `printf %s "`+shell.DoubleQuoted(text)+`"`).Output()
		require.NoError(t, err, text)
		require.Equal(t, text, string(got))
	}
}
