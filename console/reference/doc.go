// Package reference shows the contracts of the REST interface. Its pages are generated from the OpenAPI documents
// of request validation, without other sources.
package reference
