package manifest

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// bracketFault returns the offset of the first bracket of YAML that is not closed, or closes nothing, and what is wrong
// with it; -1 if there is none. The library names neither the bracket nor its column. It reads YAML only as far as
// brackets need, and is used only for text that the library has refused.
func bracketFault(content []byte) (offset int, fault string) {
	s := bracketScan{content: content, fresh: true}
	for s.at < len(content) {
		if offset, fault := s.step(); fault != "" {
			return offset, fault
		}
	}
	return s.unclosed()
}

// A bracketScan goes through a text once. Open are the offsets of the brackets that are open, and fresh reports whether
// a value may begin here.
type bracketScan struct {
	content []byte
	at      int
	open    []int
	fresh   bool
}

func (s *bracketScan) unclosed() (offset int, fault string) {
	if len(s.open) == 0 {
		return -1, ""
	}
	last := s.open[len(s.open)-1]
	return last, fmt.Sprintf("the %c is not closed", s.content[last])
}

// step reads a character, a quoted text, a block of text or a comment.
func (s *bracketScan) step() (offset int, fault string) {
	c, lineStart := s.content[s.at], s.at == 0 || s.content[s.at-1] == '\n'
	if lineStart && bytes.HasPrefix(s.content[s.at:], []byte("---")) && len(s.open) > 0 {
		return s.unclosed()
	}
	inFlow := len(s.open) > 0
	switch {
	case c == '#' && (lineStart || strings.IndexByte(" \t", s.content[s.at-1]) >= 0):
		s.at = s.lineEnd(s.at)
		return 0, ""
	case s.fresh && (c == '"' || c == '\''):
		s.quoted(c)
	case s.fresh && !inFlow && (c == '|' || c == '>'):
		s.block()
		return 0, ""
	case (s.fresh || inFlow) && (c == '[' || c == '{'):
		s.open = append(s.open, s.at)
	case (s.fresh || inFlow) && (c == ']' || c == '}'):
		if !inFlow {
			return s.at, fmt.Sprintf("the %c closes nothing", c)
		}
		if last := s.content[s.open[len(s.open)-1]]; (last == '[') != (c == ']') {
			return s.unclosed()
		}
		s.open = s.open[:len(s.open)-1]
	}
	s.fresh = strings.IndexByte(":,-?[{\n", c) >= 0 || s.fresh && c == ' '
	s.at++
	return 0, ""
}

func (s *bracketScan) lineEnd(from int) int {
	if end := bytes.IndexByte(s.content[from:], '\n'); end >= 0 {
		return from + end
	}
	return len(s.content)
}

// quoted goes to the closing quote.
func (s *bracketScan) quoted(quote byte) {
	for s.at++; s.at < len(s.content) && s.content[s.at] != quote; s.at++ {
		if quote == '"' && s.content[s.at] == '\\' {
			s.at++
		}
	}
}

// block goes over the lines of a block of text: those that are indented further than the line that begins it.
func (s *bracketScan) block() {
	indent := func(from int, also string) int {
		line := string(s.content[from:s.lineEnd(from)])
		return len(line) - len(strings.TrimLeft(line, also))
	}
	begin := indent(bytes.LastIndexByte(s.content[:s.at], '\n')+1, " -")
	for s.at = s.lineEnd(s.at); s.at < len(s.content); s.at = s.lineEnd(s.at + 1) {
		next := s.at + 1
		if next < len(s.content) && next < s.lineEnd(next) && indent(next, " ") <= begin {
			return
		}
	}
}

// placeIn returns the line and the column, counted from 1, of an offset.
func placeIn(content []byte, offset int) (line, column int) {
	start := bytes.LastIndexByte(content[:offset], '\n') + 1
	return 1 + bytes.Count(content[:start], []byte("\n")), 1 + utf8.RuneCount(content[start:offset])
}
