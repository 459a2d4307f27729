package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"mvdan.cc/sh/v3/syntax"

	"github.com/procession-dev/procession/events/webhook"
)

// Every command of the program that a document shows exists, with the flags that it is given.
func TestCommandsOfDocuments(t *testing.T) {
	t.Parallel()
	seen := 0
	for path, raw := range pages(t) {
		for _, shown := range shownCommands(raw) {
			seen++
			// Flags keep their values, so each command has a tree of its own.
			root := newRoot(webhook.NextDelay)
			root.InitDefaultCompletionCmd()
			require.NoError(t, known(root, shown), "%s: %s", path, strings.Join(shown, " "))
		}
	}
	require.Greater(t, seen, 100)
}

// pages returns the documents that users read, by path.
func pages(t *testing.T) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	require.NoError(t, filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "../.." && (strings.HasPrefix(entry.Name(), ".") || slices.Contains([]string{"bin", "node_modules", "decisions"}, entry.Name())):
			return fs.SkipDir
		case filepath.Ext(path) != ".md" || entry.Name() == "CHANGELOG.md":
			return nil
		}
		found[path], err = os.ReadFile(path)
		return err
	}))
	return found
}

// shownCommands returns the words behind the program's name in blocks and spans of code.
func shownCommands(raw []byte) [][]string {
	var commands [][]string
	for _, block := range fencedIn(raw, "sh") {
		commands = append(commands, callsOf(block)...)
	}
	_ = ast.Walk(goldmark.DefaultParser().Parse(text.NewReader(raw)), func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if n, ok := node.(*ast.CodeSpan); ok && entering {
			if span := spanText(n, raw); strings.HasPrefix(span, "procession ") && !strings.Contains(span, "…") {
				commands = append(commands, callsOf(span)...)
			}
		}
		return ast.WalkContinue, nil
	})
	return commands
}

func spanText(span *ast.CodeSpan, raw []byte) string {
	var joined strings.Builder
	for child := span.FirstChild(); child != nil; child = child.NextSibling() {
		if part, ok := child.(*ast.Text); ok {
			joined.Write(part.Segment.Value(raw))
		}
	}
	return joined.String()
}

// callsOf returns the calls of the program in a script.
func callsOf(script string) [][]string {
	file, err := syntax.NewParser().Parse(strings.NewReader(script), "")
	if err != nil {
		return [][]string{{"not a script: " + err.Error()}}
	}
	var calls [][]string
	syntax.Walk(file, func(node syntax.Node) bool {
		if call, ok := node.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			if name := call.Args[0].Lit(); name == "procession" || name == "bin/procession" {
				words := []string{}
				for _, word := range call.Args[1:] {
					words = append(words, literal(word))
				}
				calls = append(calls, words)
			}
		}
		return true
	})
	return calls
}

// literal returns a word without its quotes; expansions count as text.
func literal(word *syntax.Word) string {
	var text strings.Builder
	syntax.Walk(word, func(node syntax.Node) bool {
		switch part := node.(type) {
		case *syntax.Lit:
			text.WriteString(part.Value)
		case *syntax.SglQuoted:
			text.WriteString(part.Value)
		case *syntax.ParamExp, *syntax.CmdSubst:
			text.WriteString("expanded")
			return false
		}
		return true
	})
	return text.String()
}

// known returns an error unless the words are a valid command.
func known(root *cobra.Command, words []string) error {
	cmd, rest, err := root.Find(words)
	if err != nil {
		return err
	}
	cmd.InitDefaultHelpFlag()
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	if args := cmd.Flags().Args(); cmd.HasAvailableSubCommands() && cmd.Args == nil && len(args) > 0 {
		return fmt.Errorf("%s has no command %s", cmd.CommandPath(), args[0])
	}
	return nil
}
