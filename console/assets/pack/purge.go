package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

var (
	word     = regexp.MustCompile(`[A-Za-z][\w-]*`)
	variable = regexp.MustCompile(`--[\w-]+`)
)

// usedWords returns the words in the templates, the code and the scripts of the console. The classes of the pages are
// among them.
func usedWords(dir string) (map[string]bool, error) {
	words := map[string]bool{}
	console := filepath.Join(dir, "..")
	err := filepath.WalkDir(console, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{"node_modules", "dist", "lang"}, entry.Name()):
			return fs.SkipDir
		case !slices.Contains([]string{".templ", ".go", ".js"}, filepath.Ext(path)), strings.HasSuffix(path, "_test.go"), strings.HasSuffix(path, "_templ.go"):
			return nil
		}
		content, err := os.ReadFile(path) //nolint:gosec // our own files
		for _, found := range word.FindAll(content, -1) {
			words[string(found)] = true
		}
		return err
	})
	return words, err
}

// purgeSheet returns a style sheet without the rules for classes that are not among words, and without the custom properties
// that neither the style sheet nor the one after it reads.
func purgeSheet(sheet []byte, words map[string]bool, after []byte) ([]byte, error) {
	kept, err := filterSheet(sheet, func(selector []css.Token) bool { return isUsed(selector, words) }, func(string) bool { return true })
	if err != nil {
		return nil, err
	}
	// A property that is read by an unused one is used until that one is gone.
	for before := 0; len(kept) != before; {
		before = len(kept)
		read := map[string]bool{}
		for _, text := range [][]byte{kept, after} {
			for _, at := range variable.FindAllIndex(text, -1) {
				if end := text[at[1]:]; len(end) == 0 || end[0] != ':' {
					read[string(text[at[0]:at[1]])] = true
				}
			}
		}
		if kept, err = filterSheet(kept, func([]css.Token) bool { return true }, func(name string) bool { return read[name] }); err != nil {
			return nil, err
		}
	}
	return kept, nil
}

// isUsed reports whether all classes of a selector are among words. Arguments of functions, such as :not(), do not count.
func isUsed(selector []css.Token, words map[string]bool) bool {
	depth := 0
	for i, token := range selector {
		switch {
		case token.TokenType == css.FunctionToken || token.TokenType == css.LeftParenthesisToken:
			depth++
		case token.TokenType == css.RightParenthesisToken:
			depth--
		case depth == 0 && i > 0 && token.TokenType == css.IdentToken && string(selector[i-1].Data) == "." && !words[string(token.Data)]:
			return false
		}
	}
	return true
}

// splitSelectors returns the selectors of a list.
func splitSelectors(list []css.Token) [][]css.Token {
	var selectors [][]css.Token
	depth, start := 0, 0
	for i, token := range list {
		switch token.TokenType { //nolint:exhaustive // the others neither nest nor separate
		case css.FunctionToken, css.LeftParenthesisToken, css.LeftBracketToken:
			depth++
		case css.RightParenthesisToken, css.RightBracketToken:
			depth--
		case css.CommaToken:
			if depth == 0 {
				selectors, start = append(selectors, list[start:i]), i+1
			}
		}
	}
	return append(selectors, list[start:])
}

// filterSheet returns a style sheet with the selectors and custom properties that are kept. Rules without selectors or
// declarations are left out.
func filterSheet(sheet []byte, selects func([]css.Token) bool, defines func(name string) bool) ([]byte, error) {
	p := css.NewParser(parse.NewInputBytes(bytes.Clone(sheet)), false)
	blocks := []*bytes.Buffer{{}} // the content of the blocks around the next rule
	var heads []string
	open := func(head string) {
		heads, blocks = append(heads, head), append(blocks, &bytes.Buffer{})
	}
	shut := func() {
		head, content := heads[len(heads)-1], blocks[len(blocks)-1]
		heads, blocks = heads[:len(heads)-1], blocks[:len(blocks)-1]
		if head != "" && content.Len() > 0 {
			fmt.Fprintf(blocks[len(blocks)-1], "%s{%s}", head, bytes.TrimSuffix(content.Bytes(), []byte(";")))
		}
	}
	for {
		kind, _, data := p.Next()
		content := blocks[len(blocks)-1]
		switch kind {
		case css.ErrorGrammar:
			if errors.Is(p.Err(), io.EOF) {
				return blocks[0].Bytes(), nil
			}
			return nil, fmt.Errorf("parsing a style sheet: %w", p.Err())
		case css.AtRuleGrammar:
			fmt.Fprintf(content, "%s%s;", data, textOf(p.Values()))
		case css.BeginAtRuleGrammar:
			open(string(data) + textOf(p.Values()))
		case css.BeginRulesetGrammar:
			var kept []string
			for _, selector := range splitSelectors(p.Values()) {
				if selects(selector) {
					kept = append(kept, textOf(selector))
				}
			}
			open(strings.Join(kept, ","))
		case css.DeclarationGrammar:
			fmt.Fprintf(content, "%s:%s;", data, textOf(p.Values()))
		case css.CustomPropertyGrammar:
			if defines(string(data)) {
				fmt.Fprintf(content, "%s:%s;", data, textOf(p.Values()))
			}
		case css.EndAtRuleGrammar, css.EndRulesetGrammar:
			shut()
		case css.CommentGrammar, css.TokenGrammar, css.QualifiedRuleGrammar:
		}
	}
}

func textOf(tokens []css.Token) string {
	var text strings.Builder
	for _, token := range tokens {
		text.Write(token.Data)
	}
	return text.String()
}
