// Package form reads forms: a value, its JSON Schema and its JSON Forms UI schema. It
// makes two things of them: a Model, labelled fields for reading, and a Sheet, layouts and
// controls for filling in. The input of a Sheet becomes a JSON Patch of its value. Package paper makes PDFs of Models.
//
// The package has no access to storage, and knows neither HTML nor PDF.
package form
