package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"strings"
)

// patterns contains the expressions that classify lines and names.
type patterns struct {
	generated, directive, inlineCode *regexp.Regexp
	oneWord                          *regexp.Regexp
	// participle matches past participles by their ending, notParticiple other words with that ending.
	participle, notParticiple *regexp.Regexp
	label                     *regexp.Regexp
}

func compilePatterns() patterns {
	return patterns{
		generated:     regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`),
		directive:     regexp.MustCompile(`^//(go:|nolint|lint:|export )`),
		inlineCode:    regexp.MustCompile("`[^`]*`"),
		oneWord:       regexp.MustCompile(`^[a-z]+$`),
		participle:    regexp.MustCompile(`^[a-z]+(ed|en)$`),
		notParticiple: regexp.MustCompile(`^(open|listen|feed|seed|embed|need|exceed|proceed|succeed|shorten|widen|speed|bleed|happen|even|token)$`),
		label:         regexp.MustCompile(`\b([AB][1-9][0-9]?|specification section)\b`),
	}
}

// readFile counts a file.
func (p *project) readFile(name, text string) error {
	if p.units[path.Dir(name)] == nil {
		p.units[path.Dir(name)] = p.newUnit()
	}
	p.checkLabels(name, text)
	switch path.Ext(name) {
	case ".go":
		return p.readGo(name, text)
	case ".md":
		p.readMarkdown(name, text)
	case ".sql":
		p.readComments(name, text, "--")
	case ".templ":
		p.readComments(name, text, "//")
	default:
		p.readComments(name, text, "#")
	}
	return nil
}

// checkLabels finds labels of operations in documents and contracts. Decision records and the statements of conformance
// refer to the specification.
func (p *project) checkLabels(name, text string) {
	if path.Ext(name) != ".md" && path.Base(path.Dir(name)) != "openapi" || path.Ext(name) == ".go" ||
		strings.HasPrefix(name, "docs/decisions/") || strings.Contains(name, "conformance/") {
		return
	}
	for i, line := range strings.Split(text, "\n") {
		if label := p.patterns.label.FindString(line); label != "" {
			p.labels = append(p.labels, fmt.Errorf("%s:%d: %s: users do not have this specification; name the operation", name, i+1, label))
		}
	}
}

// readGo counts the comments of a Go file and, outside tests, its functions.
func (p *project) readGo(name, text string) error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if p.patterns.directive.MatchString(comment.Text) {
				continue
			}
			first := files.Position(comment.Pos()).Line
			for i, line := range strings.Split(comment.Text, "\n") {
				p.countLine(name, first+i, line)
			}
		}
	}
	if strings.HasSuffix(name, "_test.go") {
		return nil
	}
	for _, declaration := range file.Decls {
		if function, ok := declaration.(*ast.FuncDecl); ok {
			p.countName(function.Name.Name, files.Position(function.Pos()))
		}
	}
	return nil
}

func (p *project) countName(name string, position token.Position) {
	if name == "main" || name == "init" {
		return
	}
	u := p.units[path.Dir(position.Filename)]
	u.functions++
	at := fmt.Sprintf("%s:%d: %s", position.Filename, position.Line, name)
	if p.patterns.participle.MatchString(name) && !p.patterns.notParticiple.MatchString(name) {
		u.participles = append(u.participles, at)
	}
	if p.patterns.oneWord.MatchString(name) {
		u.oneWord++
		u.found = append(u.found, at)
	}
}

// readComments counts the lines that begin with a comment mark.
func (p *project) readComments(name, text, mark string) {
	for i, line := range strings.Split(text, "\n") {
		if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, mark) {
			p.countLine(name, i+1, trimmed)
		}
	}
}

// readMarkdown counts the lines with text outside fenced code.
func (p *project) readMarkdown(name, text string) {
	fenced := false
	for i, line := range strings.Split(text, "\n") {
		switch trimmed := strings.TrimSpace(line); {
		case strings.HasPrefix(trimmed, "```"):
			fenced = !fenced
		case !fenced && trimmed != "":
			p.countLine(name, i+1, p.patterns.inlineCode.ReplaceAllString(line, ""))
		}
	}
}

func (p *project) countLine(name string, number int, line string) {
	u := p.units[path.Dir(name)]
	u.lines++
	for i, c := range p.constructions {
		if n := len(c.pattern.FindAllString(line, -1)); n > 0 {
			u.counts[i] += n
			u.found = append(u.found, fmt.Sprintf("%s:%d: %s: %s", name, number, c.name, strings.TrimSpace(line)))
		}
	}
}
