// Package form reads forms: a value, its JSON Schema and its JSON Forms UI schema. It builds a Model, labelled fields
// for reading, or an Editor, layouts and controls for filling in. The input of an Editor becomes a JSON Patch of its
// value. Package pdf renders Models.
//
// The package has no access to storage and is independent of HTML and PDF.
package form
