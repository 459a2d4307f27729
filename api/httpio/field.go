package httpio

import "github.com/procession-dev/procession/domain"

// Place is where the requests of a contract have a field.
type Place struct {
	part domain.LocationType
	name string
}

// Body returns the place of a field that is in the body at the JSON Pointer.
func Body(pointer string) Place { return Place{domain.LocationBody, pointer} }

// Query returns the place of a field that is a query parameter.
func Query(name string) Place { return Place{domain.LocationQuery, name} }

// Fields are the places of the fields of a contract.
type Fields map[domain.Field]Place

// Locate sets the location of a detail in a request of the contract from its
// field. A detail without a field is returned unchanged; one of a field that
// requests do not have loses its location.
func (f Fields) Locate(d domain.Detail) domain.Detail {
	if d.Field == "" {
		return d
	}
	location := f[d.Field]
	if d.LocationType = location.part; location.part == "" {
		d.Location = ""
	}
	d.Location = location.name + d.Location
	return d
}

// WithFields returns the writer of the errors of a contract with the fields.
func (w *ErrorWriter) WithFields(fields Fields) *ErrorWriter {
	located := *w
	located.fields = fields
	return &located
}
