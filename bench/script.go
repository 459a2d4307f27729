package main

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// script is a pgbench script that executes the transactions of a captured
// request over and over, with fresh ids each time.
type script struct {
	text string
	// variables are the parameters that do not change.
	variables map[string]string
	// statements and roundTrips are those of one request.
	statements, roundTrips int
}

// newScript makes the script from the transactions of two requests that differ
// in nothing but their subject: what differs between a and b must be an id or a
// time. An id that ends like that of a's subject follows the subject; the others
// are fresh and of the kinds that follow freshKind.
//
// The statements stay as PostgreSQL saw them, except that parameters that are
// NULL or empty become literals, that of an id is put together from two, and
// that pgbench numbers a parameter anew each time it occurs.
func newScript(a, b [][]statement, subject uuid.UUID, freshKind int) (*script, error) {
	w := &scriptWriter{
		script: &script{variables: map[string]string{}}, subject: subject, freshKind: freshKind,
		prefixes: map[string]string{}, constants: map[string]string{},
	}
	w.line(`\set i :i + 1`)
	w.line(fmt.Sprintf(`\set n %d + (:client_id + :lane) * %d + :i`, subjectBase, subjectStride))
	if len(a) != len(b) {
		return nil, errors.New("two requests executed different numbers of transactions")
	}
	for _, transaction := range a {
		other := b[0]
		b = b[1:]
		if err := w.transaction(transaction, other); err != nil {
			return nil, err
		}
	}
	return w.script, nil
}

type scriptWriter struct {
	*script
	subject   uuid.UUID
	freshKind int
	// prefixes of fresh ids by the id that they stand for, variables of constants
	// by their value.
	prefixes, constants map[string]string
}

func (w *scriptWriter) line(text string) { w.text += text + "\n" }

// transaction writes one transaction. Its reads, with BEGIN, are one round trip
// and its writes, with COMMIT, another: so the service sends them.
func (w *scriptWriter) transaction(a, b []statement) error {
	if len(a) != len(b) {
		return errors.New("two requests executed different numbers of statements")
	}
	open := false
	writing := false
	for i, s := range a {
		if s.sql != b[i].sql {
			return fmt.Errorf("two requests executed different statements:\n%s\n%s", s.sql, b[i].sql)
		}
		first, _, _ := strings.Cut(strings.ToUpper(s.sql), " ")
		read := first == "BEGIN" || strings.HasPrefix(first, "SELECT")
		if open && !read && !writing {
			w.line(`\endpipeline`)
			open = false
		}
		if !open {
			w.line(`\startpipeline`)
			w.roundTrips++
			open = true
		}
		writing = writing || !read
		text, err := w.statement(s, b[i])
		if err != nil {
			return err
		}
		w.line(text + ";")
		w.statements++
	}
	w.line(`\endpipeline`)
	return nil
}

// comparedToText matches a parameter that is a text because it is compared with
// one: an id in it must not make it a uuid.
var comparedToText = regexp.MustCompile(`nullif\((\$\d+), ''\)`)

func (w *scriptWriter) statement(a, b statement) (string, error) {
	var fault error
	sql := comparedToText.ReplaceAllString(a.sql, "nullif($1::text, '')")
	text := regexp.MustCompile(`\$\d+`).ReplaceAllStringFunc(sql, func(placeholder string) string {
		position, err := strconv.Atoi(placeholder[1:])
		if err != nil {
			fault = err
			return placeholder
		}
		expression, err := w.expression(a.params[position], b.params[position])
		if err != nil {
			fault = fmt.Errorf("parameter %s of %q: %w", placeholder, a.sql, err)
		}
		return expression
	})
	return text, fault
}

func (w *scriptWriter) expression(a, b *string) (string, error) {
	switch {
	case a == nil && b == nil:
		return "NULL", nil
	case a == nil || b == nil:
		return "", errors.New("is NULL in one of two requests only")
	case *a == "" && *b == "":
		// pgbench has no empty variables.
		return "''", nil
	case *a == *b:
		return ":" + w.constant(*a), nil
	}
	if id, err := uuid.Parse(*a); err == nil {
		return "(:" + w.constant(w.prefix(id)) + "::text || :n::text)::uuid", nil
	}
	if !regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:`).MatchString(*a) {
		return "", fmt.Errorf("differs between two requests and is neither id nor time: %q, %q", *a, *b)
	}
	return ":" + w.constant(*a), nil
}

// constant returns the variable that holds the value.
func (w *scriptWriter) constant(value string) string {
	name, known := w.constants[value]
	if !known {
		name = "v" + strconv.Itoa(len(w.constants)+1)
		w.constants[value] = name
		w.variables[name] = value
	}
	return name
}

// prefix returns what the ids begin with that stand for id.
func (w *scriptWriter) prefix(id uuid.UUID) string {
	digits := strings.ReplaceAll(id.String(), "-", "")
	if subject := strings.ReplaceAll(w.subject.String(), "-", ""); digits[prefixLength:] == subject[prefixLength:] {
		return digits[:prefixLength]
	}
	prefix, known := w.prefixes[digits]
	if !known {
		prefix = idPrefix(w.freshKind + len(w.prefixes))
		w.prefixes[digits] = prefix
	}
	return prefix
}
