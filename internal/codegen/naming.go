package codegen

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/procession-dev/procession/domain/jsontext"
)

// words splits a name at everything that is no letter or digit, and where a lower-case letter is followed by an
// upper-case one.
func words(name string) []string {
	var found []string
	var word strings.Builder
	var before rune
	end := func() {
		if word.Len() > 0 {
			found = append(found, word.String())
			word.Reset()
		}
	}
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			end()
			before = r
			continue
		}
		if unicode.IsLower(before) && unicode.IsUpper(r) {
			end()
		}
		word.WriteRune(r)
		before = r
	}
	end()
	return found
}

// camel returns a name as FirstName, which begins with an upper-case letter. It keeps initialisms as Go spells them.
func camel(name string) string {
	var b strings.Builder
	for _, word := range words(name) {
		switch upper := strings.ToUpper(word); upper {
		case "ID", "URL", "URI", "PDF", "IBAN":
			b.WriteString(upper)
		default:
			letters := []rune(strings.ToLower(word))
			letters[0] = unicode.ToUpper(letters[0])
			b.WriteString(string(letters))
		}
	}
	if letters := []rune(b.String()); len(letters) == 0 || !unicode.IsUpper(letters[0]) {
		return "X" + string(letters)
	}
	return b.String()
}

// constantName returns a name as FIRST_NAME.
func constantName(c constant) string {
	name := strings.ToUpper(strings.Join(words(c.prefix+"_"+c.name), "_"))
	if name == "" || unicode.IsDigit([]rune(name)[0]) {
		return "X_" + name
	}
	return name
}

// naming is how a source file spells names.
type naming struct {
	constants map[constant]string
	types     map[string]string
	// taken are the names of both.
	taken names
}

// name names the constants and types of a file by the conventions of a language.
func name(f file, l conventions) naming {
	n := naming{map[constant]string{}, map[string]string{}, names{}}
	for _, reserved := range l.reserved {
		n.taken[reserved] = true
	}
	for _, group := range f.groups {
		for _, c := range group.constants {
			n.constants[c] = n.taken.unique(l.constant(c))
		}
	}
	for _, o := range f.types {
		n.types[o.name] = n.taken.unique(camel(o.name))
	}
	return n
}

// names makes names unique within a source file.
type names map[string]bool

func (n names) unique(name string) string {
	chosen := name
	for i := 2; n[chosen]; i++ {
		chosen = fmt.Sprint(name, i)
	}
	n[chosen] = true
	return chosen
}

// line returns a text as one line that is safe within a comment.
func line(text string) string {
	printable := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsPrint(r) {
			return r
		}
		return -1
	}, text)
	return strings.ReplaceAll(strings.Join(strings.Fields(printable), " "), "*/", "* /")
}

// quoted returns a text as a string literal of JSON, which is one of TypeScript and of Python too.
func quoted(text string) string {
	return string(jsontext.Quote(text))
}
