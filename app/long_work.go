package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/kuflowref"
)

const (
	// longText is the size of values that are validated and patched outside of transactions, in bytes. Smaller ones are
	// too once their validation turns out to take more than a millisecond or two.
	longText = 64 << 10
	// maxRepeats limits how often the same work is repeated because its inputs have changed meanwhile.
	maxRepeats = 2
	// maxPause limits a pause of long work.
	maxPause = 10 * time.Millisecond
)

// errLong stops a validation within a transaction.
var errLong = errors.New("the work takes too long for a transaction")

// longWorkError is the error of a write that needs the result of work that takes too long for a transaction: it would hold
// locks and a connection. The write is rolled back, and repeated with the result.
type longWorkError struct {
	step int
	do   func(watch func() error) any
}

func (w *longWorkError) Error() string { return errLong.Error() }

// longWorkLimiter limits how much long work is done at once, to leave a processor to other requests.
type longWorkLimiter struct{ slots chan struct{} }

func newLongWorkLimiter() *longWorkLimiter {
	return &longWorkLimiter{slots: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1))}
}

// do does long work and adds the result to prepared. It stops when the context ends.
func (w *longWorkLimiter) do(ctx context.Context, work *longWorkError, prepared *preparation) error {
	if prepared.repeats[work.step]++; prepared.repeats[work.step] > 1+maxRepeats {
		return domain.Conflict(domain.CodeConflict, "the resource is changed by others all the time; try again later")
	}
	select {
	case w.slots <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("waiting to validate a value: %w", ctx.Err())
	}
	defer func() { <-w.slots }()
	prepared.results[work.step] = work.do(Pauses(ctx))
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("validating a value: %w", err)
	}
	return nil
}

// Pauses returns a function that long work calls every millisecond or two. It pauses the work for as long as the work
// has taken since the last call, so that others find a processor, and returns an error once the context has ended.
func Pauses(ctx context.Context) func() error {
	resumed := time.Now() //nolint:forbidigo // it measures the processor, not the time of the service
	return func() error {
		select {
		case <-time.After(min(time.Since(resumed), maxPause)):
		case <-ctx.Done():
		}
		resumed = time.Now() //nolint:forbidigo // as above
		return ctx.Err()
	}
}

// A preparation has the results of the long work of a write, by step: the number of the validation or patch in it.
type preparation struct {
	results map[int]any
	repeats map[int]int
	// copies are the ids of copied documents, which are the same when the write is repeated.
	copies map[copied]uuid.UUID
}

// copied is a document that a step copies.
type copied struct {
	step     int
	original uuid.UUID
}

func newPreparation() *preparation {
	return &preparation{results: map[int]any{}, repeats: map[int]int{}, copies: map[copied]uuid.UUID{}}
}

// copyID returns the id of the copy of a document.
func (p *preparation) copyID(step int, original uuid.UUID) uuid.UUID {
	key := copied{step, original}
	if _, ok := p.copies[key]; !ok {
		p.copies[key] = domain.NewID()
	}
	return p.copies[key]
}

// preparedWork returns the preparation of the write.
func (vals *values) preparedWork() *preparation {
	if vals.tx != nil {
		if earlier, ok := vals.tx.Attached().(*preparation); ok {
			return earlier
		}
	}
	return newPreparation()
}

// A validation is a value to be validated.
type validation struct {
	schema   *jsondoc.Schema
	document json.RawMessage
	update   bool
	// items collects the references to items of data sources, unless it is nil.
	items   domain.ItemReferences
	resolve jsondoc.Resolver
}

func (v *validation) validateValue(watch func() error) (domain.JSONValue, error) {
	options := []jsondoc.Option{jsondoc.Watch(watch)}
	if v.update {
		options = append(options, jsondoc.OnUpdate())
	}
	if v.items != nil {
		options = append(options, jsondoc.Items(v.items))
	}
	if v.resolve != nil {
		options = append(options, jsondoc.References(v.resolve))
	}
	return v.schema.Validate(v.document, options...)
}

// validated is the result of a long validation, and the targets of references that it rests on.
type validated struct {
	validation

	targets []resolvedTarget
	value   domain.JSONValue
	err     error
}

type resolvedTarget struct {
	reference kuflowref.Reference
	stored    jsondoc.Stored
	found     bool
}

// holdsFor reports whether the result is the one of another validation.
func (d *validated) holdsFor(v *validation) bool {
	if d.schema != v.schema || d.update != v.update || (d.items == nil) != (v.items == nil) || !bytes.Equal(d.document, v.document) {
		return false
	}
	for _, t := range d.targets {
		if stored, found := v.resolve(t.reference); stored != t.stored || found != t.found {
			return false
		}
	}
	return true
}

// validate validates a value. It returns longWorkError if that takes too long for a transaction.
func (vals *values) validate(v validation) (domain.JSONValue, error) {
	vals.step++
	if done, ok := vals.preparedWork().results[vals.step].(*validated); ok && done.holdsFor(&v) {
		maps.Copy(v.items, done.items)
		return done.value, done.err
	}
	if len(v.document) <= longText || v.schema == nil {
		value, err := v.validateValue(func() error { return errLong })
		if !errors.Is(err, errLong) {
			return value, err
		}
	}
	return domain.JSONValue{}, &longWorkError{step: vals.step, do: func(watch func() error) any {
		done := &validated{validation: v}
		if v.items != nil {
			done.items = domain.ItemReferences{}
		}
		if v.resolve != nil {
			done.resolve = func(reference kuflowref.Reference) (jsondoc.Stored, bool) {
				stored, found := v.resolve(reference)
				done.targets = append(done.targets, resolvedTarget{reference, stored, found})
				return stored, found
			}
		}
		done.value, done.err = done.validateValue(watch)
		return done
	}}
}

// patched is the result of a patch to a long document.
type patched struct {
	document, result json.RawMessage
	err              error
}

// applyPatch applies a patch. It returns longWorkError if that takes too long for a transaction.
func (vals *values) applyPatch(document json.RawMessage, applyPatch []jsondoc.Operation) (json.RawMessage, error) {
	vals.step++
	if done, ok := vals.preparedWork().results[vals.step].(*patched); ok && bytes.Equal(done.document, document) {
		return done.result, done.err
	}
	size := len(document)
	for _, op := range applyPatch {
		size += len(op.Value)
	}
	if size <= longText {
		return jsondoc.Apply(document, applyPatch)
	}
	return nil, &longWorkError{step: vals.step, do: func(func() error) any {
		done := &patched{document: document}
		done.result, done.err = jsondoc.Apply(document, applyPatch)
		return done
	}}
}
