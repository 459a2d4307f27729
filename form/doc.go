// Package form reads forms: a value, its JSON Schema and its JSON Forms UI schema. It
// makes two things of them: a Model, the labelled fields that there are to read, and a
// Sheet, the layouts and controls that there are to fill in. What is entered in a Sheet
// becomes a JSON Patch of its value. Package paper makes PDFs of Models.
//
// The package has no access to storage, and knows neither HTML nor PDF.
package form
