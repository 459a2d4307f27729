package httpio

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"

	"github.com/procession-dev/procession/domain"
)

// maxViolations bounds how many violations one answer lists.
const maxViolations = 100

// paramViolations returns the violations in a parameter. Their location is the name of
// the parameter.
func paramViolations(param *openapi3.Parameter, err error) []domain.Detail {
	var details []domain.Detail
	location := domain.LocationType(param.In)
	eachSchemaError(err, func(violation *openapi3.SchemaError) {
		message := violationMessage(violation)
		if param.Name == "sort" && violation.SchemaField == "pattern" {
			message = "is not a sort order of this operation"
		}
		details = append(details, domain.Detail{
			Code: domain.CodeValidation, Message: message, Location: param.Name, LocationType: location,
		})
	})
	if len(details) > 0 {
		return slices.Compact(details)
	}
	message := "does not have the documented form"
	switch {
	case errors.Is(err, openapi3filter.ErrInvalidRequired):
		message = "is required"
	case errors.Is(err, openapi3filter.ErrInvalidEmptyValue):
		message = "must not be empty"
	case param.Schema != nil && param.Schema.Value.Type.Is(openapi3.TypeInteger):
		message = "must be an integer"
	}
	return []domain.Detail{{Code: domain.CodeValidation, Message: message, Location: param.Name, LocationType: location}}
}

// bodyViolations returns the violations in a body, each with its JSON Pointer.
func bodyViolations(err error) []domain.Detail {
	var details []domain.Detail
	eachSchemaError(err, func(violation *openapi3.SchemaError) {
		tokens := violation.JSONPointer()
		if violation.SchemaField == "discriminator" {
			tokens = append(tokens, violation.Schema.Discriminator.PropertyName)
		}
		details = append(details, domain.Detail{
			Code: domain.CodeValidation, Message: violationMessage(violation),
			Location: jsonPointer(tokens), LocationType: domain.LocationBody,
		})
	})
	if len(details) == 0 {
		details = []domain.Detail{{
			Code: domain.CodeValidation, Message: "does not have the documented form", LocationType: domain.LocationBody,
		}}
	}
	return slices.Compact(details)
}

// eachSchemaError visits the violations in err, down to those inside allOf.
func eachSchemaError(err error, visit func(*openapi3.SchemaError)) {
	switch e := err.(type) { //nolint:errorlint // the levels are walked one by one
	case nil:
	case openapi3.MultiError:
		for _, inner := range e {
			eachSchemaError(inner, visit)
		}
	case *openapi3.SchemaError:
		// With a discriminator only the alternative that it names was tried.
		chosen := e.SchemaField == "oneOf" && e.Schema.Discriminator != nil
		if (e.SchemaField == "allOf" || chosen) && e.Origin != nil {
			eachSchemaError(errors.Unwrap(e.Origin), visit)
			return
		}
		visit(e)
	default:
		eachSchemaError(errors.Unwrap(err), visit)
	}
}

// violationMessage describes the requirement on a value. It never contains the value, and
// only the useful part of the schema.
func violationMessage(violation *openapi3.SchemaError) string {
	schema := violation.Schema
	switch violation.SchemaField {
	case "required":
		return "is required"
	case "nullable":
		return "must not be null"
	case "type":
		return "must be of type " + strings.Join(schema.Type.Slice(), " or ")
	case "enum":
		return "must be one of " + listEnum(schema.Enum)
	case "discriminator":
		return "must be one of " + listMapping(schema.Discriminator)
	case "minimum":
		return fmt.Sprintf("must be at least %.0f", *schema.Min)
	case "maximum":
		return fmt.Sprintf("must be at most %.0f", *schema.Max)
	case "minLength":
		return fmt.Sprintf("must have at least %d characters", schema.MinLength)
	case "maxLength":
		return fmt.Sprintf("must have at most %d characters", *schema.MaxLength)
	case "minItems":
		return fmt.Sprintf("must have at least %d elements", schema.MinItems)
	case "maxItems":
		return fmt.Sprintf("must have at most %d elements", *schema.MaxItems)
	case "format":
		return formatMessage(schema.Format)
	default:
		return "does not have the documented form"
	}
}

func formatMessage(format string) string {
	switch format {
	case "uuid":
		return errNotUUID.Error()
	case "email":
		return errNotEmail.Error()
	case "date-time":
		return errNotDateTime.Error()
	default:
		return "must have the format " + format
	}
}

func listEnum(values []any) string {
	names := make([]string, 0, len(values))
	for _, value := range values {
		names = append(names, fmt.Sprint(value))
	}
	return strings.Join(names, ", ")
}

func listMapping(d *openapi3.Discriminator) string {
	return strings.Join(slices.Sorted(maps.Keys(d.Mapping)), ", ")
}
