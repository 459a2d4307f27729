// Package form reads forms: a value, its JSON Schema and its JSON Forms UI schema
// become a Model of labelled fields, which is what there is to read. Package paper
// makes PDFs of it.
//
// The package has no access to storage.
package form
