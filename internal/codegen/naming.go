package codegen

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/procession-dev/procession/domain/jsontext"
)

// splitWords splits a name at characters other than letters and digits, and between a lower-case and an upper-case letter.
func splitWords(name string) []string {
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

// camelCase returns a name in the form FirstName, with the initialisms of Go.
func camelCase(name string) string {
	var b strings.Builder
	for _, word := range splitWords(name) {
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

// constantName returns a name in the form FIRST_NAME.
func constantName(c constant) string {
	name := strings.ToUpper(strings.Join(splitWords(c.prefix+"_"+c.name), "_"))
	if name == "" || unicode.IsDigit([]rune(name)[0]) {
		return "X_" + name
	}
	return name
}

// naming contains the spelling of the names in a source file.
type naming struct {
	constants map[constant]string
	types     map[string]string
	// taken contains the names of both.
	taken names
}

// spellNames spells the constants and types of a file by the conventions of a language.
func spellNames(f file, l conventions) naming {
	n := naming{map[constant]string{}, map[string]string{}, names{}}
	for _, reserved := range l.reserved {
		n.taken[reserved] = true
	}
	for _, group := range f.groups {
		for _, c := range group.constants {
			n.constants[c] = n.taken.takeName(l.constant(c))
		}
	}
	for _, o := range f.types {
		n.types[o.name] = n.taken.takeName(camelCase(o.name))
	}
	return n
}

// names makes names unique within a source file.
type names map[string]bool

func (n names) takeName(name string) string {
	chosen := name
	for i := 2; n[chosen]; i++ {
		chosen = fmt.Sprint(name, i)
	}
	n[chosen] = true
	return chosen
}

// singleLine returns a text as one line without the end of a comment.
func singleLine(text string) string {
	printable := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsPrint(r) {
			return r
		}
		return -1
	}, text)
	return strings.ReplaceAll(strings.Join(strings.Fields(printable), " "), "*/", "* /")
}

// quoteJSON returns a text as a string literal of JSON, which TypeScript, Python and Java read too.
func quoteJSON(text string) string {
	return string(jsontext.Quote(text))
}
